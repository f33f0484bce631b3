"""Periods that people choose by name: this month, last quarter, the last twelve months."""

from datetime import date, timedelta

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import Words
from compliance.rules.company_days import add_months

_DAY = timedelta(days=1)
TITLES: dict[str, Words] = {
    "this-month": _("This month"),
    "last-month": _("Last month"),
    "this-quarter": _("This quarter"),
    "last-quarter": _("Last quarter"),
    "this-year": _("This year"),
    "twelve-months": _("The last 12 months"),
}


def named(name: str, today: date) -> tuple[date, date] | None:
    """The first and the last day of the period of this name; None for an unknown name."""
    month, quarter = today.replace(day=1), quarter_of(today)
    found = {
        "this-month": (month, today),
        "last-month": (add_months(month, -1), month - _DAY),
        "this-quarter": (quarter, today),
        "last-quarter": (add_months(quarter, -3), quarter - _DAY),
        "this-year": (today.replace(month=1, day=1), today),
        "twelve-months": (add_months(today, -12) + _DAY, today),
    }
    return found.get(name)


def quarter_of(day: date) -> date:
    """The first day of the quarter in which a day lies."""
    return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
