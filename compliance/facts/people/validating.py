"""Validates facts about people together with the whole file and all recorded facts (rules: rules.people.validation).

Runs after the last line about employments, contacts and teams is checked, and before any is written. Skips people whose
only facts are first joinings.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from compliance.facts.ledger import queries as ledger
from compliance.facts.lines.kinds import ContactJoined, ContactLeft, EmployeeJoined, InvitationRevoked, TeamJoined
from compliance.facts.recording.batch import Batch, Staged, Unwritten
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import ONE_COMPANY
from compliance.rules.people.validation import PersonFact, PersonFactKind, validate
from compliance.rules.vocabulary import Door
from compliance.tenancy import arrays, sql

# Recorded facts have no fact_id of their own here: they are never refused.
_RECORDED = uuid.UUID("00000000-0000-0000-0000-000000000001")
_Facts = dict[uuid.UUID, list[PersonFact]]


def validate_people(batches: dict[str, list[Batch[Any]]]) -> None:
    """Refuses, among the lines of `batches`, those that the rules refuse."""
    waiting: dict[uuid.UUID, tuple[Batch[Any], Staged[Any]]] = {
        staged.line.fact_id: (batch, staged)
        for each in batches.values()
        for batch in each
        for staged in batch.accepted()
    }
    if not waiting:
        return
    any_batch = next(batch for each in batches.values() for batch in each)
    organization_id, unwritten = any_batch.organization_id, any_batch.unwritten
    lines = [staged.line for _, staged in waiting.values() if not isinstance(staged.line, InvitationRevoked)]
    facts = _recorded_facts(organization_id, _profiles_to_validate(organization_id, lines, unwritten))
    for line in lines:
        own = facts.get(_profile_id(line, unwritten))
        if own is not None:
            own.extend(_facts_of(line, unwritten))
    for own in _with_invitations(organization_id, facts, unwritten):
        for refusal in validate(own):
            if refusal.fact_id in waiting:
                batch, staged = waiting[refusal.fact_id]
                batch.refuse(staged, RefusalReason.RULE, refusal.sentence)


def _profile_id(line: Any, unwritten: Unwritten) -> uuid.UUID:
    """The profile that a line is about."""
    profile_id: uuid.UUID | None = getattr(line, "learner_profile_id", None)
    return profile_id or unwritten["employment"][line.person_id].learner_profile_id


def _profiles_to_validate(organization_id: uuid.UUID, lines: list[Any], unwritten: Unwritten) -> set[uuid.UUID]:
    """The people whose facts the rules must validate. Joining for the first time breaks no rule.

    So a person is left out if all their lines are joinings, no joining occurs twice, and nothing is recorded of the
    kind that they join as: no employment, no contact, no team. A person whose invitation is both accepted and revoked
    is validated.
    """
    found: set[uuid.UUID] = set()
    employed: set[uuid.UUID] = set()
    contacts: set[tuple[uuid.UUID, Any]] = set()
    members: set[tuple[uuid.UUID, Any]] = set()
    for line in lines:
        if isinstance(line, EmployeeJoined):
            profile_id = line.learner_profile_id
            if profile_id in employed:
                found.add(profile_id)
            employed.add(profile_id)
            places, reached = members, unwritten["teams"][line.fact_id]
        elif isinstance(line, ContactJoined):
            profile_id, places, reached = line.learner_profile_id, contacts, (line.door,)
        elif isinstance(line, TeamJoined):
            profile_id, places, reached = line.learner_profile_id, members, (line.team_id,)
        else:
            found.add(_profile_id(line, unwritten))
            continue
        for place in reached:
            if (profile_id, place) in places:
                found.add(profile_id)
            places.add((profile_id, place))
    for table, came in (
        ("people_employment", employed),
        ("people_contact", {profile_id for profile_id, _ in contacts}),
        ("people_teammembership", {profile_id for profile_id, _ in members}),
    ):
        if came:
            found |= _column(
                f"SELECT DISTINCT learner_profile_id FROM {table}"  # noqa: S608 - names and SQL of our own
                " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
                organization_id,
                came,
            )
    accepted, revoked = unwritten["accepted"], unwritten["revoked"]
    if accepted:
        revoked_before = _column(
            "SELECT invitation_id FROM people_invitation WHERE organization_id = %s AND invitation_id = ANY(%s)"
            " AND revoked_at IS NOT NULL",
            organization_id,
            accepted,
        )
        found |= {accepted[each].learner_profile_id for each in accepted.keys() & (revoked_before | revoked.keys())}
    if revoked:
        found |= _column(
            "SELECT learner_profile_id FROM people_employment WHERE organization_id = %s AND invitation_id = ANY(%s)",
            organization_id,
            revoked,
        )
    return found


def _facts_of(line: Any, unwritten: Unwritten) -> Iterator[PersonFact]:
    """A line as facts of the rules: includes the teams of a joining."""
    kind = PersonFactKind(line.fact)
    if isinstance(line, EmployeeJoined):
        yield PersonFact(line.fact_id, kind, line.at, person_id=line.person_id, invitation_id=line.invitation_id)
        for team_id in unwritten["teams"][line.fact_id]:
            yield PersonFact(line.fact_id, PersonFactKind.TEAM_JOINED, line.at, team_id=team_id, with_joining=True)
    elif isinstance(line, ContactJoined | ContactLeft):
        yield PersonFact(line.fact_id, kind, line.at, door=line.door)
    elif hasattr(line, "team_id"):
        yield PersonFact(line.fact_id, kind, line.at, team_id=line.team_id)
    else:
        yield PersonFact(line.fact_id, kind, line.at, person_id=line.person_id)


def _recorded_facts(organization_id: uuid.UUID, profile_ids: set[uuid.UUID]) -> _Facts:
    """What is recorded about each of those people, without invitations."""
    facts: _Facts = {profile_id: [] for profile_id in profile_ids}
    if not profile_ids:
        return facts
    parameters = (organization_id, list(profile_ids))

    def add(profile_id: uuid.UUID, kind: PersonFactKind, at: Any, **named: Any) -> None:
        facts[profile_id].append(PersonFact(_RECORDED, kind, at, True, **named))

    for profile_id, person_id, invitation_id, joined_at, left_at in sql.fetch(
        "SELECT learner_profile_id, person_id, invitation_id, joined_at, left_at FROM people_employment"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        parameters,
    ):
        add(profile_id, PersonFactKind.EMPLOYEE_JOINED, joined_at, person_id=person_id, invitation_id=invitation_id)
        if left_at is not None:
            add(profile_id, PersonFactKind.EMPLOYEE_LEFT, left_at, person_id=person_id)
    for profile_id, person_id, at, suspended in sql.fetch(
        "SELECT e.learner_profile_id, s.person_id, s.at, s.suspended FROM people_suspension s"
        " JOIN people_employment e USING (organization_id, person_id)"
        " WHERE s.organization_id = %s AND e.learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.EMPLOYEE_SUSPENDED if suspended else PersonFactKind.EMPLOYEE_RESUMED
        add(profile_id, kind, at, person_id=person_id)
    for profile_id, door, at, joined in sql.fetch(
        "SELECT learner_profile_id, door, at, joined FROM people_contact"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.CONTACT_JOINED if joined else PersonFactKind.CONTACT_LEFT
        add(profile_id, kind, at, door=Door(door))
    # The ledger has whether the team was named by a joining of the company.
    for profile_id, team_id, at, joined, with_joining in sql.fetch(
        "SELECT m.learner_profile_id, m.team_id, m.at, m.joined, coalesce(f.kind = 'employee_joined', false)"  # noqa: S608
        f" FROM people_teammembership m {ledger.joined('m')}"
        " WHERE m.organization_id = %s AND m.learner_profile_id = ANY(%s)",
        parameters,
    ):
        kind = PersonFactKind.TEAM_JOINED if joined else PersonFactKind.TEAM_LEFT
        add(profile_id, kind, at, team_id=team_id, with_joining=with_joining)
    return facts


def _with_invitations(organization_id: uuid.UUID, facts: _Facts, unwritten: Unwritten) -> Iterator[list[PersonFact]]:
    """The facts of each person with those of the invitations they accepted, then of revoked ones nobody accepted."""
    revoking = unwritten["revoked"]
    accepted = {each.invitation_id for own in facts.values() for each in own if each.invitation_id is not None}
    found: dict[uuid.UUID, list[PersonFact]] = defaultdict(list)
    for invitation_id, invited_at, revoked_at in sql.fetch(
        "SELECT invitation_id, invited_at, revoked_at FROM people_invitation"
        " WHERE organization_id = %s AND invitation_id = ANY(%s)",
        (organization_id, list(accepted | revoking.keys())),
    ):
        own, invited = found[invitation_id], PersonFactKind.PERSON_INVITED
        own.append(PersonFact(_RECORDED, invited, invited_at, True, invitation_id=invitation_id))
        if revoked_at is not None:
            revoked = PersonFact(_RECORDED, PersonFactKind.INVITATION_REVOKED, revoked_at, True)
            own.append(revoked._replace(invitation_id=invitation_id))
        else:
            for line in revoking.get(invitation_id, ()):
                own.append(PersonFact(line.fact_id, PersonFactKind(line.fact), line.at, invitation_id=invitation_id))
    for own in facts.values():
        invitations = {each.invitation_id for each in own if each.invitation_id is not None}
        yield own + [each for invitation_id in invitations for each in found[invitation_id]]
    for invitation_id in revoking.keys() - accepted:
        yield found[invitation_id]


def _column(statement: str, organization_id: uuid.UUID, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    return {
        row[0]
        for row in sql.fetch(
            statement.replace("organization_id = %s", ONE_COMPANY), (organization_id, arrays.uuids(list(ids)))
        )
    }
