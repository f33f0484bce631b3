"""The pages of reports: by days or by named period, narrowed, paged, as PDF, and without data of another company."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from compliance.facts.courses.models import Course as PolicyOrCourse
from compliance.facts.courses.models import Release
from compliance.history.actions import capture_all
from compliance.interfaces.console.languages import COOKIE
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.reports import keeping, paper, tasks
from compliance.interfaces.console.reports.models import Report
from compliance.interfaces.console.reports.queries import Sums
from compliance.tenancy import context
from tests.companies import Company, Course, make_present_company, noon
from tests.interfaces.console.small_company import NOW, small_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company() -> Company:
    """Two teams and two courses: one team has done a course, and some of the other team are late."""
    made = make_present_company("Present Ltd")
    early, late = made.team("Early birds"), made.team("Owls")
    fire, data = made.course("Fire safety"), made.course("Data protection")
    people = [made.join(f"Person {n}", team_ids=(early if n % 2 else late,)) for n in range(6)]
    made.share(fire, due_at=noon(40))
    made.share(data, at=noon(20), days=60)
    for n in (1, 3, 5):
        made.complete(people[n], fire, noon(50))
    made.complete(people[0], fire, noon(10))
    capture_all(made.organization_id, made.now)
    return made


def address(company: Company, name: str, **values: Any) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": company.organization_id} | values)


def asked(client: Any, company: Company, **posted: str) -> str:
    """The address of the report that was asked for."""
    answer = client.post(address(company, "reports-make"), posted)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.url)


def day(days_ago: int) -> str:
    return noon(days_ago).date().isoformat()


def text(page: str) -> str:
    """The text of a page, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize("group", [OPERATOR, COMPLIANCE_MANAGER, AUDITOR])
def test_everybody_who_sees_the_company_has_a_report_of_a_period_by_course_and_team(group, company, staff):
    client = staff(group)
    page = client.get(asked(client, company, **{"from": day(30), "to": day(0)})).content.decode()
    words = text(page)
    assert "Fire safety 3 / 6 4 / 6 66 % 2 1 1 late" in words
    assert "Data protection – 0 / 6 0 % 0 0" in words
    assert "Early birds 3 / 3 3 / 6" in words
    assert "Owls 0 / 3 1 / 6 16 % 2 1 1 late" in words
    assert ("pdf/" in page) is (group != OPERATOR)


def test_numbers_lead_to_registers_that_say_the_same(company, staff):
    client = staff(COMPLIANCE_MANAGER)
    report = asked(client, company, **{"from": day(30), "to": day(1)})
    page = client.get(report).content.decode()
    team = re.search(r'<option value="([0-9a-f-]{36})">Owls', page)[1]
    page += client.get(report, {"team": team}).content.decode()
    links = re.findall(r'<a href="([^"]*training-records/[^"]*)">([\d,]+)</a>', page)
    assert len(links) >= 8
    for link, number in links:
        assert f"<b>{number}</b>" in client.get(link.replace("&amp;", "&")).content.decode(), link


def test_what_was_done_leads_to_as_many_records(staff):
    """Of a course, a policy and a team; what was done without being required is in neither."""
    small = small_company()
    knots = small.company.course("Knots")
    small.company.share(knots, requirement="optional")
    for name in ("Ada", "Ben"):
        small.company.complete(small.people[name], knots, NOW - timedelta(days=10))
    with context.company(small.organization_id):
        fire = Course(small.fire, Release.objects.get(course_id=small.fire).course_release_id)
        policy = str(PolicyOrCourse.objects.get(kind="policy").course_id)
    small.company.complete(small.people["Ada"], fire, NOW - timedelta(days=10))
    capture_all(small.organization_id, NOW)
    client = staff(COMPLIANCE_MANAGER)
    report = asked(client, small.company, **{"from": "2026-05-01", "to": "2026-05-31"})
    for query, expected in (
        ({}, [(1, 1), (1, 1), (2, None)]),
        ({"course": policy}, [(1, 1)]),
        ({"team": str(small.drivers)}, [(1, 1), (1, 1)]),
    ):
        page = client.get(report, query).content.decode()
        found = []
        for link, number in re.findall(r'data-name="Done in the period"[^>]*><span><a href="([^"]*)">(\d+)</a>', page):
            behind = client.get(link.replace("&amp;", "&")).content.decode()
            listed = len(re.findall(r'data-name="Story"', behind)) if "/changes/" in link else None
            found.append((int(number), listed))
        assert found == expected, query


def test_a_report_is_narrowed_to_a_team_or_a_course(company, staff):
    client = staff(COMPLIANCE_MANAGER)
    report = asked(client, company, **{"from": day(30), "to": day(0)})
    page = client.get(report).content.decode()
    team = re.search(r'<option value="([0-9a-f-]{36})">Owls', page)[1]
    of_team = text(client.get(report, {"team": team}).content.decode())
    assert "Fire safety 0 / 3 1 / 3" in of_team
    assert "By team" not in of_team
    assert "Nothing was required" in text(client.get(report, {"course": str(uuid.uuid4())}).content.decode())
    assert client.get(report, {"team": "owls"}).status_code == 422


def test_changes_say_what_is_new_ended_changed_and_lead_to_each_story(company, staff):
    client = staff(AUDITOR)
    changes = asked(client, company, **{"from": day(30), "to": day(0), "compare": "1"})
    assert changes.endswith("/changes/")
    page = client.get(changes).content.decode()
    assert "Training records 6 0 1 1 0" in text(page)
    done = client.get(changes, {"register": "training-records", "show": "done"}).content.decode()
    assert len(re.findall(r"/records/training-records/[0-9a-f-]{36}/", done)) == 1 == done.count("Person 0")
    for wrong in ({"register": "receipts"}, {"show": "everything"}, {"course": "1"}):
        assert client.get(changes, wrong).status_code == 422


def test_changes_are_paged_and_cost_the_same_for_more_of_them(company, staff, monkeypatch):
    client = staff(COMPLIANCE_MANAGER)
    changes = asked(client, company, **{"from": day(30), "to": day(0), "compare": "1"})
    client.get(changes)
    with CaptureQueriesContext(connection) as few:
        client.get(changes, {"show": "changed"})
    monkeypatch.setattr("compliance.interfaces.console.keyset.PAGE", 4)
    with CaptureQueriesContext(connection) as many:
        first = client.get(changes, {"show": "new"})
    assert len(many) == len(few)
    following = re.search(r'href="\?([^"]*after=[^"]*)"', first.content.decode())[1].replace("&amp;", "&")
    second = client.get(f"{changes}?{following}").content.decode()
    records = [
        re.findall(r"/records/training-records/([0-9a-f-]{36})/", each) for each in (first.content.decode(), second)
    ]
    assert [len(each) for each in records] == [4, 2]
    assert not set(records[0]) & set(records[1])


def test_a_large_company_s_report_is_made_by_the_worker_once(company, staff, monkeypatch):
    monkeypatch.setattr(keeping, "AT_ONCE", 0)
    client = staff(COMPLIANCE_MANAGER)
    posted = {"from": day(30), "to": day(1)}
    report = asked(client, company, **posted)
    waiting = client.get(report)
    assert waiting.headers["Refresh"].startswith("2;url=")
    assert asked(client, company, **posted) == report
    with context.company(company.organization_id):
        job = Job.objects.get(organization_id=company.organization_id, act=keeping.ACT)
    tasks.make_report(str(company.organization_id), str(job.job_id))
    tasks.make_report(str(company.organization_id), str(job.job_id))
    assert "Fire safety 3 / 6 4 / 6" in text(client.get(report).content.decode())
    for days in (2, 3):
        asked(client, company, **posted | {"to": day(days)})
    refused = client.post(address(company, "reports-make"), posted | {"to": day(4)})
    assert refused.status_code == 422
    assert "Two reports" in refused.content.decode()


def test_a_job_says_how_it_ended_in_the_language_of_the_page_on_which_it_was_begun(company, staff, monkeypatch):
    monkeypatch.setattr(keeping, "AT_ONCE", 0)
    client = staff(COMPLIANCE_MANAGER)
    client.cookies[COOKIE] = "de"
    asked(client, company, **{"from": day(30), "to": day(1)})
    with context.company(company.organization_id):
        job = Job.objects.get(organization_id=company.organization_id, act=keeping.ACT)
        tasks.make_report(str(company.organization_id), str(job.job_id))
        job.refresh_from_db()
    assert (job.state, job.message) == (Job.State.DONE, f"{job.done} Nachweise.")


def test_the_pdf_of_a_report_that_is_not_ready_leads_to_its_page(company, staff, monkeypatch):
    monkeypatch.setattr(keeping, "AT_ONCE", 0)
    client = staff(AUDITOR)
    report = asked(client, company, **{"from": day(30), "to": day(1)})
    answer = client.get(f"{report}pdf/", {"team": "none"})
    assert (answer.status_code, answer.url) == (302, f"{report}?team=none")
    assert client.get(answer.url).headers["Refresh"].startswith("2;url=")


def test_days_that_cannot_be_are_refused_in_words(company, staff):
    client = staff(COMPLIANCE_MANAGER)
    later = (noon(0) + timedelta(days=3)).date().isoformat()
    for first, last in (("", ""), ("yesterday", day(1)), (day(1), day(9)), (day(9), later), ("0001-01-01", day(1))):
        answer = client.post(address(company, "reports-make"), {"from": first, "to": last})
        assert answer.status_code == 422, (first, last)
    page = client.get(asked(client, company, period="twelve-months")).content.decode()
    assert "Fire safety" in page
    assert "Reports that were made" in client.get(address(company, "reports")).content.decode()


def test_a_report_of_another_company_is_not_there(company, staff):
    elsewhere = make_present_company("Elsewhere")
    elsewhere.join("Zoe")
    capture_all(elsewhere.organization_id, elsewhere.now)
    client = staff(COMPLIANCE_MANAGER)
    asked(client, company, **{"from": day(30), "to": day(1)})
    with context.company(company.organization_id):
        report_id = Report.objects.get(organization_id=company.organization_id).report_id
    for name in ("report", "report-changes", "report-pdf"):
        assert client.get(address(elsewhere, name, report_id=report_id)).status_code == 404
        assert client.get(address(company, name, report_id=uuid.uuid4())).status_code == 404


def test_a_report_is_taken_as_pdf(company, staff):
    client = staff(AUDITOR)
    report = asked(client, company, **{"from": day(30), "to": day(1)})
    answer = client.get(f"{report}pdf/")
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF")


def test_numbers_on_paper_are_written_as_in_the_reader_s_language():
    sums = Sums(required_before=1000, done_before=0, required=12345, done=1234, overdue=1111, done_between=2222)
    with translation.override("de"):
        assert paper._cells("Brandschutz", sums) == [
            "Brandschutz",
            "0 / 1.000",
            "1.234 / 12.345",
            "9 %",
            "1.111",
            "2.222",
        ]
    assert "1,234 / 12,345" in paper._cells("Fire safety", sums)
