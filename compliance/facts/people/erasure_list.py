"""The list of erasures outside the database (setting ERASURE_LIST), to be repeated after a restore from a backup.

An append-only file of JSON Lines, with identifiers and moments and no personal data. An erasure is written here as soon
as it is committed. Keep the file with the backups, and not on the database's own disk.

A crash or a full disk may leave part of a line. The next append begins on a new line, and `read` yields the number of
each line that is not an erasure, and all the others.
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

_BEGINNING = b'{"organization_id"'


class Entry(NamedTuple):
    """One erasure: of a person, or of an invitation that nobody accepted."""

    organization_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    invitation_id: uuid.UUID | None
    at: datetime


class Unreadable(NamedTuple):
    """A line of the list, or a part of one, that is not an erasure. Line numbers count from 1."""

    number: int


def append(entries: Iterable[Entry]) -> None:
    """Append `entries` and wait until they are on disk."""
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
    is_new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        end = os.lseek(descriptor, 0, os.SEEK_END)
        if end and os.pread(descriptor, 1, end - 1) != b"\n":
            lines = b"\n" + lines
        while lines:  # a full disk takes part of it, and raises an error at the next write
            lines = lines[os.write(descriptor, lines) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_new:
        _keep_name(path.parent)


def read(path: Path) -> Iterator[Entry | Unreadable]:
    """Yield the entries of a list in order, and the number of each line that is not one."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            entry = _entry(line)
            if entry is None:
                yield Unreadable(number)
                # Earlier versions appended directly behind part of a line, without a line feed.
                entry = _entry(line[max(line.rfind(_BEGINNING), 0) :])
            if entry is not None:
                yield entry


def _entry(line: bytes) -> Entry | None:
    try:
        stated = orjson.loads(line)
        entry = Entry(
            uuid.UUID(stated["organization_id"]),
            uuid.UUID(stated["learner_profile_id"]) if "learner_profile_id" in stated else None,
            uuid.UUID(stated["invitation_id"]) if "invitation_id" in stated else None,
            datetime.fromisoformat(stated["at"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    names_one = (entry.learner_profile_id is None) != (entry.invitation_id is None)
    return entry if names_one and entry.at.tzinfo is not None else None


def _keep_name(folder: Path) -> None:
    """Sync the folder, so that the file's name is on disk too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
