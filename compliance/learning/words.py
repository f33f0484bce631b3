"""Days and deadlines as people say them, in the company's time zone and the language that is active.

Used by the learners' pages and by the letters to learners, so that both say the same of one deadline. A deadline is
late exactly when the registers say so, and by as many days. The order of day, month and year is Django's for the
language; English is written as in the rest of the product: 22 November 2026.
"""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.formats import date_format, get_format
from django.utils.translation import get_language, gettext, ngettext

from compliance.rules import company_days

_ONE_DAY = timedelta(days=1)
_ONE_SECOND = timedelta(seconds=1)
_ENGLISH = {"DATE_FORMAT": "j F Y", "MONTH_DAY_FORMAT": "j F"}
_TO_THE_END = timedelta(minutes=1)
"""A deadline this close before midnight is that of the whole day: companies write 23:59 where they mean the day."""


def by_day(due_at: datetime | None, now: datetime, zone: ZoneInfo) -> str:
    """Until when something is to be done: "by Friday 27 November", "today", "3 days late", "no deadline"."""
    if due_at is None:
        return gettext("no deadline")
    if now > due_at:
        days = late_by(due_at, now)
        return ngettext("%(days)s day late", "%(days)s days late", days) % {"days": days}
    last_day, hour = _last_day(due_at, zone)
    today = company_days.day_of(zone.key, now)
    if last_day == today:
        return gettext("today by %(hour)s") % {"hour": hour} if hour else gettext("today")
    if last_day == today + _ONE_DAY:
        return gettext("tomorrow by %(hour)s") % {"hour": hour} if hour else gettext("tomorrow")
    named = {"day": weekday_and_day(last_day, today), "hour": hour}
    return gettext("by %(day)s, %(hour)s") % named if hour else gettext("by %(day)s") % named


def late_by(due_at: datetime, now: datetime) -> int:
    """By how many days, begun ones included, a deadline has passed; 0 while it has not. As the registers count."""
    return max(-((due_at - now) // _ONE_DAY), 0)


def on_day(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    """When something happened: "today", "yesterday", "on 22 November 2026"."""
    then, today = (company_days.day_of(zone.key, each) for each in (moment, now))
    if then == today:
        return gettext("today")
    if then == today - _ONE_DAY:
        return gettext("yesterday")
    return gettext("on %(day)s") % {"day": day(then)}


def to_do(number: int) -> str:
    """How much is to be done: "nothing to do", "1 thing to do", "3 things to do"."""
    if number == 0:
        return gettext("nothing to do")
    return ngettext("%(number)s thing to do", "%(number)s things to do", number) % {"number": number}


def day(value: date) -> str:
    """A day of any year: "22 November 2026"."""
    return date_format(value, _format("DATE_FORMAT"))


def day_of(moment: datetime, zone: ZoneInfo) -> str:
    """The company's day of a moment: "22 November 2026"."""
    return day(company_days.day_of(zone.key, moment))


def day_and_time(moment: datetime, zone: ZoneInfo) -> str:
    """A moment on the company's clocks: "22 November 2026, 14:05"."""
    # The day that the clocks show: where they go back over midnight, 23:30 comes twice on the same date.
    local = moment.astimezone(zone)
    return gettext("%(day)s, %(hour)s") % {"day": day(local.date()), "hour": f"{local:%H:%M}"}


def weekday_and_day(value: date, today: date) -> str:
    """A day near enough to be known by its weekday: "Friday 27 November", with its year where that is another one."""
    wanted = "MONTH_DAY_FORMAT" if value.year == today.year else "DATE_FORMAT"
    return gettext("%(weekday)s %(day)s") % {
        "weekday": date_format(value, "l"),
        "day": date_format(value, _format(wanted)),
    }


def _last_day(due_at: datetime, zone: ZoneInfo) -> tuple[date, str]:
    """The day on which a deadline ends, and at what hour, "" for the end of the day."""
    # Nothing is late at the deadline itself, but one microsecond of a day is no day to do anything on; and what ends
    # with the last second before an hour is stated to end at the hour.
    last = due_at - company_days.ONE_MICROSECOND
    its_day = company_days.day_of(zone.key, last)
    if company_days.end_of_day(zone.key, its_day) - last < _TO_THE_END:
        return its_day, ""
    return its_day, f"{due_at.astimezone(zone) + _ONE_SECOND:%H:%M}"


def _format(name: str) -> str:
    """The order of a date's parts in the active language."""
    if (get_language() or "en").split("-")[0] == "en":
        return _ENGLISH[name]
    return str(get_format(name))
