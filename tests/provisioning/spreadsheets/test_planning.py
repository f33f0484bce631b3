"""Planning: who joins, changes, moves and leaves by a spreadsheet, and which rows are wrong. No database."""

import uuid
from datetime import date

import pytest

from compliance.provisioning.spreadsheets.facts import facts_of
from compliance.provisioning.spreadsheets.known import Known, KnownPerson, OpenInvitation
from compliance.provisioning.spreadsheets.lines import Stated, WrongCode
from compliance.provisioning.spreadsheets.plan import Plan
from compliance.provisioning.spreadsheets.planning import plan
from tests.companies import NOW

TODAY = date(2026, 11, 23)
SALES, LAW, WARDENS = (uuid.uuid5(uuid.NAMESPACE_DNS, name) for name in ("sales", "law", "wardens"))
TEAMS = {SALES: "Sales", LAW: "Équipe Loi", WARDENS: "Fire wardens"}


def person(name: str, **told: object) -> KnownPerson:
    address = f"{name.lower()}@example.org"
    own = uuid.uuid5(uuid.NAMESPACE_DNS, f"{name} {sorted(told)}")
    usual = KnownPerson(own, name, address, None, own, False, None)
    return usual._replace(**told)  # type: ignore[arg-type]


def row(line: int, email: str = "", name: str | None = "Anna", **told: object) -> Stated:
    return Stated(line, email, name=name, **({"number": ""} | told))  # type: ignore[arg-type]


def company(*people: KnownPerson, **told: object) -> Known:
    return Known(people={each.learner_profile_id: each for each in people}, teams=TEAMS, **told)  # type: ignore[arg-type]


def planned(known: Known, *rows: Stated, leavers: bool = False) -> Plan:
    return plan(rows, known, today=TODAY, leavers=leavers)


def codes(found: Plan) -> list[tuple[int, WrongCode]]:
    return [(each.line, each.code) for each in found.wrong]


def kinds(found: Plan) -> list[str]:
    return [each.line.fact for each in facts_of(found, NOW).lines]


ANNA, BEN = person("Anna"), person("Ben")


def test_somebody_new_joins_with_account_and_work_address_and_with_the_team() -> None:
    found = planned(company(), row(2, "ada@example.org", "Ada", teams=("Sales", "New")))
    assert found.counts == {"joins": 1, "changes": 0, "moves": 0, "leaves": 0, "unchanged": 0}
    assert found.new_teams == {"new": "New"}
    created, joined, changed = (each.line for each in facts_of(found, NOW).lines)
    assert (joined.account_email, joined.person_name) == ("ada@example.org", "Ada")  # type: ignore[attr-defined]
    assert set(joined.team_ids) == {SALES, created.team_id}  # type: ignore[attr-defined]
    assert changed.work_email == "ada@example.org"  # type: ignore[attr-defined]


def test_somebody_without_an_address_joins_by_their_number() -> None:
    found = planned(company(), row(2, "", "Ada", number="17"))
    assert kinds(found) == ["employee_joined"]
    assert [number for _, number in facts_of(found, NOW).numbers] == ["17"]


@pytest.mark.parametrize("address", ["anna@example.org", "ANNA@Example.ORG"])
def test_a_person_is_found_by_the_address_whatever_its_case(address: str) -> None:
    assert planned(company(ANNA), row(2, address)).unchanged == 1


def test_a_person_is_found_by_the_work_address_and_by_the_number_without_zeros() -> None:
    known = company(person("Anna", work_email="a.m@example.org", employee_number="1042"))
    assert planned(known, row(2, "a.m@example.org")).unchanged == 1
    assert planned(known, row(2, "", number="001042")).unchanged == 1


def test_the_number_goes_before_the_address_and_another_address_is_a_change() -> None:
    anna = person("Anna", employee_number="7")
    found = planned(company(anna), row(2, "anna.meier@example.org", number="7"))
    assert found.counts["changes"] == 1
    assert {name: each.after for name, each in found.changes[0].details.items()} == {
        "account_email": "anna.meier@example.org"
    }
    both = person("Anna", employee_number="7", work_email="anna@example.org")
    found = planned(company(both), row(2, "anna.meier@example.org", number="7"))
    assert set(found.changes[0].details) == {"account_email", "work_email"}
    apart = person("Anna", employee_number="7", work_email="work@example.org")
    found = planned(company(apart), row(2, "anna.meier@example.org", number="7"))
    assert set(found.changes[0].details) == {"work_email"}


def test_a_number_of_one_person_and_an_address_of_another_is_wrong() -> None:
    known = company(person("Anna", employee_number="7"), BEN)
    assert codes(planned(known, row(2, "ben@example.org", number="7"))) == [(2, WrongCode.TWO_PEOPLE)]


def test_whoever_is_employed_goes_before_who_has_left_with_the_same_address() -> None:
    former = person("Anna", person_id=None, person_name="Anna Former")
    assert planned(company(former, ANNA), row(2, "anna@example.org")).unchanged == 1
    two = person("Anna", person_name="Another")
    assert codes(planned(company(ANNA, two), row(2, "anna@example.org"))) == [(2, WrongCode.SEVERAL_PEOPLE)]


def test_an_address_that_belonged_to_somebody_with_another_number_is_wrong() -> None:
    former = person("Anna", person_id=None, employee_number="7")
    assert codes(planned(company(former), row(2, "anna@example.org", number="8"))) == [(2, WrongCode.SOMEBODY_BEFORE)]


def test_whoever_comes_back_gets_a_new_stay() -> None:
    former = person("Anna", person_id=None)
    found = planned(company(former, memberships={former.learner_profile_id: frozenset({SALES})}),
                    row(2, "anna@example.org", teams=("Sales",)))  # fmt: skip
    joined, changed = (each.line for each in facts_of(found, NOW).lines)
    assert joined.learner_profile_id == former.learner_profile_id  # type: ignore[attr-defined]
    assert joined.team_ids == (SALES,)  # type: ignore[attr-defined]
    assert changed.fact == "person_changed"
    assert found.counts["joins"] == 1


def test_an_open_invitation_to_the_address_is_accepted_and_gives_its_address_and_teams() -> None:
    invitation = OpenInvitation(uuid.uuid4(), "Ada@example.org")
    found = planned(company(invitations=[invitation]), row(2, "ada@example.org", "Ada"))
    (joined,) = (each.line for each in facts_of(found, NOW).lines)
    assert joined.invitation_id == invitation.invitation_id  # type: ignore[attr-defined]
    assert joined.team_ids is None  # type: ignore[attr-defined]


def test_who_moves_counts_as_a_move_and_as_a_change_only_if_something_else_changed() -> None:
    known = company(ANNA, BEN, memberships={each.learner_profile_id: frozenset({SALES}) for each in (ANNA, BEN)})
    found = planned(
        known,
        row(2, "anna@example.org", "Anna", teams=("Equipe  loi",)),
        row(3, "ben@example.org", "Benjamin", teams=("équipe LOI",)),
        row(4, "ada@example.org", "Ada", teams=("SALES",)),
    )
    assert found.counts == {"joins": 1, "changes": 1, "moves": 2, "leaves": 0, "unchanged": 0}
    assert found.new_teams == {}
    assert kinds(found).count("team_left") == kinds(found).count("team_joined") == 2


def test_people_go_only_out_of_teams_that_spreadsheets_have_named() -> None:
    here = {ANNA.learner_profile_id: frozenset({SALES, WARDENS})}
    moving = row(2, "anna@example.org", teams=("équipe loi",))
    assert [ref.name for ref in planned(company(ANNA, memberships=here), moving).moves[0].leaves] == []
    known = company(ANNA, memberships=here, file_teams=frozenset({SALES}))
    assert [ref.name for ref in planned(known, moving).moves[0].leaves] == ["Sales"]
    assert planned(known, row(2, "anna@example.org")).unchanged == 1  # no team, so teams do not change


def test_two_teams_of_one_name_are_told_apart_by_the_very_spelling_or_not_at_all() -> None:
    twin = uuid.uuid4()
    known = Known(teams={SALES: "Sales", twin: "SALES"})
    assert planned(known, row(2, "a@b.c", teams=("SALES",))).joins[0].enters[0].team_id == twin
    found = planned(known, row(2, "a@b.c", teams=("sales", "Brand new")))
    assert codes(found) == [(2, WrongCode.SEVERAL_TEAMS)]
    assert found.new_teams == {}


def test_roles_are_replaced_where_the_row_names_some() -> None:
    known = company(ANNA, BEN, roles={each.learner_profile_id: frozenset({"warden"}) for each in (ANNA, BEN)})
    found = planned(
        known, row(2, "anna@example.org", roles=("warden",)), row(3, "ben@example.org", "Ben", roles=("x",))
    )
    assert (found.unchanged, found.counts["changes"]) == (1, 1)
    assert facts_of(found, NOW).lines[0].line.role_ids == ("x",)  # type: ignore[attr-defined]


def test_the_second_row_of_an_address_a_number_or_a_person_is_wrong_and_names_the_first() -> None:
    known = company(person("Anna", work_email="work@example.org", employee_number="7"))
    found = planned(
        known,
        row(2, "anna@example.org"),
        row(3, "ANNA@example.org"),
        row(4, "work@example.org"),
        row(5, "x@example.org", number="8"),
        row(6, "y@example.org", number="0008"),
    )
    assert codes(found) == [(3, WrongCode.ADDRESS_TWICE), (4, WrongCode.PERSON_TWICE), (6, WrongCode.NUMBER_TWICE)]
    assert "row 2 already" in found.wrong[0].reason


def test_a_missing_name_is_wrong_and_of_files_without_names_only_for_somebody_new() -> None:
    wrong = row(2, "anna@example.org", "", code=WrongCode.NAME_MISSING, reason="The name is missing.")
    assert codes(planned(company(ANNA), wrong)) == [(2, WrongCode.NAME_MISSING)]
    found = planned(company(ANNA), row(2, "anna@example.org", None), row(3, "new@example.org", None))
    assert (found.unchanged, codes(found)) == (1, [(3, WrongCode.NAME_MISSING)])


def test_who_is_in_no_row_leaves_only_if_asked_and_nobody_because_of_a_wrong_row() -> None:
    cleo, dan = person("Cleo", employee_number="9"), person("Dan")
    staff = person("Practice", staff_practice=True)
    former = person("Former", person_id=None)
    known = company(ANNA, BEN, cleo, dan, staff, former, person("Eve"))
    rows = (
        row(2, "anna@example.org"),
        row(3, "ben@example.org", "", code=WrongCode.NAME_MISSING),
        row(4, "cleo@", "C", number="9", code=WrongCode.ADDRESS),
        row(5, "", "dan", code=WrongCode.NOBODY),
        row(6, "", "Stranger", code=WrongCode.NOBODY),
    )
    assert planned(known, *rows).leaves == []
    found = planned(known, *rows, leavers=True)
    assert [each.person_name for each in found.leaves] == ["Eve"]
    assert found.unfound == 1
    assert found.employed == 5


def test_many_leave_only_if_they_are_not_most_of_the_company() -> None:
    people = [person(f"P{number}") for number in range(22)]
    known = company(*people)
    assert planned(known, *(row(n, f"p{n}@example.org") for n in range(11)), leavers=True).ends_most is False
    assert planned(known, *(row(n, f"p{n}@example.org") for n in range(10)), leavers=True).ends_most is True
    assert planned(company(ANNA, BEN), row(2, "x@y.z"), leavers=True).ends_most is False


def test_a_row_that_says_that_somebody_left_ends_the_stay_only_if_asked() -> None:
    gone = row(2, "anna@example.org", last_day=date(2026, 11, 22))
    found = planned(company(ANNA), gone)
    assert (found.counts["leaves"], found.unchanged, found.gone) == (0, 1, 1)
    assert "1 row of the file says that the person has left" in found.notes(leavers=False)[0]
    found = planned(company(ANNA), gone, leavers=True)
    assert (found.counts["leaves"], found.unchanged) == (1, 0)
    assert planned(company(ANNA), row(2, "anna@example.org", last_day=TODAY), leavers=True).unchanged == 1
    assert planned(company(), row(2, "x@example.org", gone=True), leavers=True).counts["joins"] == 0


def test_nobody_leaves_by_a_row_that_another_row_contradicts() -> None:
    anna, ben = person("Anna", work_email="work@example.org"), person("Ben", employee_number="7")
    former = row(2, "anna@example.org", last_day=date(2020, 1, 31))
    rows = (former, row(3, "work@example.org"), row(4, "ben@", number="7", code=WrongCode.ADDRESS))
    found = planned(company(anna, ben), *rows, row(5, "ben@example.org", gone=True), leavers=True)
    assert codes(found) == [(3, WrongCode.PERSON_TWICE), (4, WrongCode.ADDRESS)]
    assert (found.leaves, found.gone, found.unchanged) == ([], 0, 2)
    found = planned(company(anna), former, row(3, "anna@example.org", gone=True), leavers=True)
    assert (codes(found), found.leaves) == ([(3, WrongCode.ADDRESS_TWICE)], [anna])


def test_who_starts_later_joins_by_a_later_import() -> None:
    found = planned(company(), row(2, "x@example.org", first_day=date(2026, 11, 24)))
    assert (found.counts["joins"], found.unchanged, found.starting_later) == (0, 1, 1)
    assert planned(company(), row(2, "x@example.org", first_day=TODAY)).counts["joins"] == 1


def test_an_account_with_which_staff_practise_is_no_employee() -> None:
    found = planned(company(person("Anna", staff_practice=True)), row(2, "anna@example.org"))
    assert codes(found) == [(2, WrongCode.STAFF_PRACTICE)]


def test_the_fingerprint_tells_plans_apart_and_knows_the_same_one_again() -> None:
    rows = (row(2, "anna@example.org", "Annie"), row(3, "new@example.org"))
    first = planned(company(ANNA), *rows).fingerprint
    assert planned(company(ANNA), *rows).fingerprint == first
    assert planned(company(person("Anna", person_name="Annie")), *rows).fingerprint != first
    assert planned(company(ANNA, BEN), *rows, leavers=True).fingerprint != first
