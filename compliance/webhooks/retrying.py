"""When a failed event is tried again: pure, so that tests cover 72 hours in a moment."""

from datetime import datetime, timedelta

FIRST = timedelta(seconds=5)
LONGEST = timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(hours=72)

_DOUBLINGS = 20  # 5 seconds doubled twenty times exceed an hour by far


def next_try(*, now: datetime, failing_since: datetime, failures: int, retry_after: float | None) -> datetime | None:
    """When to try again after failure number `failures` in a row; None to give up.

    5 seconds, doubling up to an hour; later where the receiver asks for it (`Retry-After`), but within the hour. The
    last try is made when 72 hours are over.
    """
    gives_up_at = failing_since + GIVEN_UP_AFTER
    if now >= gives_up_at:
        return None
    pause = min(FIRST * 2 ** min(failures - 1, _DOUBLINGS), LONGEST)
    if retry_after is not None:
        pause = max(pause, min(timedelta(seconds=retry_after), LONGEST))
    return min(now + pause, gives_up_at)
