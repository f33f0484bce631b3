"""Writes values as cells that cannot become formulas, whatever the locale in which a spreadsheet opens the file.

A spreadsheet reads text that begins with `=`, `+`, `-`, `@`, a tab or a line's end (and their full-width forms) as a
formula, and anybody can type a name: such text gets an apostrophe before it, as OWASP advises (CSV Injection). Excel
takes the list separator from the locale; if it is not the comma, our quotes do not keep a cell together, and `x;=1+1`
becomes two cells. So an apostrophe is also put after every separator within the text. Numbers that we write are not
changed.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

_SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"
# Characters that programs drop or ignore at the beginning of a cell: spaces, zero-width characters, quotes.
_UNSEEN = "\\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u2060\ufeff\"'"
_SEPARATOR = re.compile('[,;|"\t\r\n]')
_SHORT = 48
_BEGINNING = re.compile(rf"((?:^|[;,|\t\r\n])[{_UNSEEN}]*)(?=[{_SIGNS}])")


def defused(text: str) -> str:
    """`text`, with an apostrophe wherever a spreadsheet would read what follows as a formula, also after spaces."""
    found = _BEGINNING.sub(r"\1'", text)
    return f"'{found}" if found.startswith(("\t", "\r", "\n")) else found


def cell(value: Any) -> str:
    """`value` as the text of a cell: None as empty text, lists with semicolons, nested values as JSON."""
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
            return defused(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
        return defused("; ".join(str(each) for each in value))
    return defused(str(value))


def line(values: Iterable[Any]) -> str:
    """One line of a CSV file (RFC 4180), its line end included."""
    return ",".join([_field(value) for value in values]) + "\r\n"


def _field(value: Any) -> str:
    if isinstance(value, str) and len(value) <= _SHORT:
        return _short_field(value)
    return _quoted(cell(value))


@lru_cache(maxsize=1 << 14)
def _short_field(text: str) -> str:
    """A short text as a field; cached, because words, identifiers and the instants of an import occur often."""
    return _quoted(defused(text))


def _quoted(text: str) -> str:
    if _SEPARATOR.search(text) is not None:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text
