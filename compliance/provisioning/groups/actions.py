"""Writes of Groups, recorded as facts about teams. They run within the client's turn (`clients.turn`)."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from pydantic import ValidationError
from scim2_models import InvalidValueException, UniquenessException

from compliance.facts.lines.kinds import FactLine, TeamCreated, TeamRenamed
from compliance.facts.people import memberships, teams
from compliance.facts.recording import record
from compliance.provisioning.clients import Client
from compliance.provisioning.groups import queries
from compliance.provisioning.groups.naming import NO_SUCH_MEMBER, Change
from compliance.provisioning.groups.queries import Seen
from compliance.provisioning.models import ProvisionedGroup
from compliance.provisioning.users.reading import visible
from compliance.tenancy import sql


def create(client: Client, name: str, external_id: str | None, named: Collection[uuid.UUID], now: datetime) -> Seen:
    """Makes a team with this name and these members.

    A team that the client has removed is restored instead: the one with the same external identifier, else the latest
    with the same name. Raises UniquenessException where the client sees a Group with either, InvalidValueException.
    """
    _check_free(client, name, external_id, None)
    _check_users(client, named)
    back = _to_bring_back(client, name, external_id)
    lines: list[FactLine] = []
    if back is None:
        seen = Seen(uuid.uuid4(), name, external_id, now, now)
        lines.append(_named(TeamCreated, seen.team_id, name, now))
    else:
        seen = back._replace(name=name, external_id=external_id, changed_at=now)
        if back.name != name:
            lines.append(_named(TeamRenamed, seen.team_id, name, _after(now, back.changed_at)))
    inside = memberships.members_of(client.organization_id, [seen.team_id]).get(seen.team_id, set())
    lines += _moves(client, seen.team_id, set(named) - inside, inside - set(named), now)
    _write(client, seen, lines, now)
    return seen


def change(client: Client, present: Seen, name: str, external_id: str | None, moves: Change, now: datetime) -> Seen:
    """Gives a Group this name, this external identifier, and the members that result from `moves`.

    Records nothing where nothing changes. Raises UniquenessException, InvalidValueException.
    """
    _check_free(
        client,
        None if name == present.name else name,
        external_id if external_id != present.external_id else None,
        present,
    )
    lines: list[FactLine] = []
    if name != present.name:
        lines.append(_named(TeamRenamed, present.team_id, name, _after(now, present.changed_at)))
    if not moves.empty:
        _check_users(client, moves.come)
        among = None if moves.cleared else moves.come | moves.go
        found = memberships.members_of(client.organization_id, [present.team_id], among)
        inside = found.get(present.team_id, set())
        gone = inside - moves.come if moves.cleared else inside & moves.go
        lines += _moves(client, present.team_id, moves.come - inside, gone, now)
    if not lines and external_id == present.external_id:
        return present
    changed = present._replace(name=name, external_id=external_id, changed_at=now)
    _write(client, changed, lines, now)
    return changed


def remove(client: Client, present: Seen, now: datetime) -> None:
    """Removes all members from the team and hides it from the client."""
    inside = memberships.members_of(client.organization_id, [present.team_id]).get(present.team_id, set())
    _write(client, present, _moves(client, present.team_id, (), inside, now), now, removed=True)


def _check_free(client: Client, name: str | None, external_id: str | None, but: Seen | None) -> None:
    """Raises UniquenessException where another Group that the client sees has this name or external identifier."""
    if name is not None and any(each.team_id != (but and but.team_id) for each in queries.seen(client, name=name)):
        raise UniquenessException(detail="displayName: there is a Group of this name. Find it by a filter, and use it.")
    if external_id is not None and any(
        each.external_id == external_id and each.team_id != (but and but.team_id) for each in queries.seen(client)
    ):
        raise UniquenessException(detail="externalId: there is a Group with this identifier.")


def _check_users(client: Client, named: Collection[uuid.UUID]) -> None:
    """Raises InvalidValueException unless the client sees a User of each identifier."""
    if not named:
        return
    if visible(client, named).keys() != set(named):
        raise InvalidValueException(detail=NO_SUCH_MEMBER)


def _to_bring_back(client: Client, name: str, external_id: str | None) -> Seen | None:
    removed = queries.removed_by(client)
    same = [each for each in removed if external_id is not None and each.external_id == external_id]
    same += [each for each in removed if each.name.lower() == name.lower()]
    return same[0] if same else None


def _named(kind: type[TeamCreated] | type[TeamRenamed], team_id: uuid.UUID, name: str, now: datetime) -> FactLine:
    try:
        return kind(fact_id=uuid.uuid4(), at=now, team_id=team_id, name=name)
    except ValidationError:
        raise InvalidValueException(
            detail="displayName: a name has 1 to 300 characters on one line, not all of them blank."
        ) from None


def _moves(
    client: Client, team_id: uuid.UUID, come: Collection[uuid.UUID], gone: Collection[uuid.UUID], now: datetime
) -> Sequence[FactLine]:
    """The facts that `come` joined the team and `gone` left it: dated now, or after all that is recorded of them."""
    if not come and not gone:
        return []
    ahead = memberships.ahead(client.organization_id, team_id, [*come, *gone], now)
    return teams.moves(team_id, come, gone, lambda each: _after(now, ahead.get(each)))


def _after(now: datetime, last: datetime | None) -> datetime:
    return now if last is None or last < now else last + timedelta(microseconds=1)


def _write(client: Client, seen: Seen, lines: Sequence[FactLine], now: datetime, *, removed: bool = False) -> None:
    """Records the facts, and keeps what the client states of the team."""
    if lines:
        record(client.organization_id, lines, now=now)
    if seen.external_id is not None:  # a Group that the client has removed does not keep it from another one
        ProvisionedGroup.objects.filter(
            organization_id=client.organization_id, source_id=client.source.source_id, external_id=seen.external_id
        ).exclude(team_id=seen.team_id).exclude(deleted_at=None).update(external_id=None)
    sql.execute(
        "INSERT INTO provisioning_provisionedgroup AS g"
        " (organization_id, source_id, team_id, external_id, version, changed_at, deleted_at)"
        " VALUES (%(organization)s, %(source)s, %(team)s, %(external)s, 1, %(now)s, %(deleted)s)"
        " ON CONFLICT (organization_id, source_id, team_id) DO UPDATE SET external_id = excluded.external_id,"
        " version = g.version + 1, changed_at = excluded.changed_at, deleted_at = excluded.deleted_at",
        client.asked
        | {"team": seen.team_id, "external": seen.external_id, "now": now, "deleted": now if removed else None},
    )
