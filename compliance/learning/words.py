"""Days and deadlines in words, in the company's time zone and the active language.

Used by the learners' pages and the letters to learners, so that both state the same for a deadline. A deadline is late
when it is late in the registers, and by as many days. The order of day, month and year is Django's for the language;
English is written as in the rest of the product: 22 November 2026.
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
"""A deadline this close before midnight means the whole day: companies write 23:59 for it."""


def by_day(due_at: datetime | None, now: datetime, zone: ZoneInfo) -> str:
    """When something is due: "by Friday 27 November", "today", "3 days late", "no deadline"."""
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
    """The days by which a deadline has passed, begun ones included; 0 before it passes. As in the registers."""
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
    """How much there is to do: "nothing to do", "1 thing to do", "3 things to do"."""
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
    # The day on the company's clocks: where they go back over midnight, 23:30 occurs twice on the same date.
    local = moment.astimezone(zone)
    return gettext("%(day)s, %(hour)s") % {"day": day(local.date()), "hour": f"{local:%H:%M}"}


def weekday_and_day(value: date, today: date) -> str:
    """A day near enough to be named by its weekday: "Friday 27 November"; with its year if that differs."""
    wanted = "MONTH_DAY_FORMAT" if value.year == today.year else "DATE_FORMAT"
    return gettext("%(weekday)s %(day)s") % {
        "weekday": date_format(value, "l"),
        "day": date_format(value, _format(wanted)),
    }


def _last_day(due_at: datetime, zone: ZoneInfo) -> tuple[date, str]:
    """The day on which a deadline ends, and the hour, "" for the end of the day."""
    # Nothing is late at the deadline itself, but nothing can be done in the first microsecond of a day; a deadline in
    # the last second before an hour is stated as that hour.
    last = due_at - company_days.ONE_MICROSECOND
    its_day = company_days.day_of(zone.key, last)
    if company_days.end_of_day(zone.key, its_day) - last <= _TO_THE_END:
        return its_day, ""
    return its_day, f"{due_at.astimezone(zone) + _ONE_SECOND:%H:%M}"


def _format(name: str) -> str:
    """The date format of the active language."""
    if (get_language() or "en").split("-")[0] == "en":
        return _ENGLISH[name]
    return str(get_format(name))
