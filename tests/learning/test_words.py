"""Deadlines in words agree with the registers and the company's calendar, at every edge of a day and a year."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from compliance.learning import words
from compliance.rules.company_days import ONE_MICROSECOND, end_of_day, start_of_day
from compliance.rules.owed_learning.outcome import outcome_at

LONDON = ZoneInfo("Europe/London")
AUCKLAND = ZoneInfo("Pacific/Auckland")
SAO_PAULO = ZoneInfo("America/Sao_Paulo")


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def at(text: str, zone: ZoneInfo = LONDON) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("2026-11-20T09:00", "by Friday 27 November"),
        ("2026-11-25T23:59:59", "by Friday 27 November"),
        ("2026-11-26T00:00", "tomorrow"),
        ("2026-11-26T23:59:59", "tomorrow"),
        ("2026-11-27T00:00", "today"),
        ("2026-11-27T23:59:59", "today"),
        ("2026-11-28T00:00", "1 day late"),
        ("2026-11-28T23:59:59", "1 day late"),
        ("2026-11-29T00:00", "2 days late"),
        ("2026-12-07T12:00", "10 days late"),
    ],
)
def test_a_deadline_at_the_end_of_a_day_is_said_by_the_companys_days(now, said):
    due_at = end_of_day(LONDON.key, date(2026, 11, 27))
    assert words.by_day(due_at, at(now), LONDON) == said


def test_what_has_no_deadline_says_so():
    assert words.by_day(None, at("2026-11-20T09:00"), LONDON) == "no deadline"


def test_a_deadline_of_another_year_names_its_year():
    due_at = end_of_day(LONDON.key, date(2027, 1, 4))
    assert words.by_day(due_at, at("2026-12-31T12:00"), LONDON) == "by Monday 4 January 2027"
    assert words.by_day(due_at, at("2027-01-01T00:00"), LONDON) == "by Monday 4 January"
    new_year = end_of_day(LONDON.key, date(2027, 1, 1))
    assert words.by_day(new_year, at("2026-12-31T23:59"), LONDON) == "tomorrow"
    assert words.by_day(end_of_day(LONDON.key, date(2026, 12, 31)), at("2027-01-02T12:00"), LONDON) == "2 days late"


def test_the_same_moments_are_other_days_in_another_company():
    due_at = end_of_day(AUCKLAND.key, date(2026, 11, 27))  # 27 November, 10:59 UTC
    now = datetime(2026, 11, 26, 11, 30, tzinfo=UTC)
    assert words.by_day(due_at, now, AUCKLAND) == "today"
    assert words.by_day(due_at, now, LONDON) == "tomorrow by 11:00"


def test_a_deadline_at_midnight_ends_the_day_before():
    midnight = start_of_day(LONDON.key, date(2026, 11, 28))
    assert words.by_day(midnight, at("2026-11-20T09:00"), LONDON) == "by Friday 27 November"


@pytest.mark.parametrize("due_at", ["2026-11-27T23:59", "2026-11-27T23:59:59"])
def test_a_deadline_in_the_last_minute_of_a_day_means_the_day(due_at):
    assert words.by_day(at(due_at), at("2026-11-27T09:00"), LONDON) == "today"


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("2026-11-20T09:00", "by Friday 27 November, 14:05"),
        ("2026-11-26T09:00", "tomorrow by 14:05"),
        ("2026-11-27T14:05", "today by 14:05"),
        ("2026-11-27T14:06", "1 day late"),
    ],
)
def test_a_deadline_within_a_day_names_its_hour(now, said):
    assert words.by_day(at("2026-11-27T14:05"), at(now), LONDON) == said


@pytest.mark.parametrize(
    ("zone", "last_day"),
    [
        (LONDON, date(2026, 3, 29)),  # 23 hours
        (LONDON, date(2026, 10, 25)),  # 25 hours
        (SAO_PAULO, date(2018, 11, 3)),  # the next day begins at one o'clock
        (SAO_PAULO, date(2018, 2, 17)),  # the last hour occurs twice
    ],
)
def test_the_day_on_which_clocks_change_is_one_day(zone, last_day):
    due_at = end_of_day(zone.key, last_day)
    begins = start_of_day(zone.key, last_day)
    assert words.by_day(due_at, begins - ONE_MICROSECOND, zone) == "tomorrow"
    assert words.by_day(due_at, begins, zone) == "today"
    assert words.by_day(due_at, due_at, zone) == "today"
    assert words.by_day(due_at, due_at + ONE_MICROSECOND, zone) == "1 day late"


@pytest.mark.parametrize("late", [timedelta(0), ONE_MICROSECOND, timedelta(hours=24), timedelta(hours=24.1)])
def test_days_late_are_those_of_the_registers(late):
    due_at = at("2026-03-28T23:59:59")
    _, days = outcome_at(
        due_at + late,
        requirement_before_end="required",
        assigned_at=due_at - timedelta(days=30),
        due_at=due_at,
        completed_at=None,
        ended_at=None,
        waived_at=None,
    )
    assert words.late_by(due_at, due_at + late) == (days or 0)


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("2026-11-27T00:00", "today"),
        ("2026-11-26T23:59:59", "yesterday"),
        ("2026-11-25T23:59:59", "on 25 November 2026"),
    ],
)
def test_what_happened_is_said_by_the_companys_days(then, said):
    assert words.on_day(at(then), at("2026-11-27T08:00"), LONDON) == said


def test_how_much_is_to_be_done_is_counted():
    assert [words.to_do(number) for number in (0, 1, 2)] == ["nothing to do", "1 thing to do", "2 things to do"]


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("en", "2 March 2026"),
        ("en-us", "2 March 2026"),
        ("de", "2. März 2026"),
        ("fr", "2 mars 2026"),
        ("es", "2 de marzo de 2026"),
        ("ar", "2 مارس، 2026"),
    ],
)
def test_a_day_is_written_in_the_order_and_the_words_of_the_language(language, written):
    with translation.override(language):
        assert words.day_of(at("2026-03-02T12:00"), LONDON) == written


def test_a_moment_is_told_on_the_companys_clocks():
    assert words.day_and_time(datetime(2026, 11, 22, 3, 5, tzinfo=UTC), AUCKLAND) == "22 November 2026, 16:05"
