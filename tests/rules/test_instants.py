"""Instants of RFC 3339: any number of fraction digits, second 60, and dates that do not exist."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compliance.rules.instants import INSTANT_PATTERN, read_instant

NEW_YEAR = datetime(2017, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(*(datetime(year, 1, 2, tzinfo=UTC).replace(tzinfo=None) for year in (1900, 2999)))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T09:30:00Z", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
        ("2026-03-01t09:30:00z", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
        ("2026-03-01T09:30:00.5+02:00", datetime(2026, 3, 1, 7, 30, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T09:30:00.9999999999Z", datetime(2026, 3, 1, 9, 30, 0, 999_999, tzinfo=UTC)),
        (f"2026-03-01T09:30:00.{'123456' + '9' * 5000}-00:00", datetime(2026, 3, 1, 9, 30, 0, 123_456, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", NEW_YEAR),
        ("2016-12-31T23:59:60.999999999Z", NEW_YEAR),
        ("2016-12-31T15:59:60.5-08:00", NEW_YEAR),
        ("2017-01-01T05:29:60+05:30", NEW_YEAR),
    ],
)
def test_an_instant_is_read_to_the_microsecond(text, moment):
    assert read_instant(text) == moment
    assert read_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "", "2026-03-01", "2026-03-01T09:30:00", "2026-03-01T09:30Z", "2026-03-01 09:30:00Z", "2026-03-01T24:00:00Z",
        "2026-03-01T09:60:00Z", "2026-03-01T09:30:61Z", "2026-02-30T09:30:00Z", "2026-03-01T09:30:00.Z",
        "2026-03-01T09:30:00,5Z", "2026-03-01T09:30:00+24:00", "2026-03-01T09:30:00+02:60", "2026-03-01T09:30:00+0200",
        "2026-03-01T09:30:00Z\n", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:60Z",
        "٢٠٢٦-03-01T09:30:00Z", "2026-W09-7T09:30:00Z",
    ],
)  # fmt: skip
def test_what_is_no_instant_of_rfc_3339_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        read_instant(text)


@given(
    MOMENTS,
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
    st.text("0123456789", max_size=30),
)
def test_what_is_written_in_any_offset_and_precision_is_read_as_the_same_instant(moment, minutes, more):
    there = moment.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=minutes)))
    text = there.isoformat(timespec="microseconds")
    written = text[:26] + more + text[26:]
    assert re.fullmatch(INSTANT_PATTERN, written)
    assert read_instant(written) == moment.replace(tzinfo=UTC)


@given(MOMENTS, st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_leap_second_stands_between_the_second_before_and_the_minute_after(moment, fraction, later):
    minute = moment.replace(second=0, microsecond=0).isoformat()[:16]
    before = read_instant(f"{minute}:59.{fraction}Z")
    leap = read_instant(f"{minute}:60.{fraction}Z")
    after = datetime.fromisoformat(f"{minute}:00+00:00") + timedelta(minutes=1)
    assert before < leap == after <= after + timedelta(microseconds=later)
