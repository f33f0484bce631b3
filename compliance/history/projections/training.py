"""Rows of training records and certificates; one decision of the rules contains both."""

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.history.projections import ABSENT, Columns, ProjectedTimeline, ProjectedVersion, Source
from compliance.history.text import canonical
from compliance.rules.owed_learning.decisions import Decision

_RECORD_COLUMNS = ("lesson_release_id", "requirement_before_end")
_CERTIFICATE_COLUMNS = ("status", "trainer_profile_id")
"""Fields of a content that its body leaves out; the trainer of a certificate is found by the live session."""


def project(decision: Decision) -> list[ProjectedTimeline]:
    """All timelines of one learner in one course: records first, then certificates."""
    projected: list[ProjectedTimeline] = []
    for record in decision.records:
        versions = []
        sources: list[Source] = []
        release = lesson = None
        for valid_from, content in record.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, *ABSENT))
                continue
            if content.course_release_id is not release or content.lesson_release_id is not lesson:
                release, lesson = content.course_release_id, content.lesson_release_id
                sources.append(Source(release, lesson))
            share_ids = content.share_ids
            columns = Columns(
                content.requirement,
                content.requirement_before_end,
                content.assigned_at,
                content.due_at,
                content.completed_at,
                content.waived_at,
                content.ended_at,
                renews_certificate_id=content.renews_certificate_id,
                lesson_share_id=share_ids[0] if content.course_release_id is None and share_ids else None,
            )
            versions.append(ProjectedVersion(valid_from, canonical(content, _RECORD_COLUMNS), columns))
        first = record.versions[0].content  # the rules begin no record with an absence
        projected.append(
            ProjectedTimeline(
                TRAINING_RECORDS.number,
                record.record_id,
                first.learner_profile_id if first else None,
                first.course_id if first else None,
                versions,
                sources,
            )
        )
    for certificate in decision.certificates:
        learner_profile_id = course_id = None
        versions = []
        for valid_from, issued in certificate.versions:
            if issued is None:
                versions.append(ProjectedVersion(valid_from, *ABSENT))
                continue
            learner_profile_id, course_id = issued.learner_profile_id, issued.course_id
            columns = Columns(
                state=issued.status,
                begins_at=issued.issued_at,
                due_at=issued.valid_until,
                ends_at=issued.changed_at,
                live_session_id=issued.live_session_id,
            )
            versions.append(ProjectedVersion(valid_from, canonical(issued, _CERTIFICATE_COLUMNS), columns))
        projected.append(
            ProjectedTimeline(CERTIFICATES.number, certificate.record_id, learner_profile_id, course_id, versions)
        )
    return projected
