"""The text form of an instant in every digest: `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""

import re
from datetime import UTC, datetime

from .errors import UnhashableValue

# Newer versions of Python read 24:00 as the next day's midnight, which is never written so.
HASHED_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")


def hashed_instant(moment: datetime) -> str:
    """Return `moment` (aware, any zone) in the hashed form: UTC, six fractional digits, `Z`."""
    if moment.tzinfo is None:
        raise UnhashableValue("An instant without a time zone cannot be hashed.")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def is_hashed_instant(text: str) -> bool:
    """Tell whether `text` is an instant that exists, in exactly the hashed form."""
    if HASHED_INSTANT.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
