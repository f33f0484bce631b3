"""The header field `Prefer` (RFC 7240): how long a caller will wait until the recorded facts can be read."""

import re
from typing import Final

LONGEST_WAIT_SECONDS: Final = 20
"""A call that waits occupies a thread and a place among the calls of its source."""

_PREFERENCE = re.compile(r'[\s,]*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s",;]*))?[^,]*(?:,|$)')
_SECONDS = re.compile(r"[0-9]{1,9}")


def wait_seconds(header: str) -> int | None:
    """The value of `wait`, at most `LONGEST_WAIT_SECONDS`; None where it is not asked for.

    The first of several counts; unknown or malformed preferences are ignored, as the RFC requires.
    """
    place = 0
    while place < len(header) and (found := _PREFERENCE.match(header, place)):
        name, value = found.groups()
        if name.lower() == "wait":
            seconds = (value or "").strip('"')
            return min(int(seconds), LONGEST_WAIT_SECONDS) if _SECONDS.fullmatch(seconds) else None
        place = found.end()
    return None
