"""The form that each hashed field must have.

A hash does not reveal the form: `null` and an empty text give the same lines, and so do one door named
"employee,partner" and two doors. So a row is hashed only if every hashed field has its one allowed form.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from .findings import Check, Report
from .instants import is_hashed_instant
from .pages import Row, printable

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DOORS = ("customer", "employee", "partner")


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a field: its description in words, and its test."""

    words: str
    holds: Callable[[object], bool]


def _is_date(value: object) -> bool:
    if not isinstance(value, str) or _DATE.fullmatch(value) is None:
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_digest(text: str) -> bool:
    """Tell whether a text is a digest: 64 lower-case hexadecimal digits."""
    return _DIGEST.fullmatch(text) is not None


def is_uuid(text: str) -> bool:
    """Tell whether a text is a UUID in lower case with hyphens."""
    return _UUID.fullmatch(text) is not None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    # json accepts a lone surrogate, but UTF-8 cannot encode it.
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def one_of(*words: str) -> Form:
    """Return the form of a field that holds one of `words`."""
    return Form(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in words)


UUID_FORM = Form(
    "a UUID in lower case with hyphens", lambda value: isinstance(value, str) and _UUID.fullmatch(value) is not None
)
DIGEST_FORM = Form("64 lower-case hexadecimal digits", _is_digest)
DIGEST_OR_NULL_FORM = Form("64 lower-case hexadecimal digits or null", lambda value: value is None or _is_digest(value))
INSTANT_FORM = Form(
    "an instant written YYYY-MM-DDTHH:MM:SS.ffffffZ", lambda value: isinstance(value, str) and is_hashed_instant(value)
)
DATE_OR_NULL_FORM = Form("a date written YYYY-MM-DD or null", lambda value: value is None or _is_date(value))
COUNT_FORM = Form("a whole number", _is_count)
TEXT_FORM = Form("Unicode text", _is_text)
DOORS_FORM = Form(
    "an array of different doors out of customer, employee, partner, sorted",
    lambda value: isinstance(value, list) and len(value) > 0 and value == [door for door in DOORS if door in value],
)


def check_form(row: Row, forms: dict[str, Form], report: Report) -> bool:
    """Report each field of `forms` that is missing or has another form; tell whether all are correct and there once.

    The verifier reports what a row gives more than once.
    """
    well = True
    for name, form in forms.items():
        if name not in row.fields:
            problem = "is missing"
        elif name in row.fields.repeated:
            well = False
            continue
        elif not form.holds(row.fields[name]):
            problem = f"is {printable(row.fields[name])!r}, not {form.words}"
        else:
            continue
        well = False
        report.fault(Check.FORM, row.place, (name,), f"{name} {problem}, so the row cannot be what was hashed.")
    return well
