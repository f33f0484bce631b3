"""Temporary folders in which packs and exports are written before they are kept. Their files hold people's names.

A killed process leaves its folder on the disk, which an erasure in the database does not reach. Each machine, and each
container, has a disk of its own, so whatever makes a folder first removes those that were left there.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from compliance.interfaces.console.acting import jobs

PREFIX = "compliance-export-"


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder of its own, removed at the end."""
    remove_left(datetime.now(UTC))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        yield Path(folder)


def remove_left(now: datetime) -> int:
    """Removes the folders that killed processes left on this machine's disk. Returns how many."""
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):  # its process has just removed it
            if folder.stat().st_mtime < (now - jobs.GIVEN_UP).timestamp():
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed
