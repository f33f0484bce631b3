"""What a fact about people may refer to: profiles, stays, teams, invitations, each looked up for a whole batch."""

import uuid
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from compliance.facts.lines.kinds import FactLine
from compliance.facts.people.models import Invitation
from compliance.facts.recording.batch import Batch, Staged
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import lock, lookup
from compliance.tenancy import arrays, sql
from compliance.tenancy.models import CompanyRow

LineType = TypeVar("LineType", bound=FactLine)

NO_SUCH_PERSON = "learner_profile_id: the company knows no such person."
ERASED = "The person was erased at the company's instruction; erased profiles accept no facts."


class Stay(NamedTuple):
    """An employment as stored."""

    learner_profile_id: uuid.UUID
    joined_at: datetime
    left_at: datetime | None
    invitation_id: uuid.UUID | None
    erased: bool


class StoredInvitation(NamedTuple):
    """An invitation as stored; `person_id` of the employment that accepted it."""

    work_email: str | None
    person_name: str | None
    revoked_at: datetime | None
    team_ids: list[uuid.UUID]
    person_id: uuid.UUID | None


# A transaction that writes about a person locks the profile. The weaker lock makes an erasure wait until it ends; the
# stronger one also makes others wait that record facts validated together with the person's other facts.
WRITING = " ORDER BY p.id FOR KEY SHARE OF p"
VALIDATED = " ORDER BY p.id FOR NO KEY UPDATE OF p"


def profiles(organization_id: uuid.UUID, profile_ids: Iterable[uuid.UUID], locking: str = "") -> dict[uuid.UUID, bool]:
    """Those of the profiles that exist, each with whether it was erased."""
    return lookup(
        "SELECT p.learner_profile_id, p.erased_at IS NOT NULL FROM people_profile p"  # noqa: S608
        " WHERE p.organization_id = %s AND p.learner_profile_id = ANY(%s)" + locking,
        organization_id,
        set(profile_ids),
    )


def stays(organization_id: uuid.UUID, person_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Stay]:
    """Those of the employments that exist, by person_id; their profiles are locked."""
    found = lookup(
        "SELECT e.person_id, e.learner_profile_id, e.joined_at, e.left_at, e.invitation_id,"  # noqa: S608
        " p.erased_at IS NOT NULL FROM people_employment e"
        " JOIN people_profile p USING (organization_id, learner_profile_id)"
        " WHERE e.organization_id = %s AND e.person_id = ANY(%s)" + VALIDATED,
        organization_id,
        set(person_ids),
    )
    return {person_id: Stay(*row) for person_id, row in found.items()}


def stays_belong_to(organization_id: uuid.UUID, person_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """The person of each of the stays that exist; nothing is locked."""
    return lookup(
        "SELECT person_id, learner_profile_id FROM people_employment"
        " WHERE organization_id = %s AND person_id = ANY(%s)",
        organization_id,
        person_ids,
    )


def accepted_by(organization_id: uuid.UUID, invitation_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
    """Who accepted each of the invitations that were accepted."""
    return lookup(
        "SELECT invitation_id, learner_profile_id FROM people_employment"
        " WHERE organization_id = %s AND invitation_id = ANY(%s)",
        organization_id,
        invitation_ids,
    )


def teams(organization_id: uuid.UUID, team_ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those of `team_ids` that exist."""
    return set(
        lookup(
            "SELECT team_id, true FROM people_team WHERE organization_id = %s AND team_id = ANY(%s)",
            organization_id,
            set(team_ids),
        )
    )


def invitations(organization_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredInvitation]:
    """Those of `ids` that are invitations of the company, with what is stored of each.

    Nobody else accepts or revokes them until the transaction ends.
    """
    wanted = set(ids)
    lock(Invitation, organization_id, "invitation_id", wanted)
    found = lookup(
        "SELECT i.invitation_id, i.work_email, i.person_name, i.revoked_at, i.team_ids, e.person_id"
        " FROM people_invitation i"
        " LEFT JOIN people_employment e USING (organization_id, invitation_id)"
        " WHERE i.organization_id = %s AND i.invitation_id = ANY(%s)",
        organization_id,
        wanted,
    )
    return {invitation_id: StoredInvitation(*row) for invitation_id, row in found.items()}


def accepted_invitations(organization_id: uuid.UUID, profile_ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """The invitations by which those people joined: their rows show the person's name."""
    return set(
        lookup(
            "SELECT invitation_id, true FROM people_employment"
            " WHERE organization_id = %s AND learner_profile_id = ANY(%s) AND invitation_id IS NOT NULL",
            organization_id,
            profile_ids,
        )
    )


def contacts_joined(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]
) -> list[tuple[uuid.UUID, str, datetime, str | None]]:
    """Each time that these people joined as contacts, in the order of time: who, door, when, from which company."""
    if not profile_ids:
        return []
    return sql.fetch(
        "SELECT learner_profile_id, door, at, company FROM people_contact WHERE organization_id = (SELECT %s::uuid)"
        " AND learner_profile_id = ANY(%s::uuid[]) AND joined ORDER BY at, id",
        [organization_id, arrays.uuids(list(profile_ids))],
    )


def living_profiles(batch: Batch[Any], locking: str = WRITING) -> None:
    """Refuses lines whose learner_profile_id names nobody, or someone erased; locks the others' profiles."""
    wanted = {staged.line.learner_profile_id for staged in batch.accepted()}
    found = profiles(batch.organization_id, wanted, locking)
    if len(found) == len(wanted) and not any(found.values()):
        return
    for staged in batch.accepted():
        erased = found.get(staged.line.learner_profile_id)
        if erased is None:
            batch.refuse(staged, RefusalReason.UNRESOLVED, NO_SUCH_PERSON)
        elif erased:
            batch.refuse(staged, RefusalReason.ERASED, ERASED)


def once(
    batch: Batch[LineType], name: str, identifier: Callable[[LineType], Any], existing: Callable[[set[Any]], Any]
) -> None:
    """Refuses lines whose identifier exists (`existing` answers which of a set do) or was named by an earlier line."""
    lines = batch.accepted()
    keys = [identifier(staged.line) for staged in lines]
    named = set(keys)
    seen = set(existing(named))
    if not seen and len(named) == len(keys):
        return
    for staged, key in zip(lines, keys, strict=True):
        if key in seen:
            batch.refuse(staged, RefusalReason.EXISTS, f"{name}: exists already, from another fact.")
        seen.add(key)


def once_in(batch: Batch[Any], model: type[CompanyRow], name: str, unwritten: Iterable[Any] = ()) -> None:
    """Refuses lines whose identifier in the field `name` is in the column of `model`, or is one of `unwritten`."""
    statement = f"SELECT {name}, true FROM {model._meta.db_table} WHERE organization_id = %s AND {name} = ANY(%s)"  # noqa: S608
    once(
        batch,
        name,
        attrgetter(name),
        lambda ids: lookup(statement, batch.organization_id, ids).keys() | ids.intersection(unwritten),
    )


def refuse_unknown(batch: Batch[LineType], name: str, wanted: Callable[[LineType], Iterable[Any] | None],
                 existing: Callable[[set[Any]], Any]) -> None:  # fmt: skip
    """Refuses lines one of whose identifiers does not exist (`existing` answers which of a set do)."""
    asked = {key for staged in batch.accepted() for key in wanted(staged.line) or ()}
    if not asked:
        return
    missing = asked.difference(existing(asked))
    if missing:
        for staged in batch.accepted():
            if any(key in missing for key in wanted(staged.line) or ()):
                batch.refuse(staged, RefusalReason.UNRESOLVED, f"{name}: the company knows no such {_noun(name)}.")


def earliest_per(
    batch: Batch[LineType], identifier: Callable[[LineType], Any], sentence: str
) -> dict[Any, Staged[LineType]]:
    """Keeps the earliest line per identifier and refuses the others with `sentence`: they would end it again."""
    first: dict[Any, Staged[LineType]] = {}
    for staged in batch.accepted():
        if first.setdefault(identifier(staged.line), staged) is not staged:
            batch.refuse(staged, RefusalReason.RULE, sentence)
    return first


_NOUNS = {"learner_profile_ids": "person"}


def _noun(name: str) -> str:
    return _NOUNS.get(name, name.removesuffix("s").removesuffix("_id").replace("_", " "))
