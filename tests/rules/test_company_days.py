"""Company days: worked clock changes, and that days always cover time without gaps or overlaps."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compliance.rules.company_days import (
    UnknownTimeZone,
    add_months,
    day_of,
    end_of_day,
    end_of_day_after,
    start_of_day,
    zone_info,
)

MICROSECOND = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("zone", "day", "start", "length_in_hours"),
    [
        pytest.param("UTC", date(2024, 2, 29), "2024-02-29T00:00", 24, id="plain"),
        pytest.param("Asia/Kathmandu", date(2024, 1, 1), "2023-12-31T18:15", 24, id="quarter-hour-offset"),
        pytest.param("Europe/Berlin", date(2024, 3, 31), "2024-03-30T23:00", 23, id="spring-forward"),
        pytest.param("Europe/Berlin", date(2024, 10, 27), "2024-10-26T22:00", 25, id="fall-back"),
        pytest.param("Africa/Cairo", date(2023, 4, 28), "2023-04-27T22:00", 23, id="cairo-has-no-midnight"),
        pytest.param("Africa/Cairo", date(2023, 10, 26), "2023-10-25T21:00", 25, id="cairo-repeats-its-last-hour"),
        pytest.param("America/Havana", date(2018, 3, 11), "2018-03-11T05:00", 23, id="havana-has-no-midnight"),
        pytest.param("America/Havana", date(2018, 11, 4), "2018-11-04T04:00", 25, id="havana-has-two-midnights"),
        pytest.param("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00", 23, id="sao-paulo-has-no-midnight"),
        pytest.param(
            "America/Sao_Paulo", date(2018, 2, 17), "2018-02-17T02:00", 25, id="sao-paulo-repeats-its-last-hour"
        ),
        pytest.param(
            "America/St_Johns", date(2010, 11, 7), "2010-11-07T02:30", 25, id="st-johns-goes-back-over-midnight"
        ),
        pytest.param("America/Toronto", date(1919, 3, 31), "1919-03-31T04:30", 23.5, id="toronto-jumps-over-midnight"),
        pytest.param("Pacific/Apia", date(2011, 12, 29), "2011-12-29T10:00", 24, id="apia-before-the-missing-day"),
        pytest.param("Pacific/Apia", date(2011, 12, 30), "2011-12-30T10:00", 0, id="apia-the-missing-day-is-empty"),
        pytest.param("Pacific/Apia", date(2011, 12, 31), "2011-12-30T10:00", 24, id="apia-after-the-missing-day"),
    ],
)
def test_a_day_starts_at_the_first_instant_that_bears_its_date(
    zone: str, day: date, start: str, length_in_hours: float
) -> None:
    begins = datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert start_of_day(zone, day) == begins
    assert end_of_day(zone, day) == begins + timedelta(hours=length_in_hours) - MICROSECOND


def test_an_instant_after_midnight_stays_in_its_day_though_clocks_show_yesterday_again() -> None:
    # St John's, 7 November 2010: at 00:01 the clocks went back to 23:01 of the 6th.
    assert day_of("America/St_Johns", datetime(2010, 11, 7, 2, 45, tzinfo=UTC)) == date(2010, 11, 7)


def test_the_missing_day_counts_as_a_day_of_no_length() -> None:
    before = datetime(2011, 12, 29, 12, tzinfo=UTC)
    assert day_of("Pacific/Apia", before) == date(2011, 12, 29)
    assert end_of_day_after("Pacific/Apia", before, 1) == end_of_day("Pacific/Apia", date(2011, 12, 29))


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2023, 1, 31), 1, date(2023, 2, 28)),
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2024, 2, 29), 12, date(2025, 2, 28)),
        (date(2024, 11, 30), 3, date(2025, 2, 28)),
        (date(2024, 5, 5), 0, date(2024, 5, 5)),
        (date(9999, 5, 5), 12, date.max),
    ],
)
def test_months_are_clamped_to_the_months_end(day: date, months: int, expected: date) -> None:
    assert add_months(day, months) == expected


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "europe", "UTC\0"])
def test_a_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(UnknownTimeZone):
        zone_info(name)


def test_days_at_the_edges_of_the_calendar_do_not_fail() -> None:
    for zone in ("Pacific/Apia", "America/Havana", "UTC"):
        assert start_of_day(zone, date.min) <= start_of_day(zone, date(1, 1, 3))
        assert end_of_day(zone, date.max) >= end_of_day(zone, date(9999, 12, 30))
        assert end_of_day_after(zone, datetime(9999, 1, 1, tzinfo=UTC), 10**6) == end_of_day(zone, date.max)


@given(
    zone=st.sampled_from(
        [
            "UTC",
            "Europe/Berlin",
            "Africa/Cairo",
            "America/Havana",
            "America/Sao_Paulo",
            "America/St_Johns",
            "Pacific/Apia",
        ]
    ),
    seconds=st.integers(min_value=536454000, max_value=2051222400),
    microseconds=st.integers(min_value=0, max_value=999_999),
)
def test_every_instant_lies_in_exactly_one_day(zone: str, seconds: int, microseconds: int) -> None:
    instant = datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)
    day = day_of(zone, instant)
    assert start_of_day(zone, day) <= instant <= end_of_day(zone, day)
    assert end_of_day(zone, day - timedelta(days=1)) < instant < start_of_day(zone, day + timedelta(days=1))
