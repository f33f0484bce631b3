"""What an import of a spreadsheet stores: stays, teams, roles, numbers; and how erasures and invitations change it."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from compliance.facts.lines.kinds import TeamJoined
from compliance.facts.people import roster
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.models import Invitation, Profile, TeamMembership
from compliance.facts.people.queries import roles_of, team_names
from compliance.facts.recording import Channel, Teller, act
from compliance.history.actions import capture_all
from compliance.provisioning.models import EmployeeNumber, FileTeam
from compliance.provisioning.spreadsheets import columns as matching
from compliance.provisioning.spreadsheets import company as loaded
from compliance.provisioning.spreadsheets.errors import CompanyChangedError, SpreadsheetError
from compliance.provisioning.spreadsheets.importing import Outcome, import_people, preview
from compliance.provisioning.spreadsheets.reading import read
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_present_company

pytestmark = pytest.mark.django_db
TELLER = Teller(Channel.COMMAND, "import_people")
HEAD = "E-Mail;Personalnummer;Name;Team;Roles\n"


@pytest.fixture
def company() -> Company:
    return make_present_company()


def take_in(company: Company, lines: str, **more: Any) -> Outcome:
    table = read((HEAD + lines).encode())
    columns = matching.recognise(table.headings, table.first)
    usual: dict[str, Any] = {"clock": lambda: datetime.now(UTC), "teller": TELLER}
    return import_people(organization_id=company.organization_id, table=table, columns=columns, **usual | more)


def people(company: Company) -> dict[str | None, roster.RosterPerson]:
    with context.company(company.organization_id):
        return {each.person_name: each for each in roster.people(company.organization_id, datetime.now(UTC))}


def teams(company: Company, name: str) -> set[str]:
    with context.company(company.organization_id):
        names = team_names(company.organization_id)
        here = roster.memberships(company.organization_id, datetime.now(UTC))
    return {names[team_id] for team_id in here.get(people(company)[name].learner_profile_id, ())}


def test_people_join_with_teams_roles_and_numbers_and_move_by_the_next_file(company: Company) -> None:
    wardens = company.team("Wardens")
    outcome = take_in(company, "ada@b.c;7;Ada;Sales;driver\nben@b.c;8;Ben;Sales;\n")
    assert outcome.recorded == 5
    ada = people(company)["Ada"]
    assert (ada.account_email, ada.work_email) == ("ada@b.c", "ada@b.c")
    with context.company(company.organization_id):
        assert roles_of(company.organization_id, ada.learner_profile_id, datetime.now(UTC)) == {"driver"}
        numbers = EmployeeNumber.objects.filter(learner_profile_id=ada.learner_profile_id)
        assert [each.employee_number for each in numbers] == ["7"]
        assert FileTeam.objects.filter(organization_id=company.organization_id).count() == 1
    act(
        TeamJoined,
        organization_id=company.organization_id,
        at=datetime.now(UTC),
        team_id=wardens,
        learner_profile_id=ada.learner_profile_id,
    )
    outcome = take_in(company, "ada.new@b.c;7;Ada;Law;driver\nben@b.c;8;Ben;SALES;\n")
    assert outcome.plan.counts == {"joins": 0, "changes": 1, "moves": 1, "leaves": 0, "unchanged": 1}
    assert teams(company, "Ada") == {"Wardens", "Law"}
    assert people(company)["Ada"].work_email == "ada.new@b.c"
    assert take_in(company, "ada.new@b.c;7;Ada;Law;driver\nben@b.c;8;Ben;SALES;\n", leavers=True).recorded == 0


def test_who_left_comes_back_as_the_same_person_by_a_new_stay(company: Company) -> None:
    take_in(company, "ada@b.c;7;Ada;Sales;\nben@b.c;8;Ben;Sales;\n")
    before = people(company)["Ada"]
    assert take_in(company, "ben@b.c;8;Ben;Sales;\n", leavers=True).plan.counts["leaves"] == 1
    assert people(company)["Ada"].person_id is None
    assert take_in(company, "ada@b.c;7;Ada;Sales;\nben@b.c;8;Ben;Sales;\n", leavers=True).plan.counts["joins"] == 1
    after = people(company)["Ada"]
    assert after.learner_profile_id == before.learner_profile_id
    assert after.person_id not in (None, before.person_id)
    assert teams(company, "Ada") == {"Sales"}


def test_an_open_invitation_is_accepted_by_the_file(company: Company) -> None:
    team = company.team("Invited")
    invitation = verbs.invite_person(
        organization_id=company.organization_id, at=company.start, now=company.now, work_email="Ada@b.c",
        person_name="Ada B", team_ids=(team,),
    )  # fmt: skip
    assert take_in(company, "ada@b.c;7;Ada;;\n").plan.counts["joins"] == 1
    assert teams(company, "Ada") == {"Invited"}
    with context.company(company.organization_id):
        (stored,) = Invitation.objects.filter(organization_id=company.organization_id)
        assert stored.invitation_id == invitation
        assert roster.open_invitations(company.organization_id, datetime.now(UTC)) == []


def test_erasure_clears_the_number_and_who_was_erased_is_somebody_new(company: Company) -> None:
    take_in(company, "ada@b.c;7;Ada;Sales;\n")
    ada = people(company)["Ada"].learner_profile_id
    erase_person(organization_id=company.organization_id, learner_profile_id=ada, at=datetime.now(UTC))
    with context.company(company.organization_id):
        (number,) = EmployeeNumber.objects.filter(organization_id=company.organization_id)
        assert number.employee_number is None
    assert take_in(company, "ada@b.c;7;Ada;Sales;\n").plan.counts["joins"] == 1
    assert people(company)["Ada"].learner_profile_id != ada


def test_the_number_of_somebody_erased_meanwhile_is_not_kept(company: Company) -> None:
    take_in(company, "ada@b.c;;Ada;Sales;\n")
    ada = people(company)["Ada"].learner_profile_id
    erase_person(organization_id=company.organization_id, learner_profile_id=ada, at=datetime.now(UTC))
    with context.company(company.organization_id):
        loaded.keep_numbers(company.organization_id, [(ada, "7"), (uuid.uuid4(), "8")])
        assert not EmployeeNumber.objects.filter(organization_id=company.organization_id).exists()


def test_what_the_rules_refuse_is_a_wrong_row_and_the_others_are_recorded(company: Company) -> None:
    ada = company.join("Ada", at=company.start, account_email="ada@b.c")
    company.leave(ada, at=company.now - timedelta(minutes=1))
    # A fact dated three minutes ahead already brings her back: a stay from now on would overlap it.
    company.join("Ada", at=datetime.now(UTC) + timedelta(minutes=3), account_email="ada@b.c",
                 learner_profile_id=ada.learner_profile_id)  # fmt: skip
    outcome = take_in(company, "ada@b.c;7;Ada;New team;\nben@b.c;8;Ben;Sales;\n")
    assert outcome.plan.counts["joins"] == 1
    (wrong,) = outcome.plan.wrong
    assert (wrong.line, wrong.code) == (2, "rule")
    assert wrong.reason == "The person is an employee at that moment already."
    with context.company(company.organization_id):
        assert set(team_names(company.organization_id).values()) == {"Sales"}
        assert not EmployeeNumber.objects.filter(employee_number="7").exists()


def test_what_was_confirmed_and_is_not_so_any_more_is_not_recorded(company: Company) -> None:
    table = read((HEAD + "ada@b.c;7;Ada;Sales;\n").encode())
    columns = matching.recognise(table.headings, table.first)
    with context.company(company.organization_id):
        seen = preview(company.organization_id, table, columns, now=datetime.now(UTC), leavers=False)
    company.join("Ada", account_email="ADA@b.c")
    with pytest.raises(CompanyChangedError):
        take_in(company, "ada@b.c;7;Ada;Sales;\n", confirmed=seen.fingerprint)
    assert len(people(company)) == 1


def test_what_changes_while_refused_rows_are_planned_again_is_not_recorded_unseen(company: Company) -> None:
    ada = company.join("Ada", at=company.start, account_email="ada@b.c")
    company.leave(ada, at=company.now - timedelta(minutes=1))
    company.join("Ada", at=datetime.now(UTC) + timedelta(minutes=3), account_email="ada@b.c",
                 learner_profile_id=ada.learner_profile_id)  # fmt: skip
    lines = "ada@b.c;7;Ada;Sales;\nben@b.c;8;Ben;Sales;\n"
    table = read((HEAD + lines).encode())
    with context.company(company.organization_id):
        columns = matching.recognise(table.headings, table.first)
        seen = preview(company.organization_id, table, columns, now=datetime.now(UTC), leavers=True)
    assert seen.leaves == []
    turns: list[datetime] = []

    def clock() -> datetime:
        turns.append(datetime.now(UTC))
        if len(turns) == 2:  # the first turn ended because the rules refused Ada's row
            company.join("Cleo", at=company.now, account_email="cleo@b.c")
        return datetime.now(UTC)

    with pytest.raises(CompanyChangedError):
        take_in(company, lines, leavers=True, confirmed=seen.fingerprint, clock=clock)
    assert len(turns) == 2


def test_a_file_that_is_cut_off_while_it_is_recorded_has_recorded_nothing(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: object) -> None:
        raise SpreadsheetError("cut off")

    monkeypatch.setattr(loaded, "keep_teams", fall)
    with pytest.raises(SpreadsheetError):
        take_in(company, "ada@b.c;7;Ada;Sales;\n")
    with context.company(company.organization_id):
        for model in (Profile, TeamMembership, EmployeeNumber):
            assert not model._default_manager.filter(organization_id=company.organization_id).exists()


def test_the_number_of_statements_does_not_grow_with_the_rows(
    company: Company, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    def rows(prefix: str, count: int) -> str:
        return "".join(f"{prefix}{n}@b.c;{prefix}{n};P {n};Team {n % 3};\n" for n in range(count))

    take_in(company, rows("a", 1))
    capture_all(company.organization_id, datetime.now(UTC))
    with django_assert_max_num_queries(100) as few:
        take_in(company, rows("b", 3))
    with django_assert_max_num_queries(len(few.captured_queries)):
        take_in(company, rows("c", 300))
