"""A person's page: duties and results in words, suitable acts, collapsed proofs, no findings of axe."""

import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.facts.lines.kinds import CourseCreated
from compliance.facts.people.erasing import erase_person
from compliance.facts.recording.recording import record
from compliance.history.actions import capture_all
from compliance.interfaces.console.languages import COOKIE
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.accessibility import axe
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.see.test_pages import address


def page_of(client, company, person):
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    where = f"/console/companies/{company.organization_id}/people/{person.learner_profile_id}/"
    return client.get(where).content.decode()


def offered(page):
    """The acts that the page offers, by name."""
    return set(re.findall(r"/act/([a-z-]+)/", page.partition("<main")[2].partition('<div class="tiles">')[0]))


@pytest.mark.django_db
def test_what_is_late_comes_first_then_what_is_due_then_what_has_no_deadline(staff):
    company = make_present_company()
    anna = company.join("Anna")
    for title, days in (("Later", 200), ("Never", None), ("Late", 10), ("Soon", 120)):
        company.share(company.course(title), days=days)
    page = page_of(staff(OPERATOR), company, anna).partition("<h2>To do</h2>")[2].partition("What happened")[0]
    assert [page.index(f">{title}<") for title in ("Late", "Soon", "Later", "Never")] == sorted(
        page.index(f">{title}<") for title in ("Late", "Soon", "Later", "Never")
    )
    assert "No deadline" in page


@pytest.mark.django_db
def test_a_person_with_more_records_than_one_read_takes_has_all_of_them(staff, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.people.person.ROWS_A_READ", 2)
    company = make_present_company()
    anna = company.join("Anna")
    titles = [f"Course {number}" for number in range(5)]
    for title in titles:
        company.share(company.course(title), days=10)
    page = page_of(staff(OPERATOR), company, anna)
    assert "<b>5</b><span>Overdue</span>" in page
    assert all(f">{title}<" in page.partition("<h2>To do</h2>")[2] for title in titles)


@pytest.mark.django_db
def test_whatever_number_of_courses_a_company_has_each_goes_by_its_title(staff):
    company = make_present_company()
    anna = company.join("Anna")
    record(
        company.organization_id,
        [
            CourseCreated(fact_id=uuid.uuid4(), at=company.start, course_id=uuid.uuid4(), title=f"Course {number}")
            for number in range(500)
        ],
        now=company.now,
    )
    company.share(company.course("Zebra crossings"), days=200)
    page = page_of(staff(OPERATOR), company, anna).partition("<h2>To do</h2>")[2].partition("What happened")[0]
    assert "Zebra crossings" in page
    assert "No title" not in page


@pytest.mark.django_db
def test_whoever_was_erased_is_called_so_in_the_language_of_the_page(staff):
    company = make_present_company()
    anna = company.join("Anna Berg")
    with context.company(company.organization_id):
        erase_person(
            organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id, at=company.now
        )
    client = staff(COMPLIANCE_MANAGER)
    client.cookies[COOKIE] = "de"
    page = page_of(client, company, anna)
    assert "<h1>Gelöschte Person</h1>" in page
    register = client.get(f"/console/companies/{company.organization_id}/registers/people/").content.decode()
    assert "Gelöschte Person" in register
    assert "Erased person" not in page + register


@pytest.mark.django_db
def test_identifiers_stand_under_proof_alone(staff):
    full = full_company(3)
    page = staff(COMPLIANCE_MANAGER).get(address(full, "person")).content.decode()
    shown = re.sub(r"<[^>]*>", " ", page.partition('<main id="content">')[2].partition('<details class="proof"')[0])
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", shown)
    assert str(full.people[0].learner_profile_id) in page.partition('<details class="proof"')[2]


@pytest.mark.django_db
def test_only_acts_that_fit_are_offered_and_an_auditor_is_offered_none(staff):
    company = make_present_company()
    anna, ben = company.join("Anna"), company.join("Ben")
    company.leave(ben, company.now - timedelta(days=1))
    client = staff(COMPLIANCE_MANAGER)
    here, left = offered(page_of(client, company, anna)), offered(page_of(client, company, ben))
    assert {"suspend", "end", "erase", "team", "send-link"} <= here
    assert not {"resume", "rejoin"} & here
    assert "rejoin" in left
    assert not {"suspend", "end", "team", "send-link"} & left
    assert offered(page_of(staff(AUDITOR), company, anna)) == set()


@pytest.mark.django_db
def test_nothing_is_offered_and_no_name_shown_of_whoever_was_erased(staff):
    company = make_present_company()
    anna = company.join("Anna Berg")
    with context.company(company.organization_id):
        erase_person(
            organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id, at=company.now
        )
    page = page_of(staff(COMPLIANCE_MANAGER), company, anna)
    assert "Anna" not in page
    assert offered(page) == set()
    assert "Erased at the company&#x27;s instruction" in page


@pytest.mark.django_db
def test_long_names_emoji_and_names_from_right_to_left_are_shown_whole(staff):
    company = make_present_company()
    for name in ("A" * 200, "🦊 Renard", "עדה לאבלייס"):
        person = company.join(name, account_email="a@example.org")
        assert name in page_of(staff(OPERATOR), company, person)


@pytest.mark.browser
def test_pages_of_people_fit_and_are_without_findings_with_their_menu_open_too(full, desk):
    refreshing.refresh(full.company.organization_id, timezone.now())
    start = f"/console/companies/{full.company.organization_id}"
    pages = (
        f"{start}/people/{full.people[0].learner_profile_id}/", f"{start}/teams/", f"{start}/auditors/",
        f"{start}/teams/{full.samples['team_id']}/", f"{start}/act/move-people/?into={full.samples['team_id']}",
    )  # fmt: skip
    for width, scheme in ((1280, "light"), (320, "dark")):
        page = desk(COMPLIANCE_MANAGER, width, scheme)
        for where in pages:
            page.goto(where)
            page.locator("main details").evaluate_all("found => found.forEach(each => (each.open = true))")
            assert axe.findings(page) == [], where
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), where
