"""Instants as they are written outside: RFC 3339 date-times with an offset, read by one rule wherever they come in.

A fraction of a second may have any number of digits; what is beyond a microsecond is cut, never rounded into the
future. Second 60, a leap second, is the first instant of the next minute whatever its fraction, so that no instant
written later is read as an earlier one. `T` and `Z` may be lower case (RFC 3339, 5.6).
"""

import re
from datetime import UTC, datetime, timedelta

INSTANT_PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""What `read_instant` takes, for JSON Schema and for readers that check it themselves; days may yet not exist."""

_INSTANT = re.compile(INSTANT_PATTERN.removeprefix("^").removesuffix("$"))
_OFFSET = re.compile(r"(?:Z|[+-][0-9:]{5})$")
_ONE_MINUTE = timedelta(minutes=1)


def read_instant(text: str) -> datetime:
    """The instant that `text` writes, in UTC. Raises ValueError when it is no instant of RFC 3339 or never was."""
    if _INSTANT.fullmatch(text) is None:
        raise ValueError("not an instant of RFC 3339")
    return instant_written(text)


def instant_written(text: str) -> datetime:
    """The same for text that is known to match `INSTANT_PATTERN`. Raises ValueError when there is no such day."""
    written = text.upper()
    leap = written[17:19] == "60"
    if leap:
        written = f"{written[:17]}00{written[_OFFSET.search(written).start() :]}"  # type: ignore[union-attr]
    try:
        moment = datetime.fromisoformat(written).astimezone(UTC)
        return moment + _ONE_MINUTE if leap else moment
    except OverflowError as error:
        raise ValueError("beyond the calendar") from error
