"""Judges what was recorded about people with the whole file and the store read (design 3; rules.people.judging).

Runs after the last line about stays, contacts and teams is in the store, within the same transaction, and takes the
rows of what the rules refuse away again. Looks only at people of whom more is known than that they came.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from compliance.facts.people.recorders import show_latest_details
from compliance.facts.recording.batch import Batch, Staged, Why
from compliance.facts.recording.rows import ONE_COMPANY
from compliance.rules.people.judging import PersonFact, PersonFactKind, judge
from compliance.rules.vocabulary import Door
from compliance.tenancy import arrays, sql

# Facts of the store carry no fact_id of their own here: they are never refused.
_RECORDED = uuid.UUID("00000000-0000-0000-0000-000000000001")

_Waiting = dict[uuid.UUID, tuple[Batch[Any], Staged[Any]]]


def judge_people(batches: dict[str, list[Batch[Any]]]) -> None:
    """Refuses, among the lines of `batches`, those that the rules refuse."""
    waiting: _Waiting = {
        staged.line.fact_id: (batch, staged)
        for each in batches.values()
        for batch in each
        for staged in batch.standing()
    }
    if not waiting:
        return
    organization_id = next(batch for each in batches.values() for batch in each).organization_id
    new = _New(waiting)
    profile_ids = _profiles_to_judge(organization_id, new)
    refused = [
        refusal
        for facts in (
            *_facts_of_people(organization_id, profile_ids, new).values(),
            *_facts_of_invitations(organization_id, new).values(),
        )
        for refusal in judge(facts)
        if refusal.fact_id in waiting
    ]
    gone: dict[str, list[Any]] = defaultdict(list)
    for refusal in refused:
        batch, staged = waiting[refusal.fact_id]
        batch.refuse(staged, Why.RULE, refusal.sentence)
        gone[staged.line.fact].append(staged.line)
    if gone:
        _take_away(organization_id, gone)


class _New:
    """The facts that wait to be judged, by what names their rows."""

    def __init__(self, waiting: _Waiting) -> None:
        self.lines: dict[str, list[Any]] = defaultdict(list)
        for _, staged in waiting.values():
            self.lines[staged.line.fact].append(staged.line)
        self.joined = {line.person_id: line.fact_id for line in self.lines["employee_joined"]}
        self.left = {line.person_id: line.fact_id for line in self.lines["employee_left"]}
        self.revoked = {line.invitation_id: line.fact_id for line in self.lines["invitation_revoked"]}
        self.events = set(waiting)


def _profiles_to_judge(organization_id: uuid.UUID, new: _New) -> set[uuid.UUID]:
    found = {line.learner_profile_id for kind in ("contact_left", "team_left") for line in new.lines[kind]}
    stays = [
        line.person_id
        for kind in ("employee_left", "employee_suspended", "employee_resumed")
        for line in new.lines[kind]
    ]
    if stays:
        found |= _column(
            "SELECT learner_profile_id FROM people_employment WHERE organization_id = %s AND person_id = ANY(%s)",
            organization_id,
            stays,
        )
    joined = {line.learner_profile_id for line in new.lines["employee_joined"]}
    if joined:
        found |= _column(
            "SELECT learner_profile_id FROM people_employment WHERE organization_id = %s"
            " AND learner_profile_id = ANY(%s) GROUP BY learner_profile_id HAVING count(*) > 1",
            organization_id,
            joined,
        )
    accepted = [line.invitation_id for line in new.lines["employee_joined"] if line.invitation_id is not None]
    if accepted or new.revoked:
        found |= _column(
            "SELECT e.learner_profile_id FROM people_employment e JOIN people_invitation i"
            " USING (organization_id, invitation_id) WHERE e.organization_id = %s AND e.invitation_id = ANY(%s)"
            " AND i.revoked_at IS NOT NULL",
            organization_id,
            [*accepted, *new.revoked],
        )
    contacts = {line.learner_profile_id for line in new.lines["contact_joined"]}
    if contacts:
        found |= _column(
            "SELECT learner_profile_id FROM people_contact WHERE organization_id = %s"
            " AND learner_profile_id = ANY(%s) GROUP BY learner_profile_id, door HAVING count(*) > 1",
            organization_id,
            contacts,
        )
    members = {line.learner_profile_id for line in new.lines["team_joined"]} | {
        line.learner_profile_id for line in new.lines["employee_joined"] if line.team_ids
    }
    if members:
        found |= _column(
            "SELECT learner_profile_id FROM people_teammembership WHERE organization_id = %s"
            " AND learner_profile_id = ANY(%s) GROUP BY learner_profile_id, team_id HAVING count(*) > 1",
            organization_id,
            members,
        )
    return found


def _facts_of_people(
    organization_id: uuid.UUID, profile_ids: set[uuid.UUID], new: _New
) -> dict[uuid.UUID, list[PersonFact]]:
    facts: dict[uuid.UUID, list[PersonFact]] = defaultdict(list)
    if not profile_ids:
        return facts
    parameters = (organization_id, list(profile_ids))
    for profile_id, person_id, invitation_id, joined_at, left_at, invited_at, revoked_at in sql.fetch(
        "SELECT e.learner_profile_id, e.person_id, e.invitation_id, e.joined_at, e.left_at, i.invited_at, i.revoked_at"
        " FROM people_employment e LEFT JOIN people_invitation i USING (organization_id, invitation_id)"
        " WHERE e.organization_id = %s AND e.learner_profile_id = ANY(%s)",
        parameters,
    ):
        facts[profile_id].append(
            _fact(PersonFactKind.EMPLOYEE_JOINED, joined_at, new.joined.get(person_id), person_id, invitation_id)
        )
        if left_at is not None:
            facts[profile_id].append(_fact(PersonFactKind.EMPLOYEE_LEFT, left_at, new.left.get(person_id), person_id))
        if invited_at is not None:
            facts[profile_id].append(
                _fact(PersonFactKind.PERSON_INVITED, invited_at, None, invitation_id=invitation_id)
            )
        if revoked_at is not None:
            revoking = new.revoked.get(invitation_id)
            facts[profile_id].append(
                _fact(PersonFactKind.INVITATION_REVOKED, revoked_at, revoking, invitation_id=invitation_id)
            )
    for profile_id, fact_id, person_id, at, suspended in sql.fetch(
        "SELECT e.learner_profile_id, s.fact_id, s.person_id, s.at, s.suspended FROM people_suspension s"
        " JOIN people_employment e USING (organization_id, person_id)"
        " WHERE s.organization_id = %s AND e.learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.EMPLOYEE_SUSPENDED if suspended else PersonFactKind.EMPLOYEE_RESUMED
        facts[profile_id].append(_fact(kind, at, fact_id if fact_id in new.events else None, person_id))
    for profile_id, fact_id, door, at, joined in sql.fetch(
        "SELECT learner_profile_id, fact_id, door, at, joined FROM people_contact"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.CONTACT_JOINED if joined else PersonFactKind.CONTACT_LEFT
        own = fact_id if fact_id in new.events else None
        facts[profile_id].append(PersonFact(own or _RECORDED, kind, at, own is None, door=Door(door)))
    for profile_id, fact_id, team_id, at, joined in sql.fetch(
        "SELECT learner_profile_id, fact_id, team_id, at, joined FROM people_teammembership"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.TEAM_JOINED if joined else PersonFactKind.TEAM_LEFT
        own = fact_id if fact_id in new.events else None
        facts[profile_id].append(PersonFact(own or _RECORDED, kind, at, own is None, team_id=team_id))
    return facts


def _facts_of_invitations(organization_id: uuid.UUID, new: _New) -> dict[uuid.UUID, list[PersonFact]]:
    """The revoked invitations that nobody accepted."""
    facts: dict[uuid.UUID, list[PersonFact]] = {}
    if not new.revoked:
        return facts
    for invitation_id, invited_at, revoked_at in sql.fetch(
        "SELECT invitation_id, invited_at, revoked_at FROM people_invitation i"
        " WHERE organization_id = %s AND invitation_id = ANY(%s) AND NOT EXISTS (SELECT 1 FROM people_employment e"
        " WHERE e.organization_id = i.organization_id AND e.invitation_id = i.invitation_id)",
        (organization_id, list(new.revoked)),
    ):
        facts[invitation_id] = [
            _fact(PersonFactKind.PERSON_INVITED, invited_at, None, invitation_id=invitation_id),
            _fact(
                PersonFactKind.INVITATION_REVOKED,
                revoked_at,
                new.revoked[invitation_id],
                invitation_id=invitation_id,
            ),
        ]
    return facts


def _fact(
    kind: PersonFactKind,
    at: Any,
    fact_id: uuid.UUID | None,
    person_id: uuid.UUID | None = None,
    invitation_id: uuid.UUID | None = None,
) -> PersonFact:
    return PersonFact(fact_id or _RECORDED, kind, at, fact_id is None, person_id=person_id, invitation_id=invitation_id)


def _column(statement: str, organization_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    return {
        row[0]
        for row in sql.fetch(
            statement.replace("organization_id = %s", ONE_COMPANY), (organization_id, arrays.uuids(list(ids)))
        )
    }


def _take_away(organization_id: uuid.UUID, gone: dict[str, list[Any]]) -> None:
    """Undoes the rows of refused lines, so that the store never held them."""

    def run(statement: str, kinds: Iterable[str], key: Callable[[Any], uuid.UUID]) -> None:
        keys = [key(line) for kind in kinds for line in gone.get(kind, ())]
        if keys:
            sql.execute(statement + " WHERE organization_id = %s AND " + _KEY[statement], (organization_id, keys))

    run("UPDATE people_invitation SET revoked_at = NULL", ("invitation_revoked",), lambda line: line.invitation_id)
    run("UPDATE people_employment SET left_at = NULL", ("employee_left",), lambda line: line.person_id)
    run("DELETE FROM people_employment", ("employee_joined",), lambda line: line.person_id)
    events = ("employee_joined", "team_joined", "team_left")
    run("DELETE FROM people_teammembership", events, lambda line: line.fact_id)
    suspensions = ("employee_suspended", "employee_resumed")
    run("DELETE FROM people_suspension", suspensions, lambda line: line.fact_id)
    run("DELETE FROM people_contact", ("contact_joined", "contact_left"), lambda line: line.fact_id)
    came = ("employee_joined", "contact_joined")
    run("DELETE FROM people_personaldetail", came, lambda line: line.fact_id)
    show_latest_details(organization_id, {line.learner_profile_id for kind in came for line in gone.get(kind, ())})


_KEY = {
    "UPDATE people_invitation SET revoked_at = NULL": "invitation_id = ANY(%s)",
    "UPDATE people_employment SET left_at = NULL": "person_id = ANY(%s)",
    "DELETE FROM people_employment": "person_id = ANY(%s)",
    "DELETE FROM people_teammembership": "fact_id = ANY(%s)",
    "DELETE FROM people_suspension": "fact_id = ANY(%s)",
    "DELETE FROM people_contact": "fact_id = ANY(%s)",
    "DELETE FROM people_personaldetail": "fact_id = ANY(%s)",
}
