"""What happened is told in the reader's language: every fact of a story has words, and so has what it gives beside."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from compliance.facts.certificates import queries as certificates
from compliance.facts.courses import queries as courses
from compliance.facts.happenings import Happening
from compliance.facts.people import queries as people
from compliance.facts.policies import queries as policies
from compliance.facts.shares import queries as shares
from compliance.facts.training import queries as training
from compliance.interfaces.console import happened, languages
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.wording import STATES
from compliance.rules.vocabulary import Door
from tests.interfaces.console.companies import full_company

STORIES = (
    people.HAPPENED, training.HAPPENED, certificates.HAPPENED, policies.SIGNED, courses.HAPPENED, policies.PUBLISHED,
    shares.HAPPENED,
)  # fmt: skip
LISBON = ZoneInfo("Europe/Lisbon")
MAY = datetime(2026, 5, 4, 14, 5, tzinfo=UTC)


def words(what: str, given: dict[str, Any], language: str = "en") -> tuple[str, str]:
    with translation.override(language):
        (found,) = happened.in_words([Happening(MAY, what, given)], LISBON)
    return found.what, found.detail


def test_every_code_and_every_value_that_a_room_states_has_words() -> None:
    stated = {literal for sql in STORIES for literal in re.findall(r"'([a-z_]+)'", sql)}
    codes = {each + door if each.endswith("_as_") else each for each in stated for door in Door if door != "employee"}
    assert {"came_as_partner", "published", "audience"} <= codes
    assert codes - happened._WHAT.keys() - happened._DETAILS.keys() - STATES.keys() == {"version"}


@pytest.mark.parametrize(
    ("what", "given", "in_english", "in_german"),
    [
        (
            "shared",
            {"days": 20, "basis": "days_after_added", "audience": "everyone", "requirement": "required"},
            ("Shared", "With everyone · Required · 20 days after being added"),
            ("Zugewiesen", "Für alle · Verpflichtend · 20 Tage nach dem Hinzufügen"),
        ),
        (
            "set_deadline",
            {"reason": None, "due_at": "2026-03-31T22:59:59.999999+00:00"},
            ("Deadline set", "31 March 2026, 23:59"),
            ("Frist gesetzt", "31. März 2026, 23:59"),
        ),
        ("waive", {"reason": "medical", "due_at": None}, ("Waived", "Medical reasons"), None),
        (
            "published",
            {"version": 3, "change": "ask_again"},
            ("Version 3 published", "Everybody is asked again"),
            ("Version 3 veröffentlicht", "Alle werden noch einmal gebeten"),
        ),
        ("published", {"version": 3, "retake": False}, ("Version 3 published", ""), None),
        ("signed", {"version": 2, "door": "partner"}, ("Signed version 2", "Partner"), None),
        (
            "absence_recorded",
            {"away": ["2026-05-01", "2026-05-08"]},
            ("Absence recorded", "1 May 2026 to 8 May 2026"),
            ("Abwesenheit eingetragen", "1. Mai 2026 bis 8. Mai 2026"),
        ),
        ("joined_team", {"team": "full"}, ("Joined the team", "full"), ("Ins Team gekommen", "full")),
        ("roles_changed", {"roles": ["buyer", "auditor"]}, ("Roles changed", "buyer, auditor"), None),
        ("roles_changed", {"roles": []}, ("Roles changed", "No roles"), ("Rollen geändert", "Keine Rollen")),
        ("roles_changed", {"roles": None}, ("Roles changed", ""), None),
        ("joined_company", {"practice": True}, ("Joined the company", "Practice account"), None),
        ("attendance_marked", {"by": "trainer", "attended": "full"}, (
            "Marked in a live session", "There all the time · Attendance marked by: The trainer"
        ), None),
    ],
)  # fmt: skip
def test_a_fact_and_what_it_gives_beside_are_in_the_readers_language(
    what: str, given: dict[str, Any], in_english: tuple[str, str], in_german: tuple[str, str] | None
) -> None:
    assert words(what, given) == in_english
    if in_german is not None:
        assert words(what, given, "de") == in_german


@pytest.mark.django_db
def test_the_pages_of_a_person_and_of_a_course_tell_what_happened_in_german(staff) -> None:
    full = full_company(2)
    client = staff(COMPLIANCE_MANAGER)
    client.cookies[languages.COOKIE] = "de"
    place = f"/console/companies/{full.company.organization_id}"
    person = full.people[0]
    page = client.get(f"{place}/people/{person.learner_profile_id}/").content.decode()
    for told in ("Ins Unternehmen eingetreten", "Ins Team gekommen", "Version 1 unterschrieben", "Abgeschlossen"):
        assert told in page
    page += client.get(f"{place}/courses/{full.course.course_id}/").content.decode()
    assert "Version 1 veröffentlicht" in page
    assert "Für alle" in page
    for english in ("Joined", "published", "With everyone", "Shared", "Reminder"):
        assert english not in page
