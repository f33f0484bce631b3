"""Staff make teams, rename them, and move people between them; every move can be undone."""

import re
from html import unescape

import pytest
from django.utils import timezone

from compliance.facts.people import team_queries
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import OPERATOR
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.test_acting import do, preview

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    return make_present_company()


def members(company, team_id):
    with context.company(company.organization_id):
        found, _ = team_queries.members_page(company.organization_id, team_id, timezone.now(), None, 50)
    return [each.person_name for each in found]


def team_of(answer):
    return re.search(r"/teams/([0-9a-f-]{36})/", answer.url)[1]


def undo_of(client, answer):
    """The address behind "Undo" on the page that an act led to."""
    found = re.search(r'class="undo" href="([^"]+)"', client.get(answer.url).content.decode())
    return unescape(found[1]) if found else ""


def test_a_team_is_made_with_the_people_who_are_named(staff, company):
    anna = company.join("Anna")
    client = staff(OPERATOR)
    text, _ = preview(client, company, "create-team", name="Night shift", people=str(anna.learner_profile_id))
    assert "Anna" in text
    answer = do(client, company, "create-team", name="Night shift", people=str(anna.learner_profile_id))
    assert members(company, team_of(answer)) == ["Anna"]


def test_two_teams_are_never_called_the_same_whatever_case_and_accents(staff, company):
    company.team("Équipe")
    page = staff(OPERATOR).post(
        f"/console/companies/{company.organization_id}/act/create-team/", {"step": "preview", "name": "equipe"}
    )
    assert "There is a team called “Équipe” already." in page.content.decode()


def test_a_team_is_renamed_and_named_back(staff, company):
    team = company.team("Sales")
    client = staff(OPERATOR)
    answer = do(client, company, "rename-team", team_id=str(team), name="Sales & Service")
    page = client.get(answer.url).content.decode()
    assert "<h1>Sales &amp; Service</h1>" in page
    back = undo_of(client, do(client, company, "rename-team", team_id=str(team), name="Third name"))
    assert 'value="Sales &amp; Service"' in client.get(back).content.decode()


def test_people_move_from_one_team_to_another_and_back(staff, company):
    day, night = company.team("Day"), company.team("Night")
    anna, ben = (company.join(name, team_ids=(day,)) for name in ("Anna", "Ben"))
    client = staff(OPERATOR)
    people = f"{anna.learner_profile_id} {ben.learner_profile_id}"
    answer = do(client, company, "move-people", people=people, out_of=str(day), into=str(night))
    assert (members(company, day), members(company, night)) == ([], ["Anna", "Ben"])
    form = client.get(undo_of(client, answer)).content.decode()
    assert "Anna" in form
    do(client, company, "move-people", people=people, out_of=str(night), into=str(day))
    assert (members(company, day), members(company, night)) == (["Anna", "Ben"], [])


def test_who_is_there_already_stays_and_is_said_so(staff, company):
    day = company.team("Day")
    anna, ben = company.join("Anna", team_ids=(day,)), company.join("Ben")
    client = staff(OPERATOR)
    people = f"{anna.learner_profile_id} {ben.learner_profile_id}"
    text, _ = preview(client, company, "move-people", people=people, into=str(day))
    assert "1 person is there already, and stays so." in text
    do(client, company, "move-people", people=people, into=str(day))
    assert members(company, day) == ["Anna", "Ben"]
    nobody = client.post(
        f"/console/companies/{company.organization_id}/act/move-people/",
        {"step": "preview", "people": people, "into": str(day)},
    )
    assert "Nobody of them would move" in nobody.content.decode()


def test_teams_and_people_of_another_company_are_unknown(staff, company):
    elsewhere = make_present_company("Elsewhere")
    theirs, stranger = elsewhere.team("Theirs"), elsewhere.join("Stranger")
    team, anna = company.team("Ours"), company.join("Anna")
    client = staff(OPERATOR)
    where = f"/console/companies/{company.organization_id}/act/move-people/"
    for people, into in ((anna, theirs), (stranger, team)):
        page = client.post(where, {"step": "preview", "people": str(people.learner_profile_id), "into": str(into)})
        assert "Theirs" not in page.content.decode()
        assert "Stranger" not in page.content.decode()
        assert 'name="job"' not in page.content.decode()


def test_people_ticked_on_a_team_s_page_are_moved_together(staff, company):
    team = company.team("Day")
    anna, ben = (company.join(name, team_ids=(team,)) for name in ("Anna", "Ben"))
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    client = staff(OPERATOR)
    page = client.get(f"/console/companies/{company.organization_id}/teams/{team}/").content.decode()
    ticked = re.findall(r'name="record_ids" value="([0-9a-f-]{36})"', page)
    assert set(ticked) == {str(anna.person_id), str(ben.person_id)}
    where = f"/console/companies/{company.organization_id}/act/move-people/"
    form = client.post(where, {"step": "chosen", "record_ids": ticked}).content.decode()
    assert "Anna" in form
    assert "Ben" in form
    assert str(anna.learner_profile_id) in form
