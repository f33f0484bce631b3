"""The explanation of a record in one sentence with the arithmetic of its deadline."""

import re
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from compliance.facts.lines.kinds import AbsenceRecorded
from compliance.facts.recording import act
from compliance.history.actions import capture_all
from compliance.interfaces.console import because
from compliance.interfaces.console.permissions import AUDITOR
from compliance.interfaces.console.wording import written_day
from compliance.rules.absences import Away, Step
from compliance.rules.reckoning import CountedFrom, Reckoning
from compliance.rules.vocabulary import AbsenceReasonCode, DueBasis
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_company, noon
from tests.interfaces.console.companies import _policy

DAYS = because._Days("UTC")
DUE = datetime(2026, 2, 19, 23, 59, 59, 999999, tzinfo=UTC)
ADDED = datetime(2026, 1, 20, 9, tzinfo=UTC)


def _reckoned(**said: Any) -> Reckoning:
    given: dict[str, Any] = {"basis": DueBasis.DAYS_AFTER_ADDED, "due_at": DUE, "excused_at": DUE} | said
    return Reckoning(**given)


@pytest.mark.parametrize(
    ("reckoned", "said"),
    [
        (
            _reckoned(counted_from=CountedFrom.ADDED, counted_at=ADDED, days=30),
            "Overdue since 19 February 2026: added on 20 January 2026, 30 days later is 19 February 2026.",
        ),
        (
            _reckoned(counted_from=CountedFrom.ADDED, counted_at=DUE - timedelta(days=1), days=1),
            "Overdue since 19 February 2026: added on 18 February 2026, 1 day later is 19 February 2026.",
        ),
        (
            _reckoned(counted_from=CountedFrom.SHARE),
            "Overdue since 19 February 2026: 19 February 2026 is the day set for everybody who is asked to do it.",
        ),
        (
            _reckoned(counted_from=CountedFrom.PERSONAL, counted_at=ADDED),
            "Overdue since 19 February 2026: 19 February 2026 was set for this person on 20 January 2026.",
        ),
        (
            _reckoned(
                counted_from=CountedFrom.SHARE,
                steps=(Step(Away(date(2026, 2, 10), date(2026, 3, 1)), date(2026, 2, 19), date(2026, 3, 10)),),
            ),
            "Overdue since 19 February 2026: 19 February 2026 is the day set for everybody who is asked to do it. Away"
            " from 10 February 2026 to 1 March 2026: 19 February 2026 is 9 days after the first of these days, and 9"
            " days after the last is 10 March 2026.",
        ),
        (Reckoning(), "Overdue since 19 February 2026."),
        (None, "Overdue since 19 February 2026."),
    ],
)
def test_the_arithmetic_of_a_deadline(reckoned: Reckoning | None, said: str) -> None:
    assert because.sentence("Overdue since 19 February 2026", reckoned, DAYS) == said


@pytest.mark.parametrize("counted_from", CountedFrom)
def test_every_way_of_counting_has_words(counted_from: CountedFrom) -> None:
    days = 3 if counted_from in because._COUNTED else None
    counted_at = ADDED if days or counted_from is CountedFrom.PERSONAL else None
    found = because.sentence("S", _reckoned(counted_from=counted_from, counted_at=counted_at, days=days), DAYS)
    assert found.startswith("S: ")
    assert "19 February 2026" in found
    assert "%" not in found


@pytest.fixture
def company(db: None) -> Company:
    return Company(make_company().organization_id, start=noon(90), now=timezone.now())


def test_a_person_s_page_and_a_record_s_story_say_why(company: Company, staff: Any) -> None:
    anna, course = company.join("Anna Berg"), company.course("Fire safety")
    company.share(course, days=30)
    policy_id, _ = _policy(company, noon(90))
    verbs.share_policy(organization_id=company.organization_id, at=noon(90), course_id=policy_id)
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    said = f"added on {written_day(noon(90).date())}, 30 days later is {written_day(noon(60).date())}."
    client, there = staff(AUDITOR), f"/console/companies/{company.organization_id}/people/{anna.learner_profile_id}/"
    page = client.get(there).content.decode()
    assert f"Overdue since {written_day(noon(60).date())}: {said}" in page
    assert "To sign; there is no deadline." in page
    (story,) = set(re.findall(r'href="([^"]*/training-records/[0-9a-f-]{36}/)"', page))
    assert said in client.get(story).content.decode()


def test_what_waits_to_be_captured_is_said_without_arithmetic(company: Company, staff: Any) -> None:
    anna, course = company.join("Anna Berg"), company.course("Fire safety")
    company.share(course, days=30)
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
        days: dict[str, Any] = {"from": noon(70).date(), "to": noon(10).date(), "reason_code": AbsenceReasonCode.OTHER}
        act(
            AbsenceRecorded, organization_id=company.organization_id, at=timezone.now(), absence_id=uuid.uuid4(),
            learner_profile_id=anna.learner_profile_id, **days,
        )  # fmt: skip
    there = f"/console/companies/{company.organization_id}/people/{anna.learner_profile_id}/"
    page = staff(AUDITOR).get(there).content.decode()
    assert f"Overdue since {written_day(noon(60).date())}." in page
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    page = staff(AUDITOR).get(there).content.decode()
    assert f"Due by {written_day(noon(0).date())}: added on" in page
    assert f"10 days after the last is {written_day(noon(0).date())}." in page
