"""Rows of policy versions and receipts, which never change, so each has one version; and rows of owed policies.

`html` is stored byte for byte, in a row as in the facts. Receipts come in the order of their chain, and so do their
record numbers. The state of an owed policy is decided at read, from receipt and deadline.
"""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime

from compliance.catalogue.policies import ACKNOWLEDGEMENTS, POLICIES, POLICY_RECORDS
from compliance.facts.policies import queries as policies
from compliance.facts.policies.served import version_body
from compliance.history.projections import ABSENT, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import canonical
from compliance.rules.policies.decisions import RecordTimeline

# The fields of a receipt in the order of `policies.SealedReceipt`, as the contract names them.
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
    for sealed in policies.sealed_versions(organization_id, course_release_ids, until):
        body = version_body(sealed._asdict())
        version = ProjectedVersion(sealed.published_at, body, Columns(begins_at=sealed.published_at))
        projected[sealed.course_release_id] = ProjectedTimeline(
            POLICIES.number, sealed.course_release_id, None, sealed.course_id, [version]
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
    for sealed in policies.sealed_receipts(organization_id, receipt_ids):
        body = canonical(dict(zip(_RECEIPT_FIELDS, sealed, strict=True)))
        version = ProjectedVersion(sealed.signed_at, body, Columns(begins_at=sealed.signed_at, door=sealed.door))
        projected[sealed.receipt_id] = ProjectedTimeline(
            ACKNOWLEDGEMENTS.number, sealed.receipt_id, sealed.learner_profile_id, sealed.course_id, [version]
        )
    return projected
