"""The list of erasures outside the database (setting ERASURE_LIST): what a restore from a backup must do again.

A file of JSON Lines, only ever appended to; it holds identifiers and moments and nothing personal. An erasure is
written here as soon as it is committed. Keep the file with the backups, and apart from the database's own disk.
"""

import fcntl
import os
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import orjson
from django.conf import settings

from compliance.facts.errors import FactsError


class ErasureListError(FactsError):
    """A line of the list is not what this program writes."""


class Entry(NamedTuple):
    """One erasure: of a person, or of an invitation that nobody accepted."""

    organization_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    invitation_id: uuid.UUID | None
    at: datetime


def append(entries: Iterable[Entry]) -> None:
    """Append `entries` and wait until they are on the disk."""
    lines = b"".join(
        orjson.dumps(
            {
                "organization_id": str(entry.organization_id),
                **({"learner_profile_id": str(entry.learner_profile_id)} if entry.learner_profile_id else {}),
                **({"invitation_id": str(entry.invitation_id)} if entry.invitation_id else {}),
                "at": entry.at.astimezone(UTC).isoformat(),
            }
        )
        + b"\n"
        for entry in entries
    )
    path = Path(settings.ERASURE_LIST)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, lines)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path: Path) -> Iterator[Entry]:
    """Yield the entries of a list in their order. Raises ErasureListError with the number of a line that is none."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                said = orjson.loads(line)
                entry = Entry(
                    uuid.UUID(said["organization_id"]),
                    uuid.UUID(said["learner_profile_id"]) if "learner_profile_id" in said else None,
                    uuid.UUID(said["invitation_id"]) if "invitation_id" in said else None,
                    datetime.fromisoformat(said["at"]),
                )
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ErasureListError(f"Line {number} of the erasure list is not an erasure.") from error
            if (entry.learner_profile_id is None) == (entry.invitation_id is None) or entry.at.tzinfo is None:
                raise ErasureListError(f"Line {number} of the erasure list is not an erasure.")
            yield entry
