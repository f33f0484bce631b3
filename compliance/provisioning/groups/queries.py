"""The teams that a client sees: all except those that it has removed, with the Users that it sees in them."""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.people import memberships
from compliance.provisioning.clients import Client
from compliance.provisioning.users.reading import visible
from compliance.tenancy import sql


class Seen(NamedTuple):
    """A team as one client knows it."""

    team_id: uuid.UUID
    name: str
    external_id: str | None
    created_at: datetime
    changed_at: datetime


class _Known(NamedTuple):
    """What the client has stated of a team."""

    external_id: str | None
    changed_at: datetime
    removed: bool


def seen(client: Client, *, team_ids: Collection[uuid.UUID] | None = None, name: str | None = None) -> list[Seen]:
    """The teams that the client sees, oldest first: those of `team_ids`, those of a name, or all."""
    stated = _stated(client)
    return [
        _seen(team, stated.get(team.team_id))
        for team in memberships.list_teams(client.organization_id, team_ids=team_ids, name=name)
        if not (team.team_id in stated and stated[team.team_id].removed)
    ]


def removed_by(client: Client) -> list[Seen]:
    """The teams that the client has removed, the last removed first."""
    stated = {team_id: known for team_id, known in _stated(client).items() if known.removed}
    if not stated:
        return []
    teams = memberships.list_teams(client.organization_id, team_ids=stated.keys())
    return sorted((_seen(team, stated[team.team_id]) for team in teams), key=lambda each: each.changed_at, reverse=True)


def members(
    client: Client, team_ids: Iterable[uuid.UUID], among: Iterable[uuid.UUID] | None = None
) -> dict[uuid.UUID, set[uuid.UUID]]:
    """The Users in each of those teams that the client sees; a team without any may be missing."""
    found = memberships.members_of(client.organization_id, team_ids, among)
    if not found:
        return {}
    users = visible(client, set().union(*found.values())).keys()
    return {team_id: everybody & users for team_id, everybody in found.items()}


def _stated(client: Client) -> dict[uuid.UUID, _Known]:
    rows = sql.fetch(
        "SELECT team_id, external_id, changed_at, deleted_at IS NOT NULL FROM provisioning_provisionedgroup"
        " WHERE organization_id = (SELECT %(organization)s::uuid) AND source_id = %(source)s",
        client.asked,
    )
    return {team_id: _Known(*known) for team_id, *known in rows}


def _seen(team: memberships.ListedTeam, known: _Known | None) -> Seen:
    changed_at = max(team.name_at, known.changed_at) if known else team.name_at
    return Seen(team.team_id, team.name, known.external_id if known else None, team.created_at, changed_at)
