"""What each register's endpoint is called in the document, which parameters it takes, and what it answers."""

from typing import NamedTuple

from drf_spectacular.utils import OpenApiParameter

from compliance.interfaces.api import rows
from compliance.rules.vocabulary import Scope


def _moment(*examples: str) -> dict[str, object]:
    forms = [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
    return {"anyOf": forms, "examples": list(examples)}


def _parameter(name: str, schema: dict[str, object], description: str) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, required=False, description=description)


CURSOR = _parameter(
    "cursor",
    {"type": "string", "minLength": 1},
    "The `next_cursor` of the previous page, sent unchanged to the same endpoint. It pins the snapshot and the filters"
    " and grants no access.",
)
LIMIT = _parameter(
    "limit",
    {"type": "integer", "minimum": 1, "default": 200, "examples": [50]},
    "Rows a page, 1 to 200; larger values are treated as 200. A page may hold fewer: follow `next_cursor`.",
)
AS_AT = _parameter(
    "as_at",
    _moment("2026-03-31", "2026-03-31T18:00:00+02:00"),
    "RFC 3339 instant with offset, or a date, which is read as the end of the company's day. Defaults to now.",
)
COURSE = _parameter("course", {"type": "string", "format": "uuid"}, "Restricts to one course. The cursor keeps it.")
FROM = _parameter(
    "from",
    _moment("2026-01-01"),
    "Start of the period, inclusive; a date starts the company's day. At most 400 days before `to`. Required on the"
    " first page; leave it out when sending a cursor.",
)
TO = _parameter(
    "to",
    _moment("2026-03-31"),
    "End of the period, inclusive; a date ends the company's day. Required on the first page; leave it out when"
    " sending a cursor.",
)
SINCE = _parameter(
    "from",
    _moment("2026-03-01", "2026-03-01T00:00:00Z"),
    "Receipts written at or after this moment; a date starts the company's day. At most 400 days before `as_at`.",
)


class Described(NamedTuple):
    """One endpoint of a register."""

    operation: str
    summary: str
    description: str
    tag: str
    scope: Scope
    model: type[rows.Page]
    parameters: tuple[OpenApiParameter, ...]


SNAPSHOT_PATH = "/v1/snapshot"
OF_PATH = {
    "/v1/training-records": Described(
        "listTrainingRecords",
        "Training records as at a moment",
        "Every record that an employee owes at `as_at`, with its outcome then.",
        "training",
        Scope.TRAINING_READ,
        rows.TrainingRecordPage,
        (AS_AT, COURSE, CURSOR, LIMIT),
    ),
    "/v1/training-records/period": Described(
        "listTrainingRecordsOfPeriod",
        "Training records of a period",
        "Every record owed at any time between `from` and `to`, with its outcome at the end of the period or when it"
        " ended.",
        "training",
        Scope.TRAINING_READ,
        rows.TrainingRecordPage,
        (FROM, TO, COURSE, CURSOR, LIMIT),
    ),
    "/v1/certificates": Described(
        "listCertificates",
        "Certificates as at a moment",
        "Employee certificates issued by `as_at`, with their state then.",
        "certificates",
        Scope.CERTIFICATES_READ,
        rows.CertificatePage,
        (AS_AT, CURSOR, LIMIT),
    ),
    "/v1/people": Described(
        "listPeople",
        "People of a period",
        "Employees and invitations that existed between `from` and `to`, as at `to`.",
        "people",
        Scope.PEOPLE_READ,
        rows.PersonPage,
        (FROM, TO, CURSOR, LIMIT),
    ),
    "/v1/courses": Described(
        "listCourses",
        "Course versions",
        "Published course versions behind employee training records, with fingerprints.",
        "training",
        Scope.TRAINING_READ,
        rows.CourseVersionPage,
        (CURSOR, LIMIT),
    ),
    "/v1/policies": Described(
        "listPolicies",
        "Policy versions",
        "Every policy version published by `as_at`, oldest first.",
        "policies",
        Scope.ACKNOWLEDGEMENTS_READ,
        rows.PolicyVersionPage,
        (AS_AT, CURSOR, LIMIT),
    ),
    "/v1/policy-records": Described(
        "listPolicyRecords",
        "Who owes a policy version",
        "Everyone who owed a policy version at `as_at`, with state, due date and the receipt that settled it.",
        "policies",
        Scope.ACKNOWLEDGEMENTS_READ,
        rows.PolicyRecordPage,
        (AS_AT, CURSOR, LIMIT),
    ),
    "/v1/acknowledgements": Described(
        "listAcknowledgements",
        "Policy receipts",
        "The company's policy receipts in the order in which the service wrote them.",
        "policies",
        Scope.ACKNOWLEDGEMENTS_READ,
        rows.ReceiptPage,
        (AS_AT, SINCE, CURSOR, LIMIT),
    ),
}
