"""What a value looks like in a cell, and why no cell can become a formula.

A spreadsheet takes text that begins with `=`, `+`, `-`, `@`, a tab or a line's end (and their full-width forms) for a
formula, and names are typed by anybody: such text gets an apostrophe before it, as OWASP advises. Only text that is
not written as a number by us is touched.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import orjson

_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def defused(text: str) -> str:
    """`text`, with an apostrophe before it where a spreadsheet would take it for a formula, behind spaces too."""
    if text.startswith(_DANGEROUS) or text.lstrip().startswith(_DANGEROUS):
        return f"'{text}"
    return text


def cell(value: Any) -> str:
    """`value` as the text of a cell: nothing as nothing, lists with semicolons, what is nested as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        if any(isinstance(each, dict) for each in value):
            return defused(orjson.dumps(value).decode())
        return defused("; ".join(str(each) for each in value))
    return defused(str(value))


def line(values: Iterable[Any]) -> str:
    """One line of a CSV file (RFC 4180), its line end included."""
    return ",".join(_quoted(cell(value)) for value in values) + "\r\n"


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\r\n'):
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text
