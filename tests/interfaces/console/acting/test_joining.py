"""Staff add a person without an invitation, and take back somebody who has left, with their earlier records."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.facts.people.models import Employment, Profile
from compliance.facts.people.queries import teams_of
from compliance.interfaces.console.permissions import OPERATOR
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.acting.test_teams import undo_of
from tests.interfaces.console.test_acting import do, preview

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    return make_present_company()


def stays(company, learner):
    with context.company(company.organization_id):
        return list(Employment.objects.filter(learner_profile_id=learner).order_by("joined_at"))


def person_of(answer):
    return re.search(r"/people/([0-9a-f-]{36})/", answer.url)[1]


def test_a_person_is_added_with_teams_since_a_day_in_the_past(staff, company):
    team = company.team("Sales")
    client = staff(OPERATOR)
    day = timezone.now().date() - timedelta(days=3)
    told = {"person_name": "Zoë Łuć", "account_email": "zoe@example.org", "joined_on": day.isoformat()}
    text, _ = preview(client, company, "add-person", teams=str(team), **told)
    assert "Zoë Łuć" in text
    assert "Sales" in text
    answer = do(client, company, "add-person", teams=str(team), **told)
    learner = person_of(answer)
    (stay,) = stays(company, learner)
    assert stay.joined_at.astimezone().date() <= day
    with context.company(company.organization_id):
        assert [name for _, name in teams_of(company.organization_id, learner, timezone.now())] == ["Sales"]
    assert "/act/end/" in undo_of(client, answer)


def test_an_address_that_somebody_here_has_is_refused(staff, company):
    company.join("Anna")
    page = staff(OPERATOR).post(
        f"/console/companies/{company.organization_id}/act/add-person/",
        {"step": "preview", "person_name": "Another Anna", "account_email": "ANNA@example.org"},
    )
    assert "Somebody with this address is here already" in page.content.decode()


def test_who_comes_back_by_their_address_is_the_same_person(staff, company):
    anna = company.join("Anna")
    company.leave(anna, company.now - timedelta(days=1))
    client = staff(OPERATOR)
    told = {"person_name": "Anna", "account_email": "anna@example.org"}
    assert "was here before" in preview(client, company, "add-person", **told)[0]
    answer = do(client, company, "add-person", **told)
    assert person_of(answer) == str(anna.learner_profile_id)
    assert len(stays(company, anna.learner_profile_id)) == 2
    with context.company(company.organization_id):
        assert Profile.objects.count() == 1


def test_the_end_of_an_employment_is_undone_by_taking_the_person_back(staff, company):
    anna = company.join("Anna")
    client = staff(OPERATOR)
    answer = do(client, company, "end", learner_profile_id=str(anna.learner_profile_id))
    assert "/act/rejoin/" in undo_of(client, answer)
    do(client, company, "rejoin", learner_profile_id=str(anna.learner_profile_id))
    assert [stay.left_at is None for stay in stays(company, anna.learner_profile_id)] == [False, True]
    again = client.post(
        f"/console/companies/{company.organization_id}/act/rejoin/",
        {"step": "preview", "learner_profile_id": str(anna.learner_profile_id)},
    )
    assert "is an employee of the company already" in again.content.decode()


@pytest.mark.parametrize("days, words", [(2, "Choose a day that has begun"), (-9000, "begin later than this day")])
def test_a_day_to_come_or_before_the_records_is_refused(staff, company, days, words):
    day = timezone.now().date() + timedelta(days=days)
    page = staff(OPERATOR).post(
        f"/console/companies/{company.organization_id}/act/add-person/",
        {"step": "preview", "person_name": "Zoe", "account_email": "zoe@example.org", "joined_on": day.isoformat()},
    )
    assert words in page.content.decode()
