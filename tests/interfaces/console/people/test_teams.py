"""The list of teams, and a team's page: its people, what they owe, and its links."""

import uuid

import pytest
from django.utils import timezone

from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.see.test_pages import address

pytestmark = pytest.mark.django_db


def test_the_list_names_each_team_with_its_people_and_what_is_late(staff):
    full = full_company(6)
    refreshing.refresh(full.company.organization_id, timezone.now())
    page = staff(AUDITOR).get(address(full, "teams")).content.decode()
    assert ">Sales</a>" in page
    assert 'data-name="People" class="number">6<' in page
    assert 'data-name="Training overdue" class="number"><span class="alarm">4<' in page
    assert 'data-name="Signatures overdue" class="number"><span class="soft">0<' in page


def test_a_team_is_found_by_a_part_of_its_name_without_accents_and_no_address_holds_the_words(staff):
    company = make_present_company()
    for name in ("Équipe de nuit", "Office 100%"):
        company.team(name)
    client = staff(OPERATOR)
    where = f"/console/companies/{company.organization_id}/teams/"
    page = client.post(where, {"q": "equipe NUIT"}).content.decode()
    assert "Équipe de nuit" in page
    assert "Office" not in page
    assert "Office 100%" in client.post(where, {"q": "0%"}).content.decode()
    assert "No team here" in client.post(where, {"q": "nobody"}).content.decode()


def test_teams_follow_each_other_page_by_page(staff):
    company = make_present_company()
    names = {f"Team {number:03d}" for number in range(60)}
    for name in names:
        company.team(name)
    client = staff(OPERATOR)
    where, query, seen = f"/console/companies/{company.organization_id}/teams/", "", []
    while query is not None:
        page = client.get(f"{where}?{query}").content.decode()
        seen += [name for name in sorted(names) if f">{name}</a>" in page]
        query = page.partition('href="?')[2].partition('"')[0].replace("&amp;", "&") or None
    assert seen == sorted(names)


def test_a_team_s_page_shows_its_people_their_state_and_leads_to_what_is_late(staff):
    full = full_company(3)
    refreshing.refresh(full.company.organization_id, timezone.now())
    page = staff(COMPLIANCE_MANAGER).get(address(full, "team")).content.decode()
    assert page.index("Person 000") < page.index("Person 001") < page.index("Person 002")
    assert page.count("1 overdue") == 2
    assert f"show=overdue&amp;team={full.samples['team_id']}" in page
    assert "came into the team" in page


def test_who_left_the_company_is_in_no_team_and_who_was_erased_has_no_name(staff):
    company = make_present_company()
    team = company.team("Sales")
    anna, ben, _cleo = (company.join(name, team_ids=(team,)) for name in ("Anna", "Ben", "Cleo"))
    company.leave(anna, company.now)
    with context.company(company.organization_id):
        erase_person(organization_id=company.organization_id, learner_profile_id=ben.learner_profile_id, at=company.now)
    page = staff(OPERATOR).get(f"/console/companies/{company.organization_id}/teams/{team}/").content.decode()
    people = page.partition("What happened")[0]
    assert "Anna" not in people
    assert "Ben" not in page
    assert "Cleo" in people


def test_a_team_has_as_many_people_as_its_page_lists(staff):
    company = make_present_company()
    team = company.team("Sales")
    company.join("Anna", team_ids=(team,))
    company.join("Practice", team_ids=(team,), staff_practice=True)
    capture_all(company.organization_id, company.now)
    refreshing.refresh(company.organization_id, company.now)
    client, where = staff(OPERATOR), f"/console/companies/{company.organization_id}/teams/"
    page = client.get(f"{where}{team}/").content.decode()
    assert "<b>1</b><span>People</span>" in page
    assert "Practice" not in page.partition("What happened")[0]
    assert 'data-name="People" class="number">1<' in client.get(where).content.decode()


def test_everybody_is_reminded_at_once_only_where_everybody_is_looked_at(staff, monkeypatch):
    full = full_company(4)
    refreshing.refresh(full.company.organization_id, timezone.now())
    client = staff(COMPLIANCE_MANAGER)
    assert "Remind everybody overdue" in client.get(address(full, "team")).content.decode()
    monkeypatch.setattr("compliance.interfaces.console.people.teams.REMINDED_AT_MOST", 3)
    assert "Remind everybody overdue" not in client.get(address(full, "team")).content.decode()


def test_a_team_of_another_company_answers_like_none(staff):
    here, elsewhere = make_present_company("Here"), make_present_company("Elsewhere")
    theirs = elsewhere.team("Theirs")
    client = staff(OPERATOR)
    answers = [
        client.get(f"/console/companies/{here.organization_id}/teams/{each}/") for each in (theirs, uuid.uuid4())
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert b"Theirs" not in answers[0].content
