"""The one place where /v1 reads the clock; everything below is told the time."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)
