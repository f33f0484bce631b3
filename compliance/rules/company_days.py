"""A company's days in its own time zone, correct across clock changes.

A day starts at the first instant with its date and ends one microsecond before the next day starts. So every instant
lies in exactly one day, even where midnight does not exist (Cairo, Havana, Sao Paulo) or occurs twice (St John's until
2011), and where a whole date is missing: Apia's 30 December 2011 is empty and starts where the 31st starts.
"""

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)
ONE_MICROSECOND = timedelta(microseconds=1)
FIRST_INSTANT = datetime.min.replace(tzinfo=UTC)
LAST_INSTANT = datetime.max.replace(tzinfo=UTC)


class UnknownTimeZone(ValueError):
    """The name is not that of an IANA time zone."""


@lru_cache(maxsize=1024)
def zone_info(zone: str) -> ZoneInfo:
    """The zone's rules. Raises UnknownTimeZone for a name that the IANA database does not hold."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        raise UnknownTimeZone(f"{zone!r} is not an IANA time zone") from error


@lru_cache(maxsize=65536)
def start_of_day(zone: str, day: date) -> datetime:
    """The first instant (UTC) at which the zone's clocks show `day` or, where they skip it, a later date."""
    rules = zone_info(zone)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    earlier = _offset_at_midnight(rules, day, fold=0)
    later = _offset_at_midnight(rules, day, fold=1)
    try:
        if earlier >= later:
            # Ordinary, or a midnight that occurs twice: the first occurrence has the larger offset.
            return midnight - earlier
        # Clocks jump over midnight: the day starts at the jump, which lies in (midnight - later, midnight - earlier].
        return _jump(rules, midnight - later, midnight - earlier)
    except OverflowError:
        return FIRST_INSTANT if day.year == 1 else LAST_INSTANT


@lru_cache(maxsize=65536)
def end_of_day(zone: str, day: date) -> datetime:
    """The last microsecond (UTC) of the company's day."""
    if day == date.max:
        return LAST_INSTANT
    return start_of_day(zone, day + ONE_DAY) - ONE_MICROSECOND


def day_of(zone: str, instant: datetime) -> date:
    """The company's day in which an aware instant lies."""
    day = instant.astimezone(zone_info(zone)).date()
    # Where clocks go back over midnight, they show yesterday's date again although the new day has started.
    if day != date.max and instant >= start_of_day(zone, day + ONE_DAY):
        return day + ONE_DAY
    return day


def end_of_day_after(zone: str, instant: datetime, days: int) -> datetime:
    """The end of the company's day that lies `days` days after the day of `instant`, or the calendar's end."""
    try:
        return end_of_day(zone, day_of(zone, instant) + timedelta(days=days))
    except OverflowError:
        return LAST_INSTANT


def add_months(day: date, months: int) -> date:
    """The same day `months` months later, clamped to the month's end (31 January and one month: 28 or 29 February)."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _offset_at_midnight(rules: ZoneInfo, day: date, *, fold: int) -> timedelta:
    offset = datetime(day.year, day.month, day.day, tzinfo=rules, fold=fold).utcoffset()
    assert offset is not None  # a ZoneInfo always knows the offset of a full datetime
    return offset


def _jump(rules: ZoneInfo, low: datetime, high: datetime) -> datetime:
    """Find by bisection the second in (low, high] at which the zone's offset changes."""
    changed = high.astimezone(rules).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        if middle.astimezone(rules).utcoffset() == changed:
            high = middle
        else:
            low = middle
    return high
