"""Rows of the people register. The counts are not part of a row: they are computed at read."""

from collections.abc import Iterable

from compliance.catalogue.people import PEOPLE
from compliance.history.projections import ABSENT, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import canonical
from compliance.rules.people.decisions import PersonTimeline
from compliance.rules.vocabulary import EntryType


def project(timelines: Iterable[PersonTimeline], identity: str) -> list[ProjectedTimeline]:
    """The timelines of employee or invitation rows. An employee's record is found by the profile.

    `identity` is the commitment to the name and address of all of them.
    """
    projected = []
    for timeline in timelines:
        owner = None
        versions = []
        for valid_from, content in timeline.versions:
            if content is None:
                versions.append(ProjectedVersion(valid_from, *ABSENT))
                continue
            if content.entry_type == EntryType.EMPLOYEE:
                owner = content.learner_profile_id
            begins_at = content.joined_at if content.entry_type == EntryType.EMPLOYEE else content.invited_at
            ends_at = content.left_at
            if ends_at is None and content.ended_at is not None:
                ends_at = valid_from  # a revoked or erased invitation: its row does not say when, see `invitation_over`
            columns = Columns(content.access_state, None, begins_at, content.invitation_expires_at, None, None, ends_at)
            versions.append(ProjectedVersion(valid_from, canonical(content, ("ended_at",)), columns))
        projected.append(ProjectedTimeline(PEOPLE.number, timeline.record_id, owner, None, versions, identity=identity))
    return projected
