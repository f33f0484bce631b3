"""Pieces of JSON text that rows are spliced from: a page remains text from the database to the response."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from compliance.proofs.history import hidden_end
from compliance.registers.questions import Question
from compliance.rules.owed_learning.outcome import DAY_IN_MICROSECONDS
from compliance.rules.vocabulary import ERASED_PERSON

_FIRST_DAY = date(2000, 1, 1)


class Rows(NamedTuple):
    """Rows as JSON in UTF-8, each in two pieces that follow each other.

    They are joined once, with the page around them: each copy of a quarter of a megabyte takes new memory from the
    system.
    """

    fronts: list[bytes]
    endings: list[bytes]


@lru_cache(maxsize=1 << 14)
def instant(microseconds: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.ffffffZ` of an instant as PostgreSQL keeps it (`tenancy.reading`)."""
    days, rest = divmod(microseconds, DAY_IN_MICROSECONDS)
    seconds, rest = divmod(rest, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{_day(days)}T{hours:02}:{minutes:02}:{seconds:02}.{rest:06}Z"


@lru_cache(maxsize=1 << 12)
def _day(number: int) -> str:
    """The date so many days after the beginning of 2000."""
    return (_FIRST_DAY + timedelta(days=number)).isoformat()


def quoted(text: str | None) -> str:
    """Any text as JSON, null for none."""
    return "null" if text is None else orjson.dumps(text).decode()


def opening(question: Question) -> str:
    """The first members of a row: deployment, company and learning space; ends with a comma."""
    company = question.company
    return (
        f'{{"deployment_id":"{company.deployment_id}","organization_id":"{company.organization_id}",'
        f'"learning_space_id":"{company.learning_space_id}",'
    )


def members(body: str) -> str:
    """A stored body without its hidden members and its braces."""
    return body[hidden_end(body) : -1]


def name_of(person_name: str | None, erased_at: Any) -> str:
    """A profile's name as JSON; for an erased person, the label of erased people."""
    return f'"{ERASED_PERSON}"' if erased_at is not None else quoted(person_name)


def address_of(email: str | None, erased_at: Any) -> str:
    """A profile's address as JSON; null for an erased person."""
    return "null" if erased_at is not None else quoted(email)


def ending(question: Question, address: str, person_name: str | None, email: str | None, erased_at: Any) -> str:
    """The personal members of a row and its closing brace; `address` is the register's name for the email."""
    if not question.personal:
        return "}"
    return f',"person_name":{name_of(person_name, erased_at)},"{address}":{address_of(email, erased_at)}}}'


def whole(rows: Iterable[str]) -> Rows:
    """Rows whose text is complete."""
    fronts = [row.encode() for row in rows]
    return Rows(fronts, [b""] * len(fronts))


def within(rows: Rows, room: int) -> Rows:
    """The first rows that take at most `room` bytes, with a comma between two of them."""
    count = len(rows.fronts)
    used = sum(map(len, rows.fronts)) + sum(map(len, rows.endings)) + count - 1
    while used > room:
        count -= 1
        used -= len(rows.fronts[count]) + len(rows.endings[count]) + 1
    return Rows(rows.fronts[:count], rows.endings[:count])


def joined(rows: Rows) -> bytes:
    """The rows, separated by commas."""
    return b"".join(_separated(rows))


def page(rows: Rows, members: Mapping[str, object]) -> bytes:
    """The JSON object of a page: its rows under `data`, then `members`."""
    return b"".join((b'{"data":[', *_separated(rows), b"],", orjson.dumps(members)[1:]))


def _separated(rows: Rows) -> list[bytes]:
    pieces = [b","] * (3 * len(rows.fronts) + 1)
    pieces[1::3], pieces[2::3] = rows.fronts, rows.endings
    return pieces[1:-1]
