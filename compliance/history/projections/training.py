"""Training records and certificates as rows: one decision gives both (contract, training record and certificate)."""

from operator import is_
from typing import Any

from compliance.history.numbers import CERTIFICATES, TRAINING_RECORDS
from compliance.history.projections import NO_COLUMNS, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import (
    number,
    quoted,
    quoted_instant,
    quoted_uuid,
    same_uuid,
    same_uuid_list,
    same_word_list,
)
from compliance.rules.owed_learning.decisions import CertificateContent, Decision, RecordContent

_NO_WAIVER = '"waived_at":null,"waiver_actor_id":null,"waiver_reason_code":null'


def project(decision: Decision) -> list[ProjectedTimeline]:
    """All timelines of one learner in one course: records first, then certificates."""
    projected: list[ProjectedTimeline] = []
    for record in decision.records:
        texts = _RecordTexts()
        versions = []
        for valid_from, content in record.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, "", NO_COLUMNS))
                continue
            columns = Columns(
                content.requirement,
                content.requirement_before_end,
                content.assigned_at,
                content.due_at,
                content.completed_at,
                content.waived_at,
                content.ended_at,
            )
            versions.append(ProjectedVersion(valid_from, texts.body(content), columns))
        first = record.versions[0].content  # the rules begin no record with an absence
        projected.append(
            ProjectedTimeline(
                TRAINING_RECORDS,
                record.record_id,
                first.learner_profile_id if first else None,
                first.course_id if first else None,
                versions,
            )
        )
    for certificate in decision.certificates:
        learner_profile_id = course_id = None
        versions = []
        for valid_from, issued in certificate.versions:
            if issued is None:
                versions.append(ProjectedVersion(valid_from, "", NO_COLUMNS))
                continue
            learner_profile_id, course_id = issued.learner_profile_id, issued.course_id
            columns = Columns(
                issued.standing, None, issued.issued_at, issued.valid_until, None, None, issued.changed_at
            )
            versions.append(ProjectedVersion(valid_from, certificate_body(issued), columns))
        projected.append(
            ProjectedTimeline(CERTIFICATES, certificate.certificate_id, learner_profile_id, course_id, versions)
        )
    return projected


class _RecordTexts:
    """Writes the bodies of one record's versions; what two versions share is written once."""

    __slots__ = ("_front", "_front_of")

    def __init__(self) -> None:
        self._front = ""
        self._front_of: tuple[Any, ...] | None = None

    def body(self, content: RecordContent) -> str:
        """The canonical JSON of a training record's version."""
        (
            record_id, learner_profile_id, course_id, course_release_id, _, renews_certificate_id, requirement, _,
            assigned_at, due_at, due_time_zone, due_basis, completed_at, completion_receipt_id, ended_at, ended_reason,
            waived_at, waiver_actor_id, waiver_reason_code, share_ids, doors, certificate_id, obligation_change_id,
        ) = content  # fmt: skip
        front_of = (course_release_id, renews_certificate_id, requirement, assigned_at, due_at, due_basis)
        known = self._front_of
        if known is None or not all(map(is_, front_of, known)):
            self._front_of = front_of
            self._front = (
                f'{{"record_id":{same_uuid(record_id)},"learner_profile_id":{same_uuid(learner_profile_id)},'
                f'"course_id":{same_uuid(course_id)},"course_release_id":{same_uuid(course_release_id)},'
                f'"renews_certificate_id":{quoted_uuid(renews_certificate_id)},'
                f'"requirement":"{requirement}","assigned_at":{quoted_instant(assigned_at)},'
                f'"due_at":{"null" if due_at is None else quoted_instant(due_at)},'
                f'"due_time_zone":{quoted(due_time_zone)},"due_basis":"{due_basis}",'
            )
        waiver = _NO_WAIVER
        if waived_at is not None:
            waiver = (
                f'"waived_at":{quoted_instant(waived_at)},"waiver_actor_id":{quoted_uuid(waiver_actor_id)},'
                f'"waiver_reason_code":{quoted(waiver_reason_code)}'
            )
        receipt = "null" if completion_receipt_id is None else quoted_uuid(completion_receipt_id)
        return (
            f'{self._front}"completed_at":{"null" if completed_at is None else quoted_instant(completed_at)},'
            f'"completion_receipt_id":{receipt},'
            f'"ended_at":{"null" if ended_at is None else quoted_instant(ended_at)},'
            f'"ended_reason":{"null" if ended_reason is None else quoted(ended_reason)},{waiver},'
            f'"share_ids":{same_uuid_list(share_ids)},"doors":{same_word_list(doors)},'
            f'"certificate_id":{"null" if certificate_id is None else quoted_uuid(certificate_id)},'
            f'"obligation_change_id":{number(obligation_change_id)}}}'
        )


def certificate_body(content: CertificateContent) -> str:
    """The canonical JSON of a certificate's version. `status` is the column `state` and the clock."""
    return (
        f'{{"certificate_id":"{content.certificate_id}","learner_profile_id":{quoted_uuid(content.learner_profile_id)},'
        f'"course_id":{quoted_uuid(content.course_id)},"course_release_id":{quoted_uuid(content.course_release_id)},'
        f'"course_release_version":{number(content.course_release_version)},'
        f'"certificate_title":{quoted(content.certificate_title)},"kind":"{content.kind}",'
        f'"earned_at":{quoted_instant(content.earned_at)},"issued_at":{quoted_instant(content.issued_at)},'
        f'"valid_until":{quoted_instant(content.valid_until)},"changed_at":{quoted_instant(content.changed_at)},'
        f'"changed_by":{quoted_uuid(content.changed_by)},"supersedes_id":{quoted_uuid(content.supersedes_id)},'
        f'"renews_id":{quoted_uuid(content.renews_id)},"live_session_id":{quoted_uuid(content.live_session_id)},'
        f'"live_session_format":{quoted(content.live_session_format)},'
        f'"live_session_starts_at":{quoted_instant(content.live_session_starts_at)},'
        f'"live_session_ends_at":{quoted_instant(content.live_session_ends_at)},'
        f'"live_session_minutes":{number(content.live_session_minutes)},'
        f'"live_session_marked_by":{quoted(content.live_session_marked_by)}}}'
    )
