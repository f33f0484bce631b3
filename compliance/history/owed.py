"""What people owe now, courses and policies alike, and what has newly come to them: for messages to people.

Owed is a course that is required and neither completed nor waived, or a policy without a receipt. Optional courses are
not owed.
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.catalogue import REGISTERS
from compliance.history import in_force, outcomes
from compliance.history.records import InForce, current
from compliance.rules.owed_learning.outcome import certificate_status
from compliance.rules.vocabulary import CertificateStatus, Requirement
from compliance.tenancy import arrays, sql

_NUMBERS = {register.of_person: register.number for register in REGISTERS.values() if register.of_person}
_TRAINING, _POLICY, _CERTIFICATE = (_NUMBERS[name] for name in ("training", "policies", "certificates"))
REGISTERS_OF_DUTIES = (_TRAINING, _POLICY)
"""The numbers of the registers that hold what people owe."""

_NOW = in_force.records(sequence=None)
_OWED = (
    f"(r.register = {_TRAINING} AND {outcomes.OPEN} AND v.ends_at IS NULL"
    f" OR r.register = {_POLICY} AND {outcomes.UNSIGNED})"
)
_TO_DO = f"(r.register = {_TRAINING} AND {outcomes.TO_DO} OR r.register = {_POLICY} AND {outcomes.UNSIGNED})"
_DUE = f"""
SELECT DISTINCT v.birth FROM {in_force.ROWS} AND v.register IN ({_TRAINING}, {_POLICY}) AND {outcomes.UNDONE}
  AND v.due_at > %(after)s AND v.due_at <= %(until)s
"""  # noqa: S608 - expressions of our own
# The index `row_due` finds these versions, whether in force or outdated. To read their records in the same statement, a
# planner with outdated statistics looks up the version in force of every record of the company first.
_OWED_OF_THESE = (
    f"r.register IN ({_TRAINING}, {_POLICY}) AND r.birth = ANY(%(numbers)s::bigint[]) AND {_OWED}"
    " AND v.due_at > %(after)s AND v.due_at <= %(until)s"
)
_COLUMNS = "r.record_id, r.learner_profile_id, r.course_id, r.register, v.due_at, v.lesson_share_id"


class Owed(NamedTuple):
    """A course or a policy that a person owes. `lesson_share_id`: of the course, only the lesson of this share."""

    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    policy: bool
    due_at: datetime | None
    lesson_share_id: uuid.UUID | None


def owed(organization_id: uuid.UUID, record_ids: Collection[uuid.UUID], now: datetime) -> list[Owed]:
    """Those of the records that are owed at `now`. One statement in the company's context."""
    return _read(
        f"r.record_id = ANY(%(records)s::uuid[]) AND {_OWED}",
        {"organization": organization_id, "moment": now, "records": arrays.uuids(list(record_ids))},
    )


def to_do(organization_id: uuid.UUID, record_ids: Collection[uuid.UUID], now: datetime) -> list[Owed]:
    """As `owed`, with optional courses too. One statement in the company's context."""
    return _read(
        f"r.record_id = ANY(%(records)s::uuid[]) AND {_TO_DO}",
        {"organization": organization_id, "moment": now, "records": arrays.uuids(list(record_ids))},
    )


def owed_of(organization_id: uuid.UUID, course_id: uuid.UUID, now: datetime) -> list[Owed]:
    """Everything that people owe of one course or policy at `now`. One statement in the company's context."""
    return _read(
        f"r.register = ANY(%(registers)s) AND r.course_id = %(course)s AND {_OWED}",
        {"organization": organization_id, "moment": now, "course": course_id, "registers": list(REGISTERS_OF_DUTIES)},
    )


def due_between(organization_id: uuid.UUID, now: datetime, after: datetime, until: datetime) -> list[Owed]:
    """What is owed at `now` with a deadline in `after` < due_at <= `until`.

    Two statements in the company's context, at the cost of what is due and not of the company.
    """
    bounds = {"organization": organization_id, "after": after, "until": until}
    numbers = [number for (number,) in sql.fetch(_DUE, bounds)]
    if not numbers:
        return []
    return _read(_OWED_OF_THESE, bounds | {"moment": now, "numbers": numbers})


def _read(condition: str, parameters: dict[str, object]) -> list[Owed]:
    statement = f"SELECT {_COLUMNS} FROM {_NOW} AND {condition}"  # noqa: S608 - conditions of this module
    return [
        Owed(record_id, learner, course_id, register == _POLICY, due_at, lesson_share_id)
        for record_id, learner, course_id, register, due_at, lesson_share_id in sql.fetch(statement, parameters)
    ]


# A course counts as asked for once it is required, even when it is completed or waived: one that was completed and
# voided, or waived and reinstated, is not new. A policy that is asked for again after a signature is new.
_ASKED = (
    "(NOT coalesce({v}.body, '') = '' AND CASE r.register"
    f" WHEN {_TRAINING} THEN {{v}}.state = '{Requirement.REQUIRED}' AND {{v}}.ends_at IS NULL"
    f" WHEN {_POLICY} THEN {{v}}.done_at IS NULL"
    f" ELSE {{v}}.state = '{CertificateStatus.VALID}' END)"
)
_READ = "v.body, v.state, v.due_at, v.done_at, v.waived_at, v.ends_at"
_CAME = f"""
WITH changed AS MATERIALIZED (
  SELECT DISTINCT register, birth FROM history_historyrow WHERE organization_id = (SELECT %(organization)s::uuid)
    AND sequence > %(after)s AND sequence <= %(upto)s AND register = ANY(%(registers)s))
SELECT r.record_id, r.learner_profile_id, r.register FROM changed c
JOIN history_historyrecord r ON r.organization_id = (SELECT %(organization)s::uuid)
  AND r.register = c.register AND r.birth = c.birth
CROSS JOIN LATERAL {in_force.version(_READ, sequence=None)} v
LEFT JOIN LATERAL {in_force.version(_READ, moment="%(since)s", sequence=None)} earlier ON true
LEFT JOIN LATERAL {in_force.version(_READ, sequence="%(after)s")} known ON true
WHERE {in_force.PRESENT} AND ({_OWED} OR r.register = {_CERTIFICATE} AND {outcomes.VALID})
  AND NOT {_ASKED.format(v="earlier")} AND NOT {_ASKED.format(v="known")}
ORDER BY r.birth
"""  # noqa: S608 - expressions of our own


class Came(NamedTuple):
    """A record that is new to somebody: a course or a policy that they owe, or a certificate that is valid."""

    record_id: uuid.UUID
    learner_profile_id: uuid.UUID
    certificate: bool
    policy: bool


def came(organization_id: uuid.UUID, *, after: int, upto: int, since: datetime, now: datetime) -> list[Came]:
    """Records in force at `now` that rows with `after` < sequence <= `upto` made new to people, by record number.

    Left out is what was in force at `since` already, so that an import of the past brings nothing, and what was known
    at `after`. In the company's context.
    """
    rows = sql.fetch(
        _CAME,
        {
            "organization": organization_id,
            "after": after,
            "upto": upto,
            "since": since,
            "moment": now,
            "registers": [_TRAINING, _POLICY, _CERTIFICATE],
        },
    )
    return [
        Came(record_id, learner, register == _CERTIFICATE, register == _POLICY) for record_id, learner, register in rows
    ]


def issued(organization_id: uuid.UUID, certificate_id: uuid.UUID, now: datetime) -> InForce | None:
    """The certificate as it is at `now`; None if it is not valid, or has expired. In the company's context."""
    found = current(organization_id, _CERTIFICATE, certificate_id, now)
    if found is None or certificate_status(found.state or "", found.due_at, now) != CertificateStatus.VALID:
        return None
    return found
