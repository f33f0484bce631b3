"""Instants in external formats: RFC 3339 date-times with an offset, read by the same code at every entry point.

A fraction of a second may have any number of digits; digits beyond the microsecond are cut off, so that no instant is
rounded into the future. Second 60, a leap second, is the first instant of the next minute whatever its fraction, so
that reading never reverses the order of two instants. `T` and `Z` may be lower case (RFC 3339, 5.6).
"""

import re
from datetime import UTC, datetime, timedelta

INSTANT_PATTERN = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""What `read_instant` accepts, for JSON Schema and other checks. A matching text may name a day that does not exist."""

_INSTANT = re.compile(INSTANT_PATTERN.removeprefix("^").removesuffix("$"))
_OFFSET = re.compile(r"(?:Z|[+-][0-9:]{5})$")
_ONE_MINUTE = timedelta(minutes=1)


def read_instant(text: str) -> datetime:
    """Read `text` as an instant in UTC. Raises ValueError if it is not RFC 3339 or its date does not exist."""
    if _INSTANT.fullmatch(text) is None:
        raise ValueError("not an instant of RFC 3339")
    return instant_written(text)


def instant_written(text: str) -> datetime:
    """Read text that is known to match `INSTANT_PATTERN`. Raises ValueError if its date does not exist."""
    written = text.upper()
    leap = written[17:19] == "60"
    if leap:
        written = f"{written[:17]}00{written[_OFFSET.search(written).start() :]}"  # type: ignore[union-attr]
    try:
        moment = datetime.fromisoformat(written).astimezone(UTC)
        return moment + _ONE_MINUTE if leap else moment
    except OverflowError as error:
        raise ValueError("beyond the calendar") from error
