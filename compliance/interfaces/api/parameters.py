"""The query parameters, read strictly from the raw query string.

Unknown, repeated and badly written parameters are refused with a sentence that says what to send; nothing is guessed.
"""

import re
from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import NamedTuple, cast
from urllib.parse import unquote_to_bytes
from uuid import UUID

from compliance.catalogue.declaration import Register, Window
from compliance.interfaces.api.problems import Code, ParameterFault, Problem, invalid
from compliance.rules import company_days, instants

MAXIMUM_QUERY_BYTES = 8192
MAXIMUM_LIMIT = 200
MAXIMUM_DAYS = 400

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_WITH_CURSOR = re.compile(rb"(?:^|&)cursor=")
_LIMIT = re.compile(r"[1-9][0-9]*")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_HOW = "Send an RFC 3339 instant with its offset, such as 2026-01-31T09:00:00Z, or a date such as 2026-01-31."


class Moment(NamedTuple):
    """A moment as sent: a date of the company, or an instant in UTC (then `day` is None)."""

    instant: datetime
    day: date | None


class Asked(NamedTuple):
    """The parameters of a page of a register; `end` is `as_at` or `to`, `start` is `from`. None: not sent."""

    limit: int
    course: UUID | None
    end: Moment | None
    start: Moment | None
    cursor: str | None


def asked(query: bytes, register: Register, zone: str) -> Asked:
    """The parameters of a register's page in a raw query string; dates are days in `zone`. Raises `invalid_request`."""
    window = register.window
    names = {window.end, window.start, "course" if register.by_course else None, "cursor", "limit"} - {None}
    values = parse(query, cast(set[str], names))
    return Asked(
        limit(values),
        course(values),
        None if window.end is None else moment(values, window.end, zone, start=False),
        None if window.start is None else moment(values, window.start, zone, start=True),
        values.get("cursor"),
    )


def window(asked: Asked, window: Window, now: datetime) -> tuple[datetime, datetime | None]:
    """The moment that a first page is about, and the start of its period, if it has one. Raises `invalid_request`."""
    start, end = asked.start, asked.end
    if window is Window.PERIOD:
        missing = [name for name, sent in (("from", start), ("to", end)) if sent is None]
        if missing:
            raise invalid(*(ParameterFault(name, f"{name} is required on the first page.") for name in missing))
    if end is None:
        end = Moment(now, None)
    if start is not None:
        check_window(start, end, window.end or "as_at")
    return end.instant, None if start is None else start.instant


def parse(query: bytes, allowed: Collection[str]) -> dict[str, str]:
    """The parameters of a raw query string by name. Raises `invalid_request` that names the first faults."""
    if len(query) > MAXIMUM_QUERY_BYTES:
        if "cursor" in allowed and _WITH_CURSOR.search(query):
            raise Problem(Code.INVALID_CURSOR)  # no cursor of ours is that long
        raise Problem(Code.INVALID_REQUEST, f"The query is longer than {MAXIMUM_QUERY_BYTES} bytes.")
    values: dict[str, str] = {}
    faults: list[ParameterFault] = []
    for piece in query.split(b"&"):
        if not piece:
            continue
        raw_name, _, raw_value = piece.partition(b"=")
        name, value = _decoded(raw_name), _decoded(raw_value)
        if name is None or value is None:
            quoted = name if name in allowed and name is not None else "?"
            faults.append(
                ParameterFault(quoted, "The query holds a broken percent-encoding or is not UTF-8. Encode it as UTF-8.")
            )
        elif name not in allowed:
            known = ", ".join(sorted(allowed)) if allowed else "none"
            faults.append(ParameterFault(_short(name), f"There is no parameter {_short(name)!r} here. Known: {known}."))
        elif name in values:
            faults.append(ParameterFault(name, f"{name} is sent more than once. Send it once."))
        else:
            values[name] = value
    if faults:
        raise invalid(*faults)
    return values


def limit(values: dict[str, str], maximum: int = MAXIMUM_LIMIT) -> int:
    """How many rows a page may hold: 200 unless sent, and `maximum` where more is sent."""
    text = values.get("limit")
    if text is None:
        return MAXIMUM_LIMIT
    if not _LIMIT.fullmatch(text):
        raise invalid(ParameterFault("limit", f"limit is a whole number from 1 to {maximum}, in the digits 0 to 9."))
    return maximum if len(text) > len(str(maximum)) else min(int(text), maximum)


def course(values: dict[str, str]) -> UUID | None:
    """The course to which the register is restricted, if any."""
    text = values.get("course")
    if text is None:
        return None
    if not _UUID.fullmatch(text):
        raise invalid(ParameterFault("course", "course is a UUID such as 2f1c6c3e-7d0b-4b57-9a40-5a3f1c2d4e5f."))
    return UUID(text)


def moment(values: dict[str, str], name: str, zone: str, *, start: bool) -> Moment | None:
    """The moment that parameter `name` gives. A date starts (`start`) or ends the company's day."""
    text = values.get(name)
    if text is None:
        return None
    found = _date(text)
    if found is not None:
        return Moment((company_days.start_of_day if start else company_days.end_of_day)(zone, found), found)
    if _DATE.fullmatch(text):
        raise invalid(ParameterFault(name, f"{name} is not a date of the calendar. {_HOW}"))
    if " " in text:
        raise invalid(ParameterFault(name, f"{name} holds a space: a plus sign in a query must be sent as %2B. {_HOW}"))
    try:
        return Moment(instants.read_instant(text), None)
    except ValueError:
        raise invalid(ParameterFault(name, f"{name} is not written as the contract says. {_HOW}")) from None


def check_window(start: Moment, end: Moment, end_name: str) -> None:
    """Refuses a period that ends before it starts or starts more than 400 days before its end.

    Two dates are compared as days of the company's calendar, anything else by the time that elapses.
    """
    if start.day is not None and end.day is not None:
        backwards, long = start.day > end.day, (end.day - start.day).days > MAXIMUM_DAYS
    else:
        backwards = start.instant > end.instant
        long = end.instant - start.instant > timedelta(days=MAXIMUM_DAYS)
    if backwards:
        raise invalid(ParameterFault("from", f"from lies after {end_name}."))
    if long:
        raise invalid(
            ParameterFault(
                "from",
                f"from lies more than {MAXIMUM_DAYS} days before {end_name}. Two dates may lie {MAXIMUM_DAYS} days of"
                f" the calendar apart; where either is an instant, {MAXIMUM_DAYS} times 24 hours may elapse.",
            )
        )


def _decoded(raw: bytes) -> str | None:
    if _BROKEN_ESCAPE.search(raw):
        return None
    try:
        return unquote_to_bytes(raw.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        return None


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:40] + "…"


def _date(text: str) -> date | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
