"""Groups as a kind of SCIM resource: a client's requests become facts about teams."""

import uuid
from collections.abc import Callable, Collection
from datetime import datetime

from scim2_models import Meta, NotFoundException, PatchOp

from compliance.provisioning.clients import Client, turn
from compliance.provisioning.groups import actions, finding, naming, queries
from compliance.provisioning.groups.model import Group, members
from compliance.provisioning.groups.queries import Seen
from compliance.provisioning.kinds import Check, Found, ResourceKind, Search, Wanted
from compliance.provisioning.resources import POLICY
from compliance.provisioning.users.reading import visible
from compliance.tenancy import context

NO_SUCH_GROUP = "There is no Group of this identifier."


class Groups(ResourceKind[Group]):
    """Teams, whoever made them."""

    model = Group
    schema = Group
    name = "Group"
    endpoint = "/Groups"
    description = "A team of the company. Its members are Users; a group in a group is refused."
    sortable = frozenset({"id", "displayname", "externalid"})

    def search(self, client: Client, search: Search) -> Found:
        """Groups by a filter. Members are read only for the Groups on the page, and only where they are asked for."""
        with context.company(client.organization_id):
            found = finding.matching(client, search.filter)
            if search.sort_by is not None:
                found.sort(key=finding.order(search.sort_by), reverse=search.descending)
            page = found[search.start - 1 : search.start - 1 + search.most]
            return Found(len(found), self._groups(client, page, search.wanted))

    def read(self, client: Client, identifier: str, wanted: Wanted) -> Group:
        """One Group, with members if they are asked for."""
        with context.company(client.organization_id):
            return self._groups(client, [_one(client, identifier)], wanted)[0]

    def create(self, client: Client, wanted: Group) -> Group:
        """Makes a team, or restores one that this client had removed."""
        named = naming.identifiers(wanted.members or [])
        with turn(client) as now:
            made = actions.create(client, str(wanted.display_name), wanted.external_id, named, now)
            return self._groups(client, [made], Wanted())[0]

    def change(self, client: Client, identifier: str, change: Callable[[Group], Group], *, whole: bool) -> Group:
        """Applies `change` to the complete Group: correct for any Group, slow for the largest."""
        with turn(client) as now:
            present = _one(client, identifier)
            before = self._groups(client, [present], Wanted())[0]
            after = change(before.model_copy(deep=True))
            moves = naming.Change()
            moves.replace(naming.identifiers(after.members or []))
            return self._changed(client, present, after, moves, now)

    def replace(self, client: Client, identifier: str, wanted: Group, check: Check | None) -> Group:
        """Replaces a Group. Members stay as they are where the client leaves them out."""
        moves = naming.Change()
        if "members" in wanted.model_fields_set:
            moves.replace(naming.identifiers(wanted.members or []))
        with turn(client) as now:
            present = _one(client, identifier)
            self._check(client, present, check)
            return self._changed(client, present, wanted, moves, now)

    def patch(self, client: Client, identifier: str, operations: PatchOp[Group], check: Check | None) -> None:
        """Changes parts of a Group. Reads only those members that the operations name."""
        moves, others = naming.split(operations)
        with turn(client) as now:
            present = _one(client, identifier)
            self._check(client, present, check)
            after = self._groups(client, [present], Wanted(None, frozenset({"members"})))[0]
            if others:
                PatchOp[Group](operations=others).patch(after, scim_policy=POLICY)
            actions.change(client, present, str(after.display_name), after.external_id, moves, now)

    def remove(self, client: Client, identifier: str, check: Check | None) -> None:
        """Removes all members; the team stays in the history and is hidden from this client."""
        with turn(client) as now:
            present = _one(client, identifier)
            self._check(client, present, check)
            actions.remove(client, present, now)

    def _check(self, client: Client, present: Seen, check: Check | None) -> None:
        if check is not None:
            check(self._groups(client, [present], Wanted())[0])

    def _changed(self, client: Client, present: Seen, after: Group, moves: naming.Change, now: datetime) -> Group:
        changed = actions.change(client, present, str(after.display_name), after.external_id, moves, now)
        return self._groups(client, [changed], Wanted())[0]

    def _groups(self, client: Client, seen: Collection[Seen], wanted: Wanted) -> list[Group]:
        """The resources; with members and a version that covers them, unless members are left out."""
        inside: dict[uuid.UUID, set[uuid.UUID]] | None = None
        names: dict[uuid.UUID, str | None] = {}
        if seen and wanted.usual("members"):
            inside = queries.members(client, [each.team_id for each in seen])
            if wanted.asked_for("members"):
                names = visible(client, set().union(*inside.values()))
        return [_group(each, None if inside is None else inside.get(each.team_id, set()), names) for each in seen]


def _one(client: Client, identifier: str) -> Seen:
    """The team with that identifier. Raises NotFoundException where the client sees none."""
    try:
        team_id = uuid.UUID(identifier)
    except ValueError:
        raise NotFoundException(detail=NO_SUCH_GROUP) from None
    found = queries.seen(client, team_ids=[team_id])
    if not found:
        raise NotFoundException(detail=NO_SUCH_GROUP)
    return found[0]


def _group(seen: Seen, inside: set[uuid.UUID] | None, names: dict[uuid.UUID, str | None]) -> Group:
    """The resource of a team."""
    meta = Meta(resource_type="Group", created=seen.created_at, last_modified=seen.changed_at)
    group = Group(id=str(seen.team_id), external_id=seen.external_id, display_name=seen.name, meta=meta)
    if inside is not None:
        group.members = members(inside, names)
        meta.version = finding.version(seen, inside)
    return group
