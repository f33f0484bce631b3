"""Policy records as rows (contract, policy record row). Their state is decided at read, from receipt and deadline."""

from collections.abc import Iterable

from compliance.history.numbers import POLICY_RECORDS
from compliance.history.projections import NO_COLUMNS, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import quoted, quoted_instant, quoted_uuid
from compliance.rules.policies.decisions import PolicyRecordContent, PolicyRecordTimeline


def project(timelines: Iterable[PolicyRecordTimeline]) -> list[ProjectedTimeline]:
    """The timelines of one person's records of one policy."""
    projected = []
    for timeline in timelines:
        learner_profile_id = course_id = None
        versions = []
        for valid_from, content in timeline.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, "", NO_COLUMNS))
                continue
            learner_profile_id, course_id = content.learner_profile_id, content.course_id
            columns = Columns(due_at=content.due_at, done_at=content.signed_at)
            versions.append(ProjectedVersion(valid_from, body(content), columns))
        projected.append(ProjectedTimeline(POLICY_RECORDS, timeline.record_id, learner_profile_id, course_id, versions))
    return projected


def body(content: PolicyRecordContent) -> str:
    """The canonical JSON of a policy record's version."""
    return (
        f'{{"record_id":"{content.record_id}","course_id":{quoted_uuid(content.course_id)},'
        f'"course_release_id":{quoted_uuid(content.course_release_id)},"policy_title":{quoted(content.policy_title)},'
        f'"version":{content.version},"learner_profile_id":{quoted_uuid(content.learner_profile_id)},'
        f'"door":"{content.door}","assignment_id":{quoted_uuid(content.assignment_id)},'
        f'"due_at":{quoted_instant(content.due_at)},"signed_at":{quoted_instant(content.signed_at)},'
        f'"receipt_id":{quoted_uuid(content.receipt_id)},"act":{quoted(content.act)}}}'
    )
