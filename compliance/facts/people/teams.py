"""Recorders of teams and of who is in them.

A membership outlasts leaving the company. `validating.py` refuses joining a team that the person is in already.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import FactLine, TeamCreated, TeamJoined, TeamLeft, TeamRenamed
from compliance.facts.people import resolving
from compliance.facts.people.models import Team, TeamMembership
from compliance.facts.recording.batch import Batch
from compliance.facts.rows import keep, update


def record_team_created(batch: Batch[TeamCreated]) -> None:
    """Records new teams."""
    resolving.once_in(batch, Team, "team_id")
    lines = batch.accepted_lines()
    moments = [line.at for line in lines]
    keep(Team, batch.organization_id, lines, created_at=moments, name_at=moments)
    batch.subjects_of(SubjectKind.TEAM, (line.team_id for line in lines))


def record_team_renamed(batch: Batch[TeamRenamed]) -> None:
    """Records new names of teams; the latest counts, and of equal moments the greater name."""
    _refuse_unknown_teams(batch)
    latest: dict[uuid.UUID, tuple[datetime, str]] = {}
    for line in batch.accepted_lines():
        latest[line.team_id] = max(latest.get(line.team_id, (line.at, line.name)), (line.at, line.name))
    update(
        "people_team",
        batch.organization_id,
        {"team_id": "uuid", "at": "timestamptz", "name": "text"},
        "name = x.name, name_at = x.at",
        "t.team_id = x.team_id AND (t.name_at, t.name) < (x.at, x.name)",
        [(team_id, at, name) for team_id, (at, name) in latest.items()],
    )
    batch.subjects_of(SubjectKind.TEAM, latest)


def record_team_joined(batch: Batch[TeamJoined]) -> Iterator[None]:
    """Records that people joined teams."""
    return _record_memberships(batch, True)


def record_team_left(batch: Batch[TeamLeft]) -> Iterator[None]:
    """Records that people left teams."""
    return _record_memberships(batch, False)


def keep_memberships(organization_id: uuid.UUID, joined: Sequence[tuple[Any, uuid.UUID]]) -> None:
    """Writes the teams that joinings state: (the line of the joining, team_id)."""
    lines, team_ids = [line for line, _ in joined], [team_id for _, team_id in joined]
    keep(TeamMembership, organization_id, lines, team_id=team_ids, joined=True)


def moves(
    team_id: uuid.UUID,
    came: Iterable[uuid.UUID],
    went: Iterable[uuid.UUID],
    moment: Callable[[uuid.UUID], datetime],
) -> list[FactLine]:
    """The lines by which these people join and leave a team, each from their own moment on."""
    return [
        kind(fact_id=uuid.uuid4(), at=moment(each), team_id=team_id, learner_profile_id=each)
        for kind, moved in ((TeamJoined, came), (TeamLeft, went))
        for each in moved
    ]


def _record_memberships(batch: Batch[Any], joined: bool) -> Iterator[None]:
    _refuse_unknown_teams(batch)
    resolving.living_profiles(batch, resolving.VALIDATED)
    yield
    lines = batch.accepted_lines()
    keep(TeamMembership, batch.organization_id, lines, joined=joined)
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, {line.learner_profile_id for line in lines})


def _refuse_unknown_teams(batch: Batch[Any]) -> None:
    resolving.refuse_unknown(
        batch, "team_id", lambda line: (line.team_id,), lambda ids: resolving.teams(batch.organization_id, ids)
    )


def refuse_unknown_named_teams(batch: Batch[Any]) -> None:
    """Refuses lines whose `team_ids` name a team that does not exist."""
    resolving.refuse_unknown(
        batch, "team_ids", lambda line: line.team_ids, lambda ids: resolving.teams(batch.organization_id, ids)
    )
