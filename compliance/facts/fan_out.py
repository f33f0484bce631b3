"""The fan-out: replaces wide pending subjects by the narrow ones that they may change.

It may name too many subjects but never too few, since deciding one more has no effect. Each room has its part in a
module `fan_out`; this module combines them. The company is a sub-select in every statement, as in `people.loading`, and
the number of statements does not grow with the subjects.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

from compliance.facts.courses import fan_out as courses
from compliance.facts.ledger.models import Subject as Subject
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.people import fan_out as people
from compliance.facts.policies import fan_out as policies
from compliance.facts.shares import fan_out as shares
from compliance.facts.shares.fan_out import Audience
from compliance.facts.training import fan_out as training
from compliance.tenancy import arrays, sql

PEOPLE_AT_ONCE = 1_000
_DONE = f"{training.DONE} UNION ALL {policies.DONE}"
_ALL_THERE_IS = " UNION ALL ".join([people.EVERY_INVITATION, courses.EVERY_COURSE, policies.EVERY_VERSION_AND_RECEIPT])


def fan_out(organization_id: uuid.UUID, wide: Collection[tuple[str, uuid.UUID | None]]) -> Iterator[set[Subject]]:
    """Replaces wide subjects (kind, first) by the narrow ones that they may change, set by set.

    A subject may be in several sets. Subjects of single people are read for `PEOPLE_AT_ONCE` people at a time, since
    thousands of people have hundreds of thousands of subjects.
    """
    by_kind: dict[str, set[uuid.UUID]] = defaultdict(set)
    for kind, first in wide:
        by_kind[kind].add(first or uuid.UUID(int=0))
    if SubjectKind.COMPANY in by_kind:
        yield _all_there_is(organization_id)
        by_kind[SubjectKind.EVERYTHING_OF_PERSON] |= people.everybody(organization_id)
    if by_kind[SubjectKind.TEAM]:
        yield _of_teams(organization_id, by_kind[SubjectKind.TEAM])
    whole = iter(by_kind[SubjectKind.EVERYTHING_OF_PERSON])
    while profile_ids := set(islice(whole, PEOPLE_AT_ONCE)):
        yield _of_people(organization_id, profile_ids)
    if by_kind[SubjectKind.SHARE]:
        yield _of_audiences(organization_id, shares.audiences_of_shares(organization_id, by_kind[SubjectKind.SHARE]))
    if by_kind[SubjectKind.EVERYONE_OF_COURSE]:
        course_ids = by_kind[SubjectKind.EVERYONE_OF_COURSE]
        yield _of_audiences(organization_id, shares.audiences_of_courses(organization_id, course_ids))
        yield _done(organization_id, "course_id", course_ids)


def _all_there_is(organization_id: uuid.UUID) -> set[Subject]:
    """All subjects that concern no person: invitations, courses, policy versions, receipts."""
    return {(kind, first, None) for kind, first in sql.fetch(_ALL_THERE_IS, {"organization": organization_id})}


def _done(organization_id: uuid.UUID, column: str, values: Collection[uuid.UUID]) -> set[Any]:
    """All pairs of people and what they did something in: courses and policies."""
    asked = {"organization": organization_id, "values": arrays.uuids(list(values))}
    return set(sql.fetch(_DONE.format(column=column), asked))


def _of_people(organization_id: uuid.UUID, profile_ids: set[uuid.UUID]) -> set[Subject]:
    found: set[Subject] = {(SubjectKind.PERSON.value, profile_id, None) for profile_id in profile_ids}
    invitations = people.invitations_of(organization_id, profile_ids)
    found |= {(SubjectKind.INVITATION.value, invitation_id, None) for invitation_id in invitations}
    joined = people.ever_joined(organization_id, profile_ids)
    members = people.among_members(organization_id, profile_ids)
    audiences = shares.audiences_with_everyone_or(organization_id, members, profile_ids)
    _pair(found, audiences, joined, members, profile_ids)
    return found | _done(organization_id, "learner_profile_id", profile_ids)


def _of_teams(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> set[Subject]:
    members = people.members_of(organization_id, team_ids)
    everybody = set().union(*members.values()) if members else set()
    found: set[Subject] = {(SubjectKind.PERSON.value, profile_id, None) for profile_id in everybody}
    audiences = shares.audiences_with(organization_id, team_ids, ())
    _pair(found, audiences, people.Joined(set(), set()), members, set())
    return found


def _of_audiences(organization_id: uuid.UUID, audiences: Collection[Audience]) -> set[Subject]:
    named = {profile_id for each in audiences for profile_id in each.learner_profile_ids}
    members = people.members_of(organization_id, {team_id for each in audiences for team_id in each.team_ids})
    joined = people.Joined(set(), set())
    if any(each.everyone for each in audiences):
        joined = people.ever_joined(organization_id, None)
    found: set[Subject] = set()
    _pair(found, audiences, joined, members, named)
    return found


def _pair(
    found: set[Subject],
    audiences: Iterable[Audience],
    joined: people.Joined,
    members: people.Members,
    among: set[uuid.UUID],
) -> None:
    """Adds the pairs of each audience: employees (for a policy also contacts), members of teams, those of `among`."""
    anybody = joined.employees | joined.contacts
    included: dict[tuple[str, uuid.UUID], set[uuid.UUID]] = defaultdict(set)
    for course_id, is_policy, everyone, team_ids, profile_ids in audiences:
        own = included[(SubjectKind.PERSON_POLICY if is_policy else SubjectKind.PERSON_COURSE).value, course_id]
        if everyone:
            own |= anybody if is_policy else joined.employees
        for team_id in team_ids:
            own |= members.get(team_id, set())
        own |= among.intersection(profile_ids)
    for (kind, course_id), own in included.items():
        found.update([(kind, profile_id, course_id) for profile_id in own])
