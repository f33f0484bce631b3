"""Lists are narrowed and sorted, and exports hold what the page lists."""

import csv
import io
import re
from datetime import date
from typing import Any

import pytest
from django.utils import translation
from python_calamine import CalamineWorkbook

from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.interfaces.console.languages import COOKIE
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import context
from tests.companies import noon
from tests.interfaces.console.companies import Full, full_company

pytestmark = pytest.mark.django_db


def of(full: Full, page: str = "registers/training-records/") -> str:
    return f"/console/companies/{full.company.organization_id}/{page}"


def people(text: str) -> list[str]:
    """The names in the rows of a list, from top to bottom."""
    return re.findall(r'<td[^>]*class="line-title[^"]*"[^>]*><a[^>]*>([^<]+)</a>', text)


def test_a_list_is_narrowed_to_a_team_a_course_or_policy_and_a_person(staff):
    full = full_company(4)
    drivers = full.company.team("Drivers")
    joined = full.company.join("Ann Driver", team_ids=(drivers,))
    capture_all(full.company.organization_id, full.company.now)
    refreshing.refresh(full.company.organization_id, full.company.now)
    client = staff(COMPLIANCE_MANAGER)
    for page in (
        "registers/training-records/",
        "registers/policy-records/",
        "registers/people/",
        "work-list/?show=open",
    ):
        address = of(full, page) + ("&" if "?" in page else "?")
        assert people(client.get(f"{address}team={drivers}").content.decode()) == ["Ann Driver"], page
        found = people(client.get(f"{address}person={joined.learner_profile_id}").content.decode())
        assert found == ["Ann Driver"], page
    course = full.course.course_id
    assert len(people(client.get(of(full), {"course": course}).content.decode())) == 5
    assert people(client.get(of(full, "registers/policy-records/"), {"course": course}).content.decode()) == []


def test_a_person_is_found_by_name_and_no_address_holds_it(staff):
    full = full_company(3)
    client = staff(COMPLIANCE_MANAGER)
    answer = client.post(of(full), {"person_words": "person 001", "show": "overdue"})
    who = full.people[1].learner_profile_id
    assert (answer.status_code, answer.url) == (302, f"{of(full)}?show=overdue&person={who}")
    assert people(client.get(answer.url).content.decode()) == ["Person 001"]
    several = client.post(of(full), {"person_words": "person"}).content.decode()
    assert "Whom do you mean?" in several
    assert f"?person={who}" in several
    nobody = client.post(of(full), {"person_words": "Nobody At All"}).content.decode()
    assert "Nobody in this company" in nobody
    cleared = client.post(of(full), {"person_words": "", "person": str(who), "show": ""})
    assert cleared.url == of(full)


def test_a_person_of_another_company_is_like_one_who_does_not_exist(staff):
    full, other = full_company(2), full_company(2, "Other")
    client = staff(COMPLIANCE_MANAGER)
    for who in (other.people[0].learner_profile_id, "00000000-0000-0000-0000-000000000001"):
        for page in ("registers/training-records/", "work-list/"):
            assert client.get(of(full, page), {"person": str(who)}).status_code == 404


def test_columns_sort_both_ways_over_all_pages(staff, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.see.registers.ROWS", 3)
    monkeypatch.setattr("compliance.interfaces.console.see.registers.SORTED_MILLISECONDS", 60_000)
    full = full_company(8)
    client = staff(COMPLIANCE_MANAGER)
    names = [f"Person {number:03d}" for number in range(8)]
    for sort, wanted in (("person_name", names), ("-person_name", names[::-1])):
        seen: list[str] = []
        query = f"sort={sort}"
        while query:
            text = client.get(f"{of(full)}?{query}").content.decode()
            assert "<b>8</b> rows" in text
            seen += people(text)
            following = re.search(r'href="\?([^"]+)" rel="next"', text)
            query = following[1].replace("&amp;", "&") if following else ""
        assert seen == wanted
    for sort in ("due_at", "-completed_at", "course_id"):
        assert len(people(client.get(of(full), {"sort": sort}).content.decode())) == 3
    done_first = client.get(of(full), {"sort": "completed_at"}).content.decode().split("<tbody>")[1]
    assert re.findall(r'class="badge [a-z]+">([^<]+)<', done_first)[:3] == ["Done on time", "Done on time", "Overdue"]
    assert client.get(of(full), {"sort": "html"}).status_code == 422


def test_the_work_list_sorts_by_person_and_course(staff, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.understand.work.SORTED_MILLISECONDS", 60_000)
    full = full_company(5)
    refreshing.refresh(full.company.organization_id, full.company.now)
    client = staff(COMPLIANCE_MANAGER)
    found = people(client.get(of(full, "work-list/"), {"sort": "-person"}).content.decode())
    assert found == [f"Person {number:03d}" for number in (4, 3, 2, 1)]
    assert client.get(of(full, "work-list/"), {"sort": "course"}).status_code == 200
    assert client.get(of(full, "work-list/"), {"sort": "colour"}).status_code == 422


def test_what_one_sees_is_taken_away_with_its_words_columns_and_order(staff):
    full = full_company(4)
    refreshing.refresh(full.company.organization_id, full.company.now)
    client = staff(COMPLIANCE_MANAGER)
    query = {"show": "overdue", "sort": "-person_name"}
    page = client.get(of(full), query).content.decode()
    text = b"".join(client.get(of(full, "export/training-records/csv/"), query).streaming_content).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["Person", "Course", "State", "Asked for", "Due by", "Done", "Reminders"]
    assert [row[0] for row in rows[1:]] == people(page) == ["Person 003", "Person 002", "Person 001"]
    assert {row[2] for row in rows[1:]} == {"Overdue"}
    assert all(date.fromisoformat(row[4]) for row in rows[1:])
    content = b"".join(client.get(of(full, "export/training-records/xlsx/"), query).streaming_content)
    table = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    assert table[1][0] == "Person 003"
    assert table[1][4] == date.fromisoformat(rows[1][4])


def test_a_file_is_in_the_language_of_its_page_to_the_last_row(staff):
    full = full_company(4)
    company = full.company
    with context.company(company.organization_id):
        erase_person(
            organization_id=company.organization_id, learner_profile_id=full.people[1].learner_profile_id,
            at=company.now,
        )  # fmt: skip
        capture_all(company.organization_id, company.now)
    client = staff(COMPLIANCE_MANAGER)
    client.cookies[COOKIE] = "de"
    for written_as in ("csv", "xlsx"):
        answer = client.get(of(full, f"export/people/{written_as}/"))
        with translation.override("fr"):
            content = b"".join(answer.streaming_content)
            assert translation.get_language() == "fr"
        rows: list[Any]
        if written_as == "csv":
            rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
        else:
            rows = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
        assert "Gelöschte Person" in {row[0] for row in rows}
        assert {"Aktiv", "Gelöscht", "Eingeladen"} <= {cell for row in rows for cell in row}


def test_chosen_rows_alone_are_taken_away(staff):
    full = full_company(4)
    refreshing.refresh(full.company.organization_id, full.company.now)
    client = staff(COMPLIANCE_MANAGER)
    for page, what in (("registers/training-records/", "training-records"), ("work-list/", "work")):
        text = client.get(of(full, page)).content.decode()
        boxes = re.findall(r'name="record_ids" value="([^"]+)"', text)
        answer = client.post(of(full, f"export/{what}/csv/"), {"step": "chosen", "record_ids": boxes[1:3]})
        rows = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
        assert [row[0] for row in rows[1:]] == people(text)[1:3]


def test_a_period_that_ends_before_it_begins_is_refused(staff):
    full = full_company(2)
    client = staff(COMPLIANCE_MANAGER)
    for name in ("period", "people", "acknowledgements"):
        where = of(full, f"registers/{name}/")
        assert client.get(where, {"from": noon(3).date(), "as_at": noon(3).date()}).status_code == 200
        assert client.get(where, {"from": noon(2).date(), "as_at": noon(3).date()}).status_code == 422
