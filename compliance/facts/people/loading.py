"""The input of the rules about people: stays, teams, suspensions, contacts, invitations.

The number of statements is constant and does not grow with the subjects, since a capture decides thousands. Facts may
be recorded ahead of time. `until` excludes facts that take effect later, so that a capture never states what is not in
force yet; validation of new facts omits it and reads all that is recorded. The company is always a sub-select: for a
constant that is not in the statistics yet, the planner would choose any index that begins with the company.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from compliance.rules.absences import Absence
from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.owed_learning.facts import (
    Employment,
    LearnerFacts,
    Membership,
)
from compliance.rules.people.facts import ContactStay, InvitationFacts, PersonFacts, Suspension
from compliance.rules.vocabulary import (
    Door,
)
from compliance.tenancy import arrays, sql

Pair = tuple[uuid.UUID, uuid.UUID]
Learners = dict[uuid.UUID, LearnerFacts]


class InvitationSubject(NamedTuple):
    """An invitation, and the profile that accepted it, if one did."""

    invitation: InvitationFacts
    person: PersonFacts | None


def load_people(
    organization_id: uuid.UUID,
    profile_ids: Collection[uuid.UUID],
    known: Learners | None = None,
    until: datetime = LAST_INSTANT,
) -> dict[uuid.UUID, PersonFacts]:
    """Each profile with its stays, teams, suspensions and contact stretches; `known` learners are not read again."""
    learners = load_learners(organization_id, profile_ids, known, until)
    contacts = load_contacts(organization_id, profile_ids, until)
    suspensions: dict[uuid.UUID, list[Suspension]] = defaultdict(list)
    for profile_id, person_id, at, suspended in sql.fetch(
        "SELECT e.learner_profile_id, s.person_id, s.at, s.suspended FROM people_suspension s"
        " JOIN people_employment e USING (organization_id, person_id)"
        " WHERE s.organization_id = (SELECT %s::uuid) AND e.learner_profile_id = ANY(%s::uuid[]) AND s.at <= %s",
        [organization_id, arrays.uuids(list(profile_ids)), until],
    ):
        suspensions[profile_id].append(Suspension(person_id, at, suspended))
    return {
        profile_id: PersonFacts(
            learners[profile_id], tuple(suspensions.get(profile_id, ())), tuple(contacts.get(profile_id, ()))
        )
        for profile_id in profile_ids
    }


def load_invitations(
    organization_id: uuid.UUID,
    invitation_ids: Collection[uuid.UUID],
    known: Learners | None = None,
    until: datetime = LAST_INSTANT,
) -> dict[uuid.UUID, InvitationSubject]:
    """Each invitation sent, with the facts of the person who accepted it; `known` learners are not read again."""
    wanted = list(invitation_ids)
    accepted: dict[uuid.UUID, Pair] = {
        invitation_id: (person_id, profile_id)
        for invitation_id, person_id, profile_id in sql.fetch(
            "SELECT invitation_id, person_id, learner_profile_id FROM people_employment"
            " WHERE organization_id = (SELECT %s::uuid) AND invitation_id = ANY(%s) AND joined_at <= %s"
            " ORDER BY joined_at DESC, person_id DESC",
            [organization_id, wanted, until],
        )
    }
    people = load_people(organization_id, {profile_id for _, profile_id in accepted.values()}, known, until)
    found = {}
    for invitation_id, invited_at, expires_at, revoked_at, erased_at, team_ids in sql.fetch(
        "SELECT invitation_id, invited_at, expires_at, CASE WHEN revoked_at <= %s THEN revoked_at END,"
        " CASE WHEN erased_at <= %s THEN erased_at END, team_ids"
        " FROM people_invitation"
        " WHERE organization_id = (SELECT %s::uuid) AND invitation_id = ANY(%s) AND invited_at <= %s",
        [until, until, organization_id, wanted, until],
    ):
        person_id, profile_id = accepted.get(invitation_id, (None, None))
        found[invitation_id] = InvitationSubject(
            InvitationFacts(
                invitation_id, invited_at, expires_at, revoked_at, frozenset(team_ids), person_id, erased_at
            ),
            people[profile_id] if profile_id is not None else None,
        )
    return found


def load_learners(
    organization_id: uuid.UUID,
    profile_ids: Collection[uuid.UUID],
    known: Learners | None = None,
    until: datetime = LAST_INSTANT,
) -> Learners:
    """Each profile's stays, team stretches, erasure and absences; a profile without any is included, empty.

    Learners in `known` are taken from it, and those that are read are added to it.
    """
    if known is None:
        return _read_learners(organization_id, profile_ids, until)
    missing = [profile_id for profile_id in profile_ids if profile_id not in known]
    if missing:
        known.update(_read_learners(organization_id, missing, until))
    return known


def _read_learners(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID], until: datetime) -> Learners:
    wanted = arrays.uuids(list(profile_ids))
    employments: dict[uuid.UUID, list[Employment]] = defaultdict(list)
    for profile_id, *stay in sql.fetch(
        "SELECT learner_profile_id, person_id, joined_at, CASE WHEN left_at <= %s THEN left_at END, staff_practice"
        " FROM people_employment"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND joined_at <= %s",
        [until, organization_id, wanted, until],
    ):
        employments[profile_id].append(Employment(*stay))
    memberships: dict[uuid.UUID, list[Membership]] = defaultdict(list)
    for (profile_id, team_id), begin, end in _stretches(
        sql.fetch(
            "SELECT learner_profile_id, team_id, at, joined FROM people_teammembership"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s"
            " ORDER BY at, joined, fact_id",
            [organization_id, wanted, until],
        )
    ):
        memberships[profile_id].append(Membership(team_id, begin, end))
    erased: dict[uuid.UUID, datetime] = dict(
        sql.fetch(
            "SELECT learner_profile_id, at FROM people_erasure"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s",
            [organization_id, wanted, until],
        )
    )
    absences: dict[uuid.UUID, list[Absence]] = defaultdict(list)
    for profile_id, *absence in sql.fetch(
        "SELECT learner_profile_id, absence_id, at, first_day, last_day, CASE WHEN voided_at <= %s THEN voided_at END"
        " FROM people_absence"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s",
        [until, organization_id, wanted, until],
    ):
        absences[profile_id].append(Absence(*absence))
    return {
        profile_id: LearnerFacts(
            profile_id,
            tuple(employments.get(profile_id, ())),
            tuple(memberships.get(profile_id, ())),
            erased.get(profile_id),
            tuple(absences.get(profile_id, ())),
        )
        for profile_id in profile_ids
    }


def load_contacts(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID], until: datetime = LAST_INSTANT
) -> dict[uuid.UUID, list[ContactStay]]:
    """The stretches in which those profiles were a partner's or customer's contact."""
    contacts: dict[uuid.UUID, list[ContactStay]] = defaultdict(list)
    for (profile_id, door), begin, end in _stretches(
        sql.fetch(
            "SELECT learner_profile_id, door, at, joined FROM people_contact"
            " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s"
            " ORDER BY at, joined, fact_id",
            [organization_id, arrays.uuids(list(profile_ids)), until],
        )
    ):
        contacts[profile_id].append(ContactStay(Door(door), begin, end))
    return contacts


def _stretches(
    events: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[tuple[uuid.UUID, Any], datetime, datetime | None]]:
    """Turns events (profile, what, at, joined), in the order of `at`, into stretches [begin, end) for each pair.

    Of equal moments leaving comes first; a leaving without a joining before it cancels a joining of the same moment.
    """
    open_since: dict[tuple[uuid.UUID, Any], datetime] = {}
    passing: Counter[tuple[tuple[uuid.UUID, Any], datetime]] = Counter()
    for profile_id, what, at, joined in events:
        key = (profile_id, what)
        if not joined and key in open_since:
            yield key, open_since.pop(key), at
        elif not joined:
            passing[key, at] += 1
        elif passing[key, at]:
            passing[key, at] -= 1
        else:
            open_since.setdefault(key, at)
    for key, begin in open_since.items():
        yield key, begin, None
