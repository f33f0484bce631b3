"""When a try is repeated: 5 seconds, doubling to an hour, for 72 hours."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from compliance.webhooks.retrying import next_try

BEGAN = datetime(2026, 6, 1, tzinfo=UTC)


def tries(retry_after=None):
    """The moments at which an event is tried that fails at once each time, in seconds since the first."""
    now, found = BEGAN, []
    while now is not None:
        found.append((now - BEGAN).total_seconds())
        now = next_try(now=now, failing_since=BEGAN, failures=len(found), retry_after=retry_after)
    return found


def test_pauses_double_from_five_seconds_to_an_hour_until_72_hours_are_over():
    found = tries()
    pauses = [later - sooner for sooner, later in pairwise(found)]
    assert pauses[:10] == [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560]
    assert set(pauses[10:-1]) == {3600}
    assert found[-1] == 72 * 3600
    assert len(found) == 82


def test_a_receiver_may_ask_for_more_time_but_for_an_hour_at_most():
    assert tries(60)[:6] == [0, 60, 120, 180, 240, 320]
    assert tries(10_000_000)[1:3] == [3600, 7200]
    assert tries(0) == tries()


def test_a_try_that_comes_late_is_the_last():
    late = BEGAN + timedelta(hours=80)
    assert next_try(now=late, failing_since=BEGAN, failures=3, retry_after=None) is None
