"""Rows of the people register. The counts are no part of a row: they are taken at read (design 4, People)."""

from collections.abc import Iterable

from compliance.history.numbers import PEOPLE
from compliance.history.projections import NO_COLUMNS, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import quoted, quoted_instant, quoted_uuid, same_uuid, same_word_list, uuid_list
from compliance.rules.people.decisions import PersonContent, PersonTimeline
from compliance.rules.vocabulary import EntryType


def project(timelines: Iterable[PersonTimeline]) -> list[ProjectedTimeline]:
    """The timelines of employee or invitation rows. An employee's record is found by the profile."""
    projected = []
    for timeline in timelines:
        owner = None
        versions = []
        for valid_from, content in timeline.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, "", NO_COLUMNS))
                continue
            if content.entry_type == EntryType.EMPLOYEE:
                owner = content.learner_profile_id
            begins_at = content.joined_at if content.entry_type == EntryType.EMPLOYEE else content.invited_at
            ends_at = content.left_at
            if ends_at is None and content.ended_at is not None:
                ends_at = valid_from  # a revoked or erased invitation: its row does not say when
            columns = Columns(content.access_state, None, begins_at, content.invitation_expires_at, None, None, ends_at)
            versions.append(ProjectedVersion(valid_from, body(content), columns))
        projected.append(ProjectedTimeline(PEOPLE, timeline.record_id, owner, None, versions))
    return projected


def body(content: PersonContent) -> str:
    """The canonical JSON of a person row's version."""
    return (
        f'{{"person_id":{same_uuid(content.person_id)},"learner_profile_id":{quoted_uuid(content.learner_profile_id)},'
        f'"invitation_id":{quoted_uuid(content.invitation_id)},"entry_type":"{content.entry_type}",'
        f'"invited_at":{quoted_instant(content.invited_at)},"joined_at":{quoted_instant(content.joined_at)},'
        f'"left_at":{quoted_instant(content.left_at)},'
        f'"invitation_expires_at":{quoted_instant(content.invitation_expires_at)},'
        f'"invitation_state":{quoted(content.invitation_state)},"access_state":"{content.access_state}",'
        f'"team_ids":{uuid_list(content.team_ids)},"doors":{same_word_list(content.doors)}}}'
    )
