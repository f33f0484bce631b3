"""The only place where /v1 reads the clock; everything below it is given the time."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)
