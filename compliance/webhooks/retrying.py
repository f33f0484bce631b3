"""When an event that a receiver did not take is tried again: pure, so that 72 hours can be tried in a moment."""

from datetime import datetime, timedelta

FIRST = timedelta(seconds=5)
LONGEST = timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(hours=72)

_DOUBLINGS = 20  # 5 seconds twenty times doubled are far beyond an hour


def next_try(*, now: datetime, failing_since: datetime, failures: int, retry_after: float | None) -> datetime | None:
    """When to try again after the failure number `failures` in a row; None: not any more.

    5 seconds, doubling to an hour; later where the receiver asks for it (`Retry-After`), but within the hour. The last
    try is made when 72 hours are over.
    """
    gives_up_at = failing_since + GIVEN_UP_AFTER
    if now >= gives_up_at:
        return None
    pause = min(FIRST * 2 ** min(failures - 1, _DOUBLINGS), LONGEST)
    if retry_after is not None:
        pause = max(pause, min(timedelta(seconds=retry_after), LONGEST))
    return min(now + pause, gives_up_at)
