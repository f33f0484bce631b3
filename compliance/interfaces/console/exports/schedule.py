"""Calculates when a scheduled export runs next, at an hour of the company's clock, also across clock changes."""

from datetime import UTC, date, datetime, time, timedelta

from compliance.interfaces.console.exports.models import StandingExport
from compliance.rules.company_days import zone_info


def next_run(zone: str, every: str, hour: int, after: datetime) -> datetime:
    """The first moment after `after` at which hour `hour` begins on a day that `every` selects."""
    day = after.astimezone(zone_info(zone)).date()
    while True:
        moment = datetime.combine(day, time(hour), zone_info(zone)).astimezone(UTC)
        if _fits(day, every) and moment > after:
            return moment
        day += timedelta(days=1)


def _fits(day: date, every: str) -> bool:
    if every == StandingExport.Every.WEEK:
        return day.weekday() == 0
    return every == StandingExport.Every.DAY or day.day == 1
