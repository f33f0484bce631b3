"""Pieces of JSON text that rows are spliced from: a page remains text from the database to the response."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import orjson

from compliance.proofs.history import hidden_end
from compliance.registers.questions import Question
from compliance.rules.owed_learning.outcome import DAY_IN_MICROSECONDS
from compliance.rules.vocabulary import ERASED_PERSON

_FIRST_DAY = date(2000, 1, 1)
# The text of a whole page takes new memory from the system; texts of some rows fit into what the process has already.
_AT_ONCE = 50


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


def within(rows: Sequence[str], room: int) -> tuple[bytes, int]:
    """The first rows that take at most `room` bytes, joined by commas, and their number."""
    parts = [",".join(rows[at : at + _AT_ONCE]).encode() for at in range(0, len(rows), _AT_ONCE)]
    content = b",".join(parts)
    if len(content) <= room:
        return content, len(rows)
    count = used = 0
    for row in rows:
        used += len(row.encode()) + 1
        if used > room + 1:
            break
        count += 1
    return ",".join(rows[:count]).encode(), count
