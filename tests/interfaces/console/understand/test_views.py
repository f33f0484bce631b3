"""Dashboards agree with the registers, at a constant cost, and exports hold no formula."""

import io
import json
import re
import uuid
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from compliance.facts.lines.kinds import Certificate
from compliance.history.actions import capture_all
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.tables import xlsx
from compliance.interfaces.console.understand import charts, queries, refreshing, tasks, views
from compliance.interfaces.console.understand.filters import AGE_TITLES, SHOWS, Filters
from compliance.interfaces.console.understand.models import Mark
from compliance.registers import pages, training
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Position
from compliance.rules.company_days import end_of_day
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization
from tests.companies import ADMINISTRATOR, make_company, noon
from tests.interfaces.console.small_company import FORMULA, JOINED, NOW, SmallCompany, small_company
from tests.verbs import end_share, void_completion

pytestmark = pytest.mark.django_db


@pytest.fixture
def small() -> SmallCompany:
    made = small_company()
    refreshing.refresh(made.organization_id, NOW)
    return made


def register(small: SmallCompany, listing: pages.Listing) -> list[dict[str, Any]]:
    """All rows of a register, as at NOW."""
    about = subject(small.organization_id, JOINED.date(), NOW.date(), now=NOW)
    question = about.question(by_period=True)._replace(moment=NOW)
    with context.company(small.organization_id):
        page = pages.page(listing, question, Position(), 200, 200)
    return json.loads(b"[" + page.content + b"]")


def tallies(small: SmallCompany, course: uuid.UUID | None = None) -> queries.Tallies:
    with context.company(small.organization_id):
        return queries.tallies(small.organization_id, course)


def listed(small: SmallCompany, show: str, **more: Any) -> list[queries.Work]:
    asked = Filters(show, more.get("course"), more.get("team"), more.get("age", ""))
    with context.company(small.organization_id):
        lines, last = queries.work(small.organization_id, asked.wanted(NOW), None, 100)
        assert last is None
        assert queries.count(small.organization_id, asked.wanted(NOW)) == len(lines)
    return lines


def check_against_registers(small: SmallCompany) -> None:
    counted = tallies(small)
    records = register(small, training.RECORDS)
    assert counted["outcome"] == Counter(row["outcome"] for row in records)
    signatures = register(small, LISTINGS["policy-records"])
    assert counted["signature"] == Counter(row["state"] for row in signatures)
    held = Counter(row["status"] for row in register(small, LISTINGS["certificates"]))
    assert counted["certificate"].get("expired", 0) == held["expired"]
    assert sum(counted["certificate"].get(each, 0) for each in ("30", "60", "90", "later")) == held["valid"]
    here = [row for row in register(small, LISTINGS["people"]) if row["access_state"] in ("active", "suspended")]
    assert sum(counted["access"].values()) == len(here)
    required = [row for row in records if row["requirement"] == "required" and row["outcome"] != "waived"]
    assert sum(counted["required"].values()) == len(required)
    assert sum(counted["done"].values()) == sum(row["completed_at"] is not None for row in required)
    overdue = {row["record_id"]: row["days_late"] for row in records if row["outcome"] == "overdue"}
    assert {str(line.record_id): -line.days(NOW) for line in listed(small, "overdue")} == overdue
    assert sum(counted["age"].values()) == len(overdue)
    unsigned = {row["record_id"] for row in signatures if row["state"] != "signed"}
    assert {str(line.record_id) for line in listed(small, "unsigned")} == unsigned


def test_charts_and_lists_say_what_the_registers_say(small):
    check_against_registers(small)
    counted = tallies(small)
    assert counted["outcome"]["overdue"] > 0
    assert counted["certificate"]["60"] == 1
    assert counted["signature"]["signed"] > 0


def test_each_part_of_a_chart_leads_to_exactly_its_rows(small, staff):
    """The number in a chart is how many rows the register lists at the address of its link."""
    counted = tallies(small)["outcome"]
    records = LISTINGS["training-records"]
    for outcome, show in views._SHOW_OF.items():
        listed_there = register(small, records.filtered(show))
        assert len(listed_there) == counted.get(outcome, 0), outcome
        assert {row["outcome"] for row in listed_there} <= {outcome.value}
    page = staff(COMPLIANCE_MANAGER).get(reverse("console:dashboard", args=[small.organization_id])).content.decode()
    for outcome, show in views._SHOW_OF.items():
        if counted.get(outcome):
            assert f"training-records/?show={show}" in page


def test_completion_over_time_is_what_the_register_says_at_the_end_of_each_week(small):
    """People who left, were waived or repeated a course count in the weeks when that was so, late facts included."""
    story, people_of = small.company, small.people
    story.leave(people_of["Eve"], NOW - timedelta(days=90))
    ivo = story.join("Ivo", at=NOW - timedelta(days=200), team_ids=(small.drivers,))
    optional = story.course("Knots", at=NOW - timedelta(days=150))
    story.share(optional, at=NOW - timedelta(days=150), requirement="optional")
    again = story.course("Lifting", at=NOW - timedelta(days=330))
    share = story.share(again, at=NOW - timedelta(days=330))
    receipt = story.complete(people_of["Ada"], again, NOW - timedelta(days=300))
    story.complete(people_of["Dan"], again, NOW - timedelta(days=100))
    story.complete(ivo, again, NOW - timedelta(days=10))
    story.publish(again, 2, NOW - timedelta(days=60), retake=True)
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW)
    void_completion(
        organization_id=small.organization_id, at=NOW - timedelta(days=200), now=NOW,
        completion_receipt_id=receipt, actor_id=ADMINISTRATOR,
    )  # fmt: skip
    end_share(organization_id=small.organization_id, at=NOW - timedelta(days=20), now=NOW, share_id=share)
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW)

    zone = ZoneInfo(organization(small.organization_id).time_zone)
    for course in (None, again.course_id):
        counted = tallies(small, course)
        weeks = queries.weeks(NOW, zone, refreshing.WEEKS)
        required, done = (
            {date.fromisoformat(week): number for week, number in counted[kind].items()}
            for kind in ("required", "done")
        )
        drawn = charts.completion(required, done, weeks).weeks
        about = subject(small.organization_id, JOINED.date(), NOW.date(), now=NOW)
        seen = set()
        for point in drawn:
            moment = min(end_of_day(zone.key, point.last_day), NOW)
            question = about.question()._replace(moment=moment, course=course)
            with context.company(small.organization_id):
                found = {
                    word: pages.count(LISTINGS["training-records"].filtered(word), question)
                    for word in ("required", "required-done")
                }
            assert (point.required, point.done) == tuple(found.values()), point.week
            seen.add((point.required, point.done))
        assert len(seen) > 5


def test_what_was_last_counted_of_a_register_is_what_it_holds(small, staff, monkeypatch):
    about = subject(small.organization_id, JOINED.date(), NOW.date(), now=NOW)
    question = about.question()._replace(moment=NOW)
    with context.company(small.organization_id):
        for register, word in queries.COUNTED:
            found = queries.counted(small.organization_id, register, word, None)
            assert found == (pages.count(LISTINGS[register].filtered(word), question), NOW), (register, word)
        of_fire = queries.counted(small.organization_id, "training-records", "overdue", small.fire)
    assert of_fire == (3, NOW)
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    client = staff(OPERATOR)
    page = client.get(address(small, "training-records") + "?show=overdue").content.decode()
    assert "<b>3</b> rows when last counted" in page
    assert "Too many rows" in client.get(address(small, "training-records") + "?known=2").content.decode()
    assert "row" in client.get(address(small, "course-versions")).content.decode()


def test_an_unknown_filter_shows_everything_and_no_task_holds_it(small, staff, monkeypatch):
    sent = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args, **_: sent.append(args))
    monkeypatch.setattr("compliance.interfaces.console.see.registers.LARGE", 0)
    where = address(small, "training-records")
    staff(OPERATOR).get(where, {"show": "Anna Berg", "as_at": "2026-01-01"})
    assert [args[2] for args in sent] == [""]


def test_lists_are_narrowed_by_course_team_and_age(small):
    everything = listed(small, "overdue")
    team = listed(small, "overdue", team=small.drivers)
    assert [line.person_name for line in team] == [FORMULA]
    assert len(listed(small, "overdue", course=small.fire)) == len(everything) == 3
    assert len(listed(small, "overdue", age="91")) == 3
    assert listed(small, "overdue", age="8") == []
    assert {line.course for line in listed(small, "due-7")} == {"Hygiene"}
    assert listed(small, "expiring-30") == []
    expiring = listed(small, "expiring-60")
    assert [line.renewed for line in expiring] == [False]
    assert tallies(small, small.fire)["outcome"] == {
        "completed_late": 1, "completed_on_time": 1, "overdue": 3, "waived": 1,
    }  # fmt: skip


def test_what_has_changed_is_brought_up_to_the_history(small):
    goods = next(line for line in listed(small, "open") if line.course == "Dangerous goods")
    assert refreshing.refresh(small.organization_id, NOW) == 0
    small.company.leave(small.people["Eve"], NOW - timedelta(hours=1))
    new = small.company.join("Ivo", at=NOW - timedelta(hours=2), team_ids=(small.drivers,))
    capture_all(small.organization_id, NOW)
    with context.company(small.organization_id):
        assert queries.state(small.organization_id).behind
    assert refreshing.refresh(small.organization_id, NOW) > 0
    check_against_registers(small)
    assert {line.learner_profile_id for line in listed(small, "open", team=small.drivers)} >= {new.learner_profile_id}
    assert goods.record_number


def test_what_is_captured_after_a_refresh_has_read_the_clock_is_in_the_summary(small):
    new = small.company.join("Ivo", at=NOW, team_ids=(small.drivers,))
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW - timedelta(seconds=2))
    check_against_registers(small)
    assert {line.learner_profile_id for line in listed(small, "open", team=small.drivers)} >= {new.learner_profile_id}


def test_a_certificate_that_has_a_newer_one_is_marked_in_the_lists(small):
    earned = Certificate(title="Knots", kind=CertificateKind.COMPLETION, valid_months=12, renew_days_before=90)
    knots = small.company.course("Knots", certificate=earned)
    small.company.share(knots)
    for name, days in (("Ada", 330), ("Ben", 330), ("Ada", 1)):
        small.company.complete(small.people[name], knots, NOW - timedelta(days=days))
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW)
    marked = {line.person_name: line.renewed for line in listed(small, "expiring-60", course=knots.course_id)}
    assert marked == {FORMULA: True, "Ben": False}


def test_deadlines_that_pass_without_a_capture_are_counted(small):
    late = NOW + timedelta(days=6)
    assert refreshing.refresh(small.organization_id, late) == 0
    assert tallies(small)["outcome"]["overdue"] == 3 + len(listed(small, "due-7"))


def test_only_companies_that_have_grown_or_aged_are_handed_out(small, monkeypatch):
    handed: list[str] = []
    monkeypatch.setattr(tasks.refresh, "apply_async", lambda given, **options: handed.append(given[0]))
    Mark.objects.filter(organization_id=small.organization_id).update(as_at=refreshing.END_OF_TIME)
    tasks.refresh_all()
    assert str(small.organization_id) not in handed
    small.company.join("Ivo", at=NOW)
    capture_all(small.organization_id, NOW)
    tasks.refresh_all()
    assert str(small.organization_id) in handed


def address(small: SmallCompany, name: str, **values: Any) -> str:
    return reverse(f"console:{name}", kwargs={"organization_id": small.organization_id} | values)


def test_pages_take_the_same_number_of_statements_for_more_people(small, staff):
    client = staff(COMPLIANCE_MANAGER)
    names = ("dashboard", "work", "matrix")

    def statements() -> list[int]:
        taken = []
        for name in names:
            with CaptureQueriesContext(connection) as asked:
                assert client.get(address(small, name)).status_code == 200
            taken.append(len(asked))
        return taken

    statements()
    before = statements()
    for number in range(5):
        small.company.join(f"More {number}", at=JOINED, team_ids=(small.drivers,))
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW)
    assert statements() == before


def test_pages_say_how_old_they_are_and_show_the_numbers(small, staff):
    client = staff(OPERATOR)
    text = client.get(address(small, "dashboard")).content.decode()
    assert "As at" in text
    assert '<b class="alarm">3</b><span>of these overdue</span>' in text
    assert "style=" not in text
    assert "/export/" not in text  # operators may not export
    matrix = client.get(address(small, "matrix")).content.decode()
    assert "=HYPERLINK(&quot;https://example.org" in matrix
    for show in SHOWS:
        assert client.get(address(small, "work") + f"?show={show}&team={small.drivers}").status_code == 200
    for wrong in ("show=nothing", "team=7", "age=5", "after=AAAA"):
        assert client.get(address(small, "work") + f"?{wrong}").status_code == 422


def test_a_week_leads_to_the_register_where_the_company_has_a_history(staff):
    begun = noon(20)
    new = replace(make_company("New", history_from=begun.date(), at=begun), start=begun, now=timezone.now())
    new.share(new.course(), days=5)
    new.join()
    capture_all(new.organization_id, new.now)
    refreshing.refresh(new.organization_id, new.now)
    client = staff(OPERATOR)
    page = client.get(reverse("console:dashboard", args=[new.organization_id])).content.decode()
    weeks = page.partition('<table class="weeks">')[2].partition("</table>")[0]
    links = re.findall(r'<a href="([^"]+)">(\d+)</a>', weeks)
    assert 4 <= len(links) <= 8
    for link, number in links:
        assert f"<b>{number}</b> row" in client.get(link.replace("&amp;", "&")).content.decode(), link


def test_a_filter_states_a_number_only_where_its_list_has_as_many_rows(small, staff):
    client = staff(OPERATOR)
    ada = small.people["Ada"].learner_profile_id
    seen = 0
    for narrowed in ("", f"&course={small.fire}", f"&team={small.drivers}", f"&person={ada}"):
        page = client.get(f"{address(small, 'work')}?show=overdue{narrowed}").content.decode()
        for name, values in (("show", SHOWS), ("age", AGE_TITLES)):
            options = page.partition(f'<select id="{name}"')[2].partition("</select>")[0]
            for value, number in re.findall(r'<option value="([^"]+)"[^>]*>[^<]*\((\d+)\)<', options):
                assert value in values
                more = "" if name == "show" else "&show=overdue"
                found = client.get(f"{address(small, 'work')}?{name}={value}{more}{narrowed}").content.decode()
                assert f"<b>{number}</b> row" in found, (narrowed, value)
                seen += 1
    assert seen > 20


def test_whoever_has_no_name_is_called_the_same_on_a_page_and_in_its_file(small, staff):
    small.company.join("Nemo", person_name=None)
    capture_all(small.organization_id, NOW)
    refreshing.refresh(small.organization_id, NOW)
    client = staff(COMPLIANCE_MANAGER)
    assert "No name" in client.get(address(small, "work")).content.decode()
    taken = client.get(address(small, "export", what="work", written_as="csv"))
    assert "No name," in b"".join(taken.streaming_content).decode()


def test_a_company_that_was_never_counted_says_so(staff, empty_company):
    where = reverse("console:dashboard", kwargs={"organization_id": empty_company.organization_id})
    assert "Nothing has been counted" in staff(OPERATOR).get(where).content.decode()


@pytest.mark.parametrize("what", ["dashboard", "work", "matrix", "training-records", "people", "policies"])
def test_what_one_sees_is_taken_away_as_csv_and_xlsx_without_formulas(what, small, staff):
    client = staff(COMPLIANCE_MANAGER)
    taken = client.get(address(small, "export", what=what, written_as="csv") + "?show=overdue")
    text = b"".join(taken.streaming_content).decode("utf-8-sig")
    assert taken.status_code == 200
    assert len(text.splitlines()) > 1
    assert ",=" not in text.replace('"', "")
    assert "\n=" not in text.replace('"', "")
    if what in ("work", "matrix"):
        assert "'=HYPERLINK" in text
    taken = client.get(address(small, "export", what=what, written_as="xlsx") + "?show=overdue")
    book = zipfile.ZipFile(io.BytesIO(b"".join(taken.streaming_content)))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet.lower().replace("=hyperlink", "")


def test_a_file_is_named_for_the_day_of_the_company(small, staff):
    now = timezone.now()
    zone = "Pacific/Kiritimati" if now.hour >= 12 else "Etc/GMT+12"  # where it is another day than in UTC
    Organization.objects.filter(organization_id=small.organization_id).update(time_zone=zone)
    taken = staff(COMPLIANCE_MANAGER).get(address(small, "export", what="dashboard", written_as="csv"))
    day = now.astimezone(ZoneInfo(zone)).date()
    assert day != now.date()
    assert f'filename="dashboard-{day}.csv"' in taken["Content-Disposition"]


def test_a_workbook_leaves_row_by_row_and_goes_on_on_another_sheet(monkeypatch):
    """The first piece is sent before the last row is read, however many rows there are."""
    monkeypatch.setattr(xlsx, "ROWS_A_SHEET", 600)
    read = []

    def rows():
        for number in range(1501):
            read.append(number)
            yield [FORMULA if number else "<&\x01>", number, None, True]

    pieces = xlsx.stream('Work "list"', ["who & what", "number", "nothing", "so"], rows())
    first = next(pieces)
    assert len(read) <= 600
    book = zipfile.ZipFile(io.BytesIO(first + b"".join(pieces)))
    assert book.testzip() is None
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    sheets = [ElementTree.fromstring(book.read(f"xl/worksheets/sheet{each}.xml")) for each in (1, 2, 3)]
    assert [len(sheet.findall(f".//{space}row")) for sheet in sheets] == [601, 601, 302]
    assert [each.text for each in sheets[0].iter(f"{space}t")][:6] == [
        "who & what", "number", "nothing", "so", "<&>", "true",
    ]  # fmt: skip
    assert not list(sheets[0].iter(f"{space}f"))
    names = [each.get("name") for each in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{space}sheet")]
    assert names == ['Work "list"', 'Work "list" 2', 'Work "list" 3']
    again = b"".join(xlsx.stream('Work "list"', ["who & what", "number", "nothing", "so"], rows()))
    assert zipfile.ZipFile(io.BytesIO(again)).read("xl/worksheets/sheet3.xml") == book.read("xl/worksheets/sheet3.xml")


def test_nothing_else_can_be_taken_away(small, staff):
    client = staff(COMPLIANCE_MANAGER)
    for what, written_as in (("secrets", "csv"), ("work", "pdf")):
        assert client.get(address(small, "export", what=what, written_as=written_as)).status_code == 404
    assert staff(OPERATOR).get(address(small, "export", what="work", written_as="csv")).status_code == 403
