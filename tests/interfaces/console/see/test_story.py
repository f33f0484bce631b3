"""Every record of every register has a story that opens."""

from dataclasses import replace
from datetime import timedelta

import pytest

from compliance.catalogue import REGISTERS
from compliance.catalogue.courses import COURSES
from compliance.catalogue.people import PEOPLE
from compliance.catalogue.policies import POLICIES
from compliance.history.actions import capture_all
from compliance.history.models import HistoryRecord, HistoryRow
from compliance.interfaces.console import languages
from compliance.interfaces.console.permissions import OPERATOR
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_company, noon
from tests.interfaces.console.companies import full_company

pytestmark = pytest.mark.django_db


def test_the_story_of_every_record_of_every_register_opens_and_says_what_happened(staff):
    full = full_company(3)
    client = staff(OPERATOR)
    with context.company(full.company.organization_id):
        records = list(HistoryRecord.objects.values_list("register", "record_id"))
    assert {register for register, _ in records} == set(REGISTERS)
    for register, record_id in records:
        name = REGISTERS[register].name
        page = client.get(f"/console/companies/{full.company.organization_id}/records/{name}/{record_id}/")
        assert page.status_code == 200, name
        text = page.content.decode()
        assert "The record appears" in text, name
        assert "No fact names them" not in text or name == "people", name
        assert "[&#x27;" not in text, f"a list of {name} in Python's way of writing"


def test_the_story_of_a_course_version_tells_its_publication_and_its_shares(staff):
    full = full_company(2)
    with context.company(full.company.organization_id):
        record = HistoryRecord.objects.get(register=COURSES.number)
    where = f"/console/companies/{full.company.organization_id}/records/courses/{record.record_id}/"
    text = staff(OPERATOR).get(where).content.decode()
    assert "Version 1 published" in text
    assert "With everyone · Required" in text
    assert "The facts about this course" in text


def test_the_story_of_a_person_names_the_versions_that_a_new_name_made(staff):
    company = make_company()
    anna = company.join("Anna")
    capture_all(company.organization_id, company.now)
    where = f"/console/companies/{company.organization_id}/records/people/{anna.person_id}/"
    assert "Name or address changed or erased" not in staff(OPERATOR).get(where).content.decode()
    verbs.change_person(
        organization_id=company.organization_id, at=company.now, now=company.now,
        learner_profile_id=anna.learner_profile_id, person_name="Anna Dahl",
    )  # fmt: skip
    capture_all(company.organization_id, company.now)
    assert staff(OPERATOR).get(where).content.decode().count("Name or address changed or erased") == 1


def test_what_holds_now_is_the_newest_version_of_a_record_with_more_than_a_page_takes(staff, monkeypatch):
    monkeypatch.setattr("compliance.interfaces.console.see.story.VERSIONS_AT_MOST", 2)
    company = replace(make_company(), now=noon(0))
    anna = company.join("Anna", team_ids=())
    for number in range(1, 5):
        team = company.team(f"Team {number}")
        verbs.add_to_team(
            organization_id=company.organization_id, at=company.start + timedelta(days=number), now=company.now,
            team_id=team, learner_profile_id=anna.learner_profile_id,
        )  # fmt: skip
        capture_all(company.organization_id, company.now)
    with context.company(company.organization_id):
        record = HistoryRecord.objects.get(register=PEOPLE.number)
        assert HistoryRow.objects.filter(birth=record.birth).count() > 3
    page = (
        staff(OPERATOR)
        .get(f"/console/companies/{company.organization_id}/records/people/{record.record_id}/")
        .content.decode()
    )
    story = page.partition('<ol class="story">')[2].partition("</ol>")[0]
    assert story.count("<li>") == 2
    assert story.count("holds now") == 1
    assert "The record appears" not in story


def test_the_doors_of_a_policy_version_and_the_names_of_its_proofs_are_in_the_readers_language(staff):
    full = full_company(2)
    with context.company(full.company.organization_id):
        record = HistoryRecord.objects.get(register=POLICIES.number)
    client = staff(OPERATOR)
    client.cookies[languages.COOKIE] = "de"
    where = f"/console/companies/{full.company.organization_id}/records/policies/{record.record_id}/"
    text = client.get(where).content.decode()
    assert "<dt>Für</dt><dd>Mitarbeitende</dd>" in text
    assert "Fingerabdruck der Version" in text
