"""Policy version rows and receipt rows, sealed when written, so each has one version; and what people owe of versions.

`html` is stored byte for byte, in a row as in the facts. Receipts come in the order of their chain, and so does birth.
The state of what somebody owes is decided at read, from receipt and deadline.
"""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime

from compliance.catalogue.policies import ACKNOWLEDGEMENTS, POLICIES, POLICY_RECORDS
from compliance.facts.policies.served import version_body
from compliance.history.projections import ABSENT, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import canonical
from compliance.rules.policies.decisions import RecordTimeline
from compliance.tenancy import sql

_VERSIONS = """
SELECT course_id, course_release_id, policy_title, version, act, doors, statement, statement_sha256, effective_on,
    renew_months, change_kind, published_at, document_sha256, version_digest, html
FROM policies_policyversion WHERE organization_id = (SELECT %s::uuid) AND course_release_id = ANY(%s)
    AND published_at <= %s
ORDER BY published_at, course_id, version
"""
_RECEIPTS = """
SELECT r.receipt_id, r.learner_profile_id, r.door, r.course_id, v.policy_title, r.course_release_id, r.version,
    v.effective_on, v.version_digest, r.act, r.signed_at, r.sign_in_methods, r.share_id, r.cycle_id,
    r.statement_sha256, r.document_sha256, r.signature_sha256, r.previous_sha256, r.receipt_sha256
FROM policies_receipt r
JOIN policies_policyversion v ON v.organization_id = r.organization_id AND v.course_release_id = r.course_release_id
WHERE r.organization_id = (SELECT %s::uuid) AND r.receipt_id = ANY(%s) ORDER BY r.number
"""
_VERSION_FIELDS = (
    "course_id", "course_release_id", "policy_title", "version", "act", "doors", "statement", "statement_sha256",
    "effective_on", "renew_months", "change_kind", "published_at", "document_sha256", "version_digest", "html",
)  # fmt: skip
_RECEIPT_FIELDS = (
    "receipt_id", "learner_profile_id", "door", "course_id", "policy_title", "course_release_id", "version",
    "effective_on", "version_digest", "act", "signed_at", "sign_in_methods", "assignment_id", "cycle_id",
    "statement_sha256", "document_sha256", "signature_sha256", "previous_sha256", "receipt_sha256",
)  # fmt: skip


def project_versions(
    organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID], until: datetime
) -> dict[uuid.UUID, ProjectedTimeline]:
    """The timelines of policy versions published by `until`, oldest first, by release."""
    projected = {}
    for row in sql.fetch(_VERSIONS, [organization_id, list(course_release_ids), until]):
        said = dict(zip(_VERSION_FIELDS, row, strict=True))
        published_at = said["published_at"]
        version = ProjectedVersion(published_at, version_body(said), Columns(begins_at=published_at))
        projected[said["course_release_id"]] = ProjectedTimeline(
            POLICIES.number, said["course_release_id"], None, said["course_id"], [version]
        )
    return projected


def project_records(timelines: Iterable[RecordTimeline]) -> list[ProjectedTimeline]:
    """The timelines of one person's records of one policy."""
    projected = []
    for timeline in timelines:
        learner_profile_id = course_id = None
        versions = []
        for valid_from, content in timeline.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, *ABSENT))
                continue
            learner_profile_id, course_id = content.learner_profile_id, content.course_id
            columns = Columns(
                due_at=content.due_at, done_at=content.signed_at, door=content.door, receipt_id=content.receipt_id
            )
            versions.append(ProjectedVersion(valid_from, canonical(content), columns))
        projected.append(
            ProjectedTimeline(POLICY_RECORDS.number, timeline.record_id, learner_profile_id, course_id, versions)
        )
    return projected


def project_receipts(
    organization_id: uuid.UUID, receipt_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, ProjectedTimeline]:
    """The timelines of receipts, in the order of the chain, by receipt."""
    projected = {}
    for row in sql.fetch(_RECEIPTS, [organization_id, list(receipt_ids)]):
        said = dict(zip(_RECEIPT_FIELDS, row, strict=True))
        signed_at = said["signed_at"]
        version = ProjectedVersion(signed_at, canonical(said), Columns(begins_at=signed_at, door=said["door"]))
        projected[said["receipt_id"]] = ProjectedTimeline(
            ACKNOWLEDGEMENTS.number, said["receipt_id"], said["learner_profile_id"], said["course_id"], [version]
        )
    return projected
