"""Excusing a person during an absence: which deadlines the preview lists, what is refused, and how it is undone."""

import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.facts.ledger.models import Fact
from compliance.facts.people.models import Absence
from compliance.history.actions import capture_all
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.wording import written_day
from compliance.tenancy import context
from tests.companies import Company, make_company, noon
from tests.interfaces.console.test_acting import confirm, do, facts, preview

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    made = make_company()
    return Company(made.organization_id, start=noon(90), now=timezone.now())


def _in(days):
    """A day of the company, from today on."""
    return (timezone.now() + timedelta(days=days)).date()


def _owing(company):
    """Anna owes Fire safety, due in ten days."""
    anna, course = company.join("Anna Berg"), company.course("Fire safety")
    company.share(course, due_at=noon(-10))
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    return anna


def _away(anna, first=5, last=30, **more):
    return {
        "learner_profile_id": str(anna.learner_profile_id), "first_day": _in(first).isoformat(),
        "last_day": _in(last).isoformat(), "absence_reason": "leave",
    } | more  # fmt: skip


def _text(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


def test_the_preview_names_each_deadline_that_moves_and_leaves_no_trace(staff, company):
    anna = _owing(company)
    before = facts(company)
    page, _ = preview(staff(COMPLIANCE_MANAGER), company, "record-absence", **_away(anna))
    said = _text(page)
    assert f"From {written_day(_in(5))} To {written_day(_in(30))} Why they are away Leave" in said
    assert re.search(rf"Fire safety\s+due by {written_day(_in(35))} instead of {written_day(_in(10))}, 12:00", said)
    assert facts(company) == before


def test_where_nothing_falls_due_the_preview_says_that_no_deadline_moves(staff, company):
    anna = _owing(company)
    page, _ = preview(staff(COMPLIANCE_MANAGER), company, "record-absence", **_away(anna, 20, 30))
    assert "no deadline moves" in page


def test_days_that_are_over_are_pointed_out(staff, company):
    anna = _owing(company)
    page, _ = preview(staff(COMPLIANCE_MANAGER), company, "record-absence", **_away(anna, -20, -10))
    assert "These days are over." in page


def test_an_absence_is_recorded_shown_on_the_person_s_page_and_taken_back_from_there(staff, company):
    anna, client = _owing(company), staff(COMPLIANCE_MANAGER)
    leads = do(client, company, "record-absence", **_away(anna))
    page = client.get(leads.url, follow=True).content.decode()
    assert f"The person is excused: {written_day(_in(5))} to {written_day(_in(30))}." in page
    back = re.search(r'href="([^"]*/act/void-absence/[^"]*)">Take this absence back<', page)
    assert back
    form = client.get(back[1].replace("&amp;", "&")).content.decode()
    assert f"{written_day(_in(5))} to {written_day(_in(30))}" in form
    with context.company(company.organization_id):
        absence = Absence.objects.get(organization_id=company.organization_id)
        capture_all(company.organization_id, timezone.now())
    picked = [str(anna.learner_profile_id), ""]  # with the empty text box, as a browser sends a picker
    given = {"learner_profile_id": picked, "absence_id": str(absence.absence_id)}
    said, sent = preview(client, company, "void-absence", **given)
    assert re.search(rf"due by {written_day(_in(10))}, 12:00 instead of {written_day(_in(35))}", _text(said))
    assert confirm(client, company, "void-absence", sent).status_code == 302
    with context.company(company.organization_id):
        assert Absence.objects.get(organization_id=company.organization_id).voided_at is not None
        actor_ids = set(Fact.objects.filter(kind__startswith="absence").values_list("actor_id", flat=True))
    assert None not in actor_ids
    assert "Take this absence back" not in client.get(leads.url).content.decode()


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [(10, 9, "The last day comes before the first."), (0, 1096, "Is the year right?")],
)
def test_days_that_are_no_absence_are_refused_beside_their_field(staff, company, first, last, words):
    anna = _owing(company)
    page = staff(COMPLIANCE_MANAGER).post(
        f"/console/companies/{company.organization_id}/act/record-absence/",
        {"step": "preview"} | _away(anna, first, last),
    )
    assert words in page.content.decode()
    assert Absence.objects.count() == 0


def test_another_company_s_person_or_absence_answers_like_one_that_does_not_exist(staff, company):
    anna, client = _owing(company), staff(COMPLIANCE_MANAGER)
    do(client, company, "record-absence", **_away(anna))
    with context.company(company.organization_id):
        absence_id = Absence.objects.get(organization_id=company.organization_id).absence_id
    client = staff(COMPLIANCE_MANAGER)
    other = Company(make_company().organization_id, start=noon(90), now=timezone.now())
    eve = other.join("Eve")

    def refused(act, **values):
        address = f"/console/companies/{other.organization_id}/act/{act}/"
        page = client.post(address, {"step": "preview"} | values)
        assert 'name="job"' not in page.content.decode()
        return _text(page.content.decode())

    strange = refused("record-absence", **_away(anna))
    nobody = refused("record-absence", **_away(anna, learner_profile_id=str(uuid.uuid4())))
    assert "is not here" in strange
    assert strange.partition("Act ›")[2] == nobody.partition("Act ›")[2]
    about = {"learner_profile_id": str(eve.learner_profile_id)}
    refused("void-absence", absence_id=str(absence_id), **about)
    refused("void-absence", absence_id=str(uuid.uuid4()), **about)


@pytest.mark.parametrize("group", [AUDITOR, OPERATOR])
def test_whoever_changes_no_records_sees_an_absence_and_cannot_touch_it(staff, company, group):
    anna = _owing(company)
    do(staff(COMPLIANCE_MANAGER), company, "record-absence", **_away(anna))
    client = staff(group)
    there = f"/console/companies/{company.organization_id}"
    page = client.get(f"{there}/people/{anna.learner_profile_id}/").content.decode()
    assert "Away" in page
    assert "Take this absence back" not in page
    assert client.get(f"{there}/act/record-absence/").status_code == 403
