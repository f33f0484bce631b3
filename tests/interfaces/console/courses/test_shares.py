"""A share's page has its audience, its deadline, how many have done it, or why it reaches nobody."""

import re

import pytest

from compliance.facts.shares.models import Share
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand.refreshing import refresh
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_present_company
from tests.interfaces.console.courses.test_views import Staff, address, row_of, words

pytestmark = pytest.mark.django_db


def _counted(company: Company) -> None:
    with context.company(company.organization_id):
        capture_all(company.organization_id, company.now)
    refresh(company.organization_id, company.now)


@pytest.fixture
def company() -> Company:
    return make_present_company()


def test_a_share_with_a_team_counts_those_who_are_in_it(staff: Staff, company: Company) -> None:
    drivers = company.team("Drivers")
    anna, _ben = (company.join(name, team_ids=(drivers,)) for name in ("Anna", "Ben"))
    cleo = company.join("Cleo")
    course = company.course("Fire safety")
    share_id = company.share(course, days=400, team_ids=(drivers,))
    company.share(course, people=(cleo,))
    company.complete(anna, course, company.start)
    _counted(company)
    client = staff(COMPLIANCE_MANAGER)
    page = client.get(address(company.organization_id, "share", share_id=share_id)).content.decode()
    assert "1 of 2 people who must do it have done it." in words(page)
    assert re.search(r"For Drivers Deadline 400 days after being added", words(page))
    assert ">Ben</a>" in page
    assert ">Cleo</a>" not in page
    listed = client.get(address(company.organization_id, "shares")).content.decode()
    assert "400 days after being added" in row_of(listed, "Drivers")
    assert "1 person" in row_of(listed, "1 person")


def test_a_share_of_a_course_without_a_version_says_so(staff: Staff, company: Company) -> None:
    company.join("Anna")
    course_id = verbs.create_course(
        organization_id=company.organization_id, at=company.start, now=company.now, title="First aid"
    )
    share_id = verbs.share_course(
        organization_id=company.organization_id, at=company.start, now=company.now, course_id=course_id
    )
    _counted(company)
    client = staff(COMPLIANCE_MANAGER)
    page = words(client.get(address(company.organization_id, "share", share_id=share_id)).content.decode())
    assert "“First aid” has no published version: nobody is asked until one is published." in page
    listed = client.get(address(company.organization_id, "shares")).content.decode()
    assert "No version: asks nobody" in row_of(listed, "First aid")
    of_course = words(client.get(address(company.organization_id, "course", course_id=course_id)).content.decode())
    assert "This course has no published version: nobody is asked to do it until one is published." in of_course


def test_an_ended_share_says_when_and_offers_nothing_more(staff: Staff, company: Company) -> None:
    company.join("Anna")
    share_id = company.share(company.course("Fire safety"))
    verbs.end_share(organization_id=company.organization_id, at=company.now, now=company.now, share_id=share_id)
    _counted(company)
    client = staff(COMPLIANCE_MANAGER)
    with context.company(company.organization_id):
        assert Share.objects.get().ended_at is not None
    page = client.get(address(company.organization_id, "share", share_id=share_id)).content.decode()
    assert "This share ended on" in words(page)
    assert "act/end-share" not in page
    assert "Fire safety" not in client.get(address(company.organization_id, "shares")).content.decode()
    ended = client.get(address(company.organization_id, "shares"), {"state": "ended"}).content.decode()
    assert "Fire safety" in ended


def test_a_share_with_a_team_in_which_nobody_is_says_why_it_asks_nobody(staff: Staff, company: Company) -> None:
    share_id = company.share(company.course("Fire safety"), team_ids=(company.team("Drivers"),))
    _counted(company)
    there = address(company.organization_id, "share", share_id=share_id)
    assert "Nobody as employee is in the chosen teams today." in words(
        staff(COMPLIANCE_MANAGER).get(there).content.decode()
    )


def test_a_share_that_nobody_has_counted_yet_says_how_many_it_asks(staff: Staff, company: Company) -> None:
    company.join("Anna")
    company.join("Ben")
    there = address(company.organization_id, "share", share_id=company.share(company.course("Fire safety")))
    assert "It asks 2 people, who are counted within a minute." in words(
        staff(COMPLIANCE_MANAGER).get(there).content.decode()
    )
