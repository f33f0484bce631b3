"""Whom a fact may reach: wide pending subjects become the narrow ones that they may decide differently.

Rather too many than too few, since deciding one more changes nothing. The company is a sub-select in every statement,
as in `people.loading`, and their number does not grow with the subjects.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from compliance.facts.ledger.models import SubjectKind
from compliance.tenancy import arrays, sql

Subject = tuple[str, uuid.UUID, uuid.UUID | None]


def fan_out(organization_id: uuid.UUID, wide: Collection[tuple[str, uuid.UUID | None]]) -> set[Subject]:
    """Replaces wide subjects (kind, first) by the narrow ones that they may reach."""
    by_kind: dict[str, set[uuid.UUID]] = defaultdict(set)
    for kind, first in wide:
        by_kind[kind].add(first or uuid.UUID(int=0))
    found: set[Subject] = set()
    if SubjectKind.COMPANY in by_kind:
        found |= _all_there_is(organization_id)
        by_kind[SubjectKind.EVERYTHING_OF_PERSON] |= {
            row[0]
            for row in sql.fetch(
                "SELECT learner_profile_id FROM people_profile WHERE organization_id = (SELECT %s::uuid)",
                [organization_id],
            )
        }
    if by_kind[SubjectKind.TEAM]:
        found |= _of_teams(organization_id, by_kind[SubjectKind.TEAM])
    if by_kind[SubjectKind.EVERYTHING_OF_PERSON]:
        found |= _of_people(organization_id, by_kind[SubjectKind.EVERYTHING_OF_PERSON])
    if by_kind[SubjectKind.SHARE]:
        found |= _of_shares(organization_id, "s.share_id", by_kind[SubjectKind.SHARE])
    if by_kind[SubjectKind.EVERYONE_OF_COURSE]:
        found |= _of_shares(organization_id, "s.course_id", by_kind[SubjectKind.EVERYONE_OF_COURSE])
        courses = arrays.uuids(list(by_kind[SubjectKind.EVERYONE_OF_COURSE]))
        found |= _of_doers(organization_id, "course_id", courses)
    return found


_STEPS = (
    "SELECT s.course_id, coalesce(c.kind = 'policy', false), t.audience, t.team_ids, t.learner_profile_ids"
    " FROM shares_share s JOIN shares_sharestep t USING (organization_id, share_id)"
    " LEFT JOIN courses_course c USING (organization_id, course_id)"
    " WHERE s.organization_id = (SELECT %s::uuid) AND t.audience IS NOT NULL AND "
)
_DOERS = " UNION ALL ".join(
    f"SELECT '{kind}', learner_profile_id, course_id FROM {table}"  # noqa: S608
    " WHERE organization_id = (SELECT %s::uuid) AND {column} = ANY(%s::uuid[])"
    for table, kind in (
        ("training_completion", SubjectKind.PERSON_COURSE.value),
        ("training_attendancemark", SubjectKind.PERSON_COURSE.value),
        ("training_obligationchange", SubjectKind.PERSON_COURSE.value),
        ("policies_receipt", SubjectKind.PERSON_POLICY.value),
    )
)


def _of_doers(organization_id: uuid.UUID, column: str, values: arrays.BinaryArray) -> set[Any]:
    return set(sql.fetch(_DOERS.format(column=column), [organization_id, values] * 4))


def _of_people(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> set[Subject]:
    wanted = arrays.uuids(list(profile_ids))
    found: set[Subject] = {(SubjectKind.PERSON.value, profile_id, None) for profile_id in profile_ids}
    for (invitation_id,) in sql.fetch(
        "SELECT invitation_id FROM people_employment WHERE organization_id = (SELECT %s::uuid)"
        " AND learner_profile_id = ANY(%s::uuid[]) AND invitation_id IS NOT NULL",
        [organization_id, wanted],
    ):
        found.add((SubjectKind.INVITATION.value, invitation_id, None))
    employees, others = _reachable(organization_id, wanted)
    members: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    for profile_id, team_id in sql.fetch(
        "SELECT DISTINCT learner_profile_id, team_id FROM people_teammembership"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])",
        [organization_id, wanted],
    ):
        members[team_id].add(profile_id)
    steps = sql.fetch(
        _STEPS + "(t.audience = 'everyone' OR t.team_ids && %s::uuid[] OR t.learner_profile_ids && %s::uuid[])",
        [organization_id, arrays.uuids(list(members)), wanted],
    )
    _pair(found, steps, employees, employees | others, members, set(profile_ids))
    found |= _of_doers(organization_id, "learner_profile_id", wanted)
    return found


def _of_teams(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> set[Subject]:
    wanted = list(team_ids)
    members = _members(organization_id, wanted)
    everybody = set().union(*members.values()) if members else set()
    found: set[Subject] = {(SubjectKind.PERSON.value, profile_id, None) for profile_id in everybody}
    steps = sql.fetch(_STEPS + "t.team_ids && %s", [organization_id, wanted])
    _pair(found, steps, set(), set(), members, set())
    return found


def _of_shares(organization_id: uuid.UUID, column: str, values: Collection[uuid.UUID]) -> set[Subject]:
    steps = sql.fetch(_STEPS + f"{column} = ANY(%s)", [organization_id, list(values)])
    named = {person for _, _, _, _, people in steps for person in people or ()}
    members = _members(organization_id, {team_id for _, _, _, teams, _ in steps for team_id in teams or ()})
    employees: set[uuid.UUID] = set()
    others: set[uuid.UUID] = set()
    if any(step[2] == "everyone" for step in steps):
        employees, others = _reachable(organization_id, None)
    found: set[Subject] = set()
    _pair(found, steps, employees, employees | others, members, named)
    return found


def _pair(
    found: set[Subject],
    steps: Iterable[tuple[Any, ...]],
    employees: set[uuid.UUID],
    anybody: set[uuid.UUID],
    members: dict[uuid.UUID, set[uuid.UUID]],
    among: set[uuid.UUID],
) -> None:
    """Adds the pairs of each step: all of `employees` (of a policy: `anybody`), teams' `members`, or the named."""
    reached: dict[tuple[str, uuid.UUID], set[uuid.UUID]] = defaultdict(set)
    for course_id, policy, audience, team_ids, people in steps:
        key = (SubjectKind.PERSON_POLICY.value if policy else SubjectKind.PERSON_COURSE.value, course_id)
        if audience == "everyone":
            reached[key] |= anybody if policy else employees
        for team_id in team_ids or ():
            reached[key] |= members.get(team_id, set())
        if people:
            reached[key] |= among.intersection(people)
    for (kind, course_id), people in reached.items():
        found.update([(kind, profile_id, course_id) for profile_id in people])


def _members(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, set[uuid.UUID]]:
    members: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    for profile_id, team_id in sql.fetch(
        "SELECT DISTINCT learner_profile_id, team_id FROM people_teammembership"
        " WHERE organization_id = (SELECT %s::uuid) AND team_id = ANY(%s)",
        [organization_id, list(team_ids)],
    ):
        members[team_id].add(profile_id)
    return members


def _reachable(
    organization_id: uuid.UUID, profile_ids: arrays.BinaryArray | None
) -> tuple[set[uuid.UUID], set[uuid.UUID]]:
    """Those who were ever employees, and those who were ever contacts; of all profiles when null."""
    found: list[set[uuid.UUID]] = []
    for table in ("people_employment", "people_contact"):
        statement = f"SELECT DISTINCT learner_profile_id FROM {table} WHERE organization_id = (SELECT %s::uuid)"  # noqa: S608
        parameters: list[Any] = [organization_id]
        if profile_ids is not None:
            statement += " AND learner_profile_id = ANY(%s::uuid[])"
            parameters.append(profile_ids)
        found.append({row[0] for row in sql.fetch(statement, parameters)})
    return found[0], found[1]


def _all_there_is(organization_id: uuid.UUID) -> set[Subject]:
    """What concerns no person: invitations, courses, policy versions, receipts."""
    rows = sql.fetch(
        "SELECT %s, invitation_id FROM people_invitation WHERE organization_id = (SELECT %s::uuid)"
        " UNION ALL SELECT %s, course_id FROM courses_course"
        " WHERE organization_id = (SELECT %s::uuid) AND kind = 'training'"
        " UNION ALL SELECT %s, course_release_id FROM policies_policyversion WHERE organization_id = (SELECT %s::uuid)"
        " UNION ALL SELECT %s, receipt_id FROM policies_receipt WHERE organization_id = (SELECT %s::uuid)",
        [
            SubjectKind.INVITATION.value, organization_id, SubjectKind.COURSE.value, organization_id,
            SubjectKind.POLICY_VERSION.value, organization_id, SubjectKind.RECEIPT.value, organization_id,
        ],
    )  # fmt: skip
    return {(kind, first, None) for kind, first in rows}
