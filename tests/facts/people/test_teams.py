"""Who is in which team after joinings, with and without an invitation, in any order of arrival."""

import uuid
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from compliance.facts.people import employees, memberships, queries, roster, team_queries
from compliance.facts.people.loading import load_learners
from compliance.rules.vocabulary import Door
from compliance.tenancy import context, sql
from tests.companies import make_company
from tests.facts.files import NOW, fact, identifier, ids, joined, moment, take_in, team

pytestmark = pytest.mark.django_db

CREW = team("crew")
FIRST = joined("ana", 1, team_ids=ids("team crew"))
LEFT = fact("employee_left", "ana", 10, person_id="stay ana")
BACK = joined("ana", 20, stay=" again", team_ids=ids("team crew"))
INVITED = fact(
    "person_invited", "ben", 1, invitation_id="invitation ben", work_email="ben@example.org", team_ids=ids("team crew")
)


@pytest.fixture
def inside() -> Iterator[uuid.UUID]:
    organization_id = make_company().organization_id
    with context.company(organization_id):
        yield organization_id


def stretches(organization_id: uuid.UUID, name: str) -> list[tuple[str, str | None]]:
    """The stretches during which a person is in the crew."""
    learner = uuid.UUID(identifier(name))
    stays = load_learners(organization_id, [learner])[learner].memberships
    assert {str(stay.team_id) for stay in stays} <= set(ids("team crew"))
    return [
        (stay.from_at.isoformat(), stay.until.isoformat() if stay.until else None)
        for stay in sorted(stays, key=lambda stay: stay.from_at)
    ]


def at(day: float) -> str:
    return moment(day).replace("Z", "+00:00")


@pytest.mark.parametrize("parts", [[[CREW, FIRST, LEFT, BACK]], [[CREW, FIRST], [LEFT], [BACK]]])
def test_who_comes_back_into_a_team_that_they_still_belong_to_is_in_it_as_before(
    inside: uuid.UUID, parts: list[list[dict[str, Any]]]
) -> None:
    for part in parts:
        assert take_in(inside, part).errors == []
    assert stretches(inside, "ana") == [(at(1), None)]
    suspended = fact("employee_suspended", "ana", 25, person_id="stay ana again")
    assert take_in(inside, [suspended]).errors == []  # and no fact about them is refused because of it


def test_what_is_told_of_the_team_comes_in_any_order() -> None:
    out = fact("team_left", "ana", 15, team_id="team crew", learner_profile_id="ana")
    for last in ([out], [out, BACK], [LEFT, BACK, out]):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            first = [line for line in (CREW, FIRST, LEFT, BACK) if line not in last]
            assert take_in(organization_id, first).errors == []
            for order in permutations(last):
                assert take_in(organization_id, order).errors == []
            assert stretches(organization_id, "ana") == [(at(1), at(15)), (at(20), None)]


def test_a_bare_joining_of_a_team_that_one_is_in_is_an_error_before_and_after_one_that_names_it(
    inside: uuid.UUID,
) -> None:
    bare = fact("team_joined", "ana", 15, team_id="team crew", learner_profile_id="ana")
    later = fact("team_joined", "ana later", 30, team_id="team crew", learner_profile_id="ana")
    report = take_in(inside, [CREW, FIRST, LEFT, BACK, bare, later])
    assert {error.fact_id for error in report.errors} == {bare["fact_id"], later["fact_id"]}
    for line in (bare, later):
        (error,) = take_in(inside, [line]).errors
        assert error.reason == "The person is in the team already."


def test_a_bare_joining_that_is_recorded_keeps_another_before_it_out(inside: uuid.UUID) -> None:
    later = fact("team_joined", "ana later", 30, team_id="team crew", learner_profile_id="ana")
    bare = fact("team_joined", "ana", 15, team_id="team crew", learner_profile_id="ana")
    assert take_in(inside, [CREW, joined("ana", 1), later]).errors == []
    assert [error.fact_id for error in take_in(inside, [bare]).errors] == [bare["fact_id"]]


@pytest.mark.parametrize("together", [True, False])
def test_a_joining_without_teams_takes_those_of_the_invitation(inside: uuid.UUID, together: bool) -> None:
    accepted = joined("ben", 5, invitation_id="invitation ben")
    for part in [[CREW, accepted, INVITED]] if together else [[CREW, INVITED], [accepted]]:
        assert take_in(inside, part).errors == []
    assert stretches(inside, "ben") == [(at(5), None)]


@pytest.mark.parametrize(("named", "expected"), [([], []), (ids("team crew"), [(at(5), None)])])
def test_a_joining_that_names_its_teams_or_none_takes_no_other(
    inside: uuid.UUID, named: list[str], expected: list[Any]
) -> None:
    lines = [CREW, team("shore"), INVITED | {"team_ids": ids("team shore")}]
    assert take_in(inside, [*lines, joined("ben", 5, invitation_id="invitation ben", team_ids=named)]).errors == []
    assert stretches(inside, "ben") == expected


def test_who_is_in_the_invitation_s_team_already_stays_in_it(inside: uuid.UUID) -> None:
    again = joined("ben", 20, stay=" again", invitation_id="invitation ben")
    left = fact("employee_left", "ben", 10, person_id="stay ben")
    assert take_in(inside, [CREW, INVITED, joined("ben", 0, team_ids=ids("team crew")), left, again]).errors == []
    assert stretches(inside, "ben") == [(at(0), None)]


@pytest.mark.parametrize("there_before", [False, True])
def test_who_joins_and_leaves_at_one_moment_is_where_the_only_possible_order_leads(
    inside: uuid.UUID, there_before: bool
) -> None:
    before = [fact("team_joined", "before", 5, team_id="team crew", learner_profile_id="ana")] if there_before else []
    into = fact("team_joined", "into", 8, team_id="team crew", learner_profile_id="ana")
    out = fact("team_left", "out", 8, team_id="team crew", learner_profile_id="ana")
    assert take_in(inside, [CREW, joined("ana", 1), *before, into, out]).errors == []
    assert stretches(inside, "ana") == ([(at(5), at(8)), (at(8), None)] if there_before else [])
    ana, crew = map(uuid.UUID, ids("ana", "team crew"))
    teams = {crew} if there_before else set()
    assert {team_id for team_id, _ in queries.teams_of(inside, ana, NOW)} == teams
    assert team_queries.in_teams(inside, [ana], NOW).get(ana, set()) == teams
    assert roster.memberships(inside, NOW).get(ana, frozenset()) == teams
    there = {ana} if there_before else set()
    assert set(team_queries.members(inside, crew, NOW, 9)) == there
    assert memberships.members_of(inside, [crew]).get(crew, set()) == there
    asked = {"organization": inside, "learner": ana, "at": NOW, "team": crew}
    assert {row[0] for row in sql.fetch(queries.members("ARRAY[%(team)s]"), asked)} == there
    ((names,),) = sql.fetch(f"SELECT {queries.named_teams('ARRAY[%(team)s]')}", asked)
    assert names == ["crew"] * there_before
    ((known,),) = sql.fetch(f"SELECT {employees.TEAMS} FROM {employees.KNOWN} WHERE {employees.NOT_ERASED}", asked)
    assert [each["value"] for each in known] == [str(team_id) for team_id in teams]


def test_a_contact_who_goes_and_comes_back_at_one_moment_has_an_open_door(inside: uuid.UUID) -> None:
    came, went, back = (
        fact(f"contact_{kind}", key, day, learner_profile_id="dora", door="partner", **more)
        for kind, key, day, more in (
            ("joined", "came", 1, {"company": "Old"}),
            ("left", "went", 5, {}),
            ("joined", "back", 5, {"company": "New"}),
        )
    )
    assert take_in(inside, [came, went, back]).errors == []
    assert queries.doors_of(inside, uuid.UUID(ids("dora")[0]), NOW) == {Door.PARTNER}


def test_who_is_resumed_and_suspended_again_at_one_moment_is_suspended(inside: uuid.UUID) -> None:
    lines = [
        fact(f"employee_{kind}", f"ana {day}", day, person_id="stay ana")
        for kind, day in (("suspended", 3), ("resumed", 5), ("suspended", 5))
    ]
    assert take_in(inside, [joined("ana", 1), *lines]).errors == []
    ana = uuid.UUID(ids("ana")[0])
    assert queries.doors_of(inside, ana, NOW) == frozenset()
    assert employees.recorded_last(inside, ana).suspended
