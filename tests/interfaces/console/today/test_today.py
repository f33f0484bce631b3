"""The first page: its numbers are those of the linked lists, and its acts depend on permissions."""

import re
import uuid
from datetime import timedelta
from html import unescape

import pytest
from django.urls import reverse
from django.utils import timezone

from compliance.facts.courses.models import Course
from compliance.facts.people.models import Profile
from compliance.history.actions import capture_all
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.understand.refreshing import refresh
from compliance.tenancy import context
from tests.companies import make_present_company, noon
from tests.interfaces.console.test_acting import do
from tests.verbs import invite_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def behind():
    """Three people in two teams: one did the first course, two are late with it, and all have another due this week."""
    company = make_present_company("Behind")
    sales, office = company.team("Sales"), company.team("Office")
    people = [company.join(name, team_ids=(team,)) for name, team in zip("ABC", (sales, sales, office), strict=True)]
    late, coming = company.course("Fire safety"), company.course("Hygiene")
    company.share(late, days=10)
    company.share(coming, due_at=timezone.now() + timedelta(days=3))
    company.complete(people[0], late, noon(95))
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    refresh(company.organization_id, timezone.now())
    return company


def _page(client, company):
    return client.get(_address(company)).content.decode()


def _address(company):
    return reverse("console:today", kwargs={"organization_id": company.organization_id})


def _lines(page, part):
    """The lines of a part: how many, of what, and the address of the list."""
    (section,) = re.findall(rf'aria-labelledby="part-{part}".*?</section>', page, re.S)
    found = re.findall(r'<b>([\d,]+)</b><span class="what"><a href="([^"]+)">([^<]+)', section)
    return {what: (int(number.replace(",", "")), unescape(where)) for number, where, what in found}


def test_each_number_is_that_of_the_list_that_it_leads_to(staff, behind):
    client = staff(COMPLIANCE_MANAGER)
    page = _page(client, behind)
    assert {what: number for what, (number, _) in _lines(page, "owed").items()} == {"Fire safety": 2}
    assert {what: number for what, (number, _) in _lines(page, "teams").items()} == {"Sales": 1, "Office": 1}
    assert {what: number for what, (number, _) in _lines(page, "week").items()} == {"Hygiene": 3}
    for part in ("owed", "teams", "week"):
        for number, where in _lines(page, part).values():
            assert len(re.findall(r'<td class="line-title">', client.get(where).content.decode())) == number


def test_the_number_of_people_is_that_of_the_list_that_it_leads_to(staff, behind):
    gone = behind.join("Gone")
    behind.leave(gone, behind.now - timedelta(days=1))
    invite_person(organization_id=behind.organization_id, at=behind.start, work_email="invited@example.org")
    capture_all(behind.organization_id, timezone.now())
    refresh(behind.organization_id, timezone.now())
    client = staff(OPERATOR)
    (where,) = re.findall(r'class="tile" href="([^"]+)"><b>3</b><span>People<', _page(client, behind))
    assert "3 people." in client.get(where).content.decode()


def test_signatures_due_this_week_are_listed_apart_from_those_without_a_day_and_from_training(staff, behind):
    client = staff(COMPLIANCE_MANAGER)
    form = {"act": "sign", "statement": "I will.", "doors": ["employee"], "renew_months": "0"}
    do(client, behind, "publish-policy", html="<h1>Travel</h1><p>Walk.</p>", change_kind="ask_again", **form)
    with context.company(behind.organization_id):
        course_id = str(Course.objects.get(kind="policy").course_id)
        somebody = str(Profile.objects.get(person_name="A").learner_profile_id)
    shared = {"course_id": course_id, "doors": ["employee"]}
    do(client, behind, "share-policy", audience="everyone", basis="none", **shared)
    day = f"{timezone.now() + timedelta(days=3):%Y-%m-%d}"
    due = {"basis": "share_deadline", "due_on": day}
    do(client, behind, "share-policy", audience="people", people=somebody, **due, **shared)
    with context.company(behind.organization_id):
        capture_all(behind.organization_id, timezone.now())
    refresh(behind.organization_id, timezone.now())
    page = _page(client, behind)
    assert {what: number for what, (number, _) in _lines(page, "week").items()} == {"Hygiene": 3, "Travel": 1}
    tiles = re.findall(r'class="tile[^"]*" href="([^"]+)"><b>([\d,]+)</b><span>([^<]+ due within[^<]+)<', page)
    assert {what: number for _, number, what in tiles} == {
        "Training due within 7 days": "3", "Signatures due within 7 days": "1",
    }  # fmt: skip
    for where, number in [(unescape(where), int(number)) for where, number, _ in tiles] + [
        (where, number) for number, where in _lines(page, "week").values()
    ]:
        assert len(re.findall(r'<td class="line-title">', client.get(where).content.decode())) == number


def test_everybody_overdue_in_a_team_is_reminded_from_its_line(staff, behind):
    client = staff(COMPLIANCE_MANAGER)
    page = _page(client, behind).partition(">Sales<")[2].partition("</form>")[0]
    (address,) = re.findall(r'action="([^"]+)"', page)
    preview = client.post(address, dict(re.findall(r'name="(step|everything)" value="([^"]+)"', page)))
    assert preview.status_code == 200
    text = preview.content.decode()
    assert ">B<" in text, "the one of Sales who is late is named"
    assert ">C<" not in text


def test_whoever_may_remind_does_it_from_the_line_and_an_auditor_only_looks(staff, behind):
    assert "act/remind-course/?course_id=" in _page(staff(COMPLIANCE_MANAGER), behind)
    page = _page(staff(AUDITOR, [behind.organization_id]), behind)
    assert "/act/" not in page.partition('class="tiles"')[2]
    assert _lines(page, "owed")["Fire safety"][0] == 2
    assert "What changed since the last audit" in page.partition('class="tiles"')[0]


def test_what_another_prepared_waits_for_whoever_may_confirm_it(staff, behind, settings):
    settings.FOUR_EYES = True
    with context.company(behind.organization_id):
        Job.objects.create(
            organization_id=behind.organization_id, act="erase", user_id=1, username="anna", asked_at=timezone.now(),
            state=Job.State.PREPARED,
        )  # fmt: skip
    words = "Prepared by somebody else, for a second person"
    assert _lines(_page(staff(COMPLIANCE_MANAGER), behind), "waits")[words][0] == 1
    assert words not in _page(staff(OPERATOR), behind), "an operator may not erase"


def test_a_company_where_nothing_is_to_do_says_so(staff, empty_company):
    page = _page(staff(COMPLIANCE_MANAGER), empty_company)
    assert "Nothing is overdue." in page
    assert "Nothing waits for you." in page
    assert "counted for the first time" in page


def test_whoever_sees_one_company_is_led_to_its_page_of_today(staff, behind, empty_company):
    assert staff(COMPLIANCE_MANAGER, [behind.organization_id]).get("/console/").url == _address(behind)
    both = [behind.organization_id, empty_company.organization_id]
    assert staff(COMPLIANCE_MANAGER, both).get("/console/").url == "/console/companies/"
    assert staff(COMPLIANCE_MANAGER, [uuid.uuid4()]).get("/console/").url == "/console/companies/"
