"""The log's folder outside the database (setting LOG_FOLDER): the signer writes it, every process may read from it.

`checkpoint` is the newest signed checkpoint that was published. Every process compares the database with it at start.
`memory.sqlite3` contains what the signer has signed (`memory`); `lock` makes signers take turns.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from compliance.log.errors import LogFolderError
from compliance.tenancy.queries import deployment_id

CHECKPOINT = "checkpoint"
MEMORY = "memory.sqlite3"
LOCK = "lock"


def path() -> Path:
    """The folder's path. `{deployment_id}` in the setting separates databases that share a folder."""
    name = settings.LOG_FOLDER
    return Path(name.replace("{deployment_id}", str(deployment_id())) if "{deployment_id}" in name else name)


def made() -> Path:
    """The folder; it is made if it does not exist. Raises LogFolderError."""
    found = path()
    try:
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise LogFolderError(f"The log's folder {found} cannot be made ({error.strerror}).") from error
    return found


def read(name: str) -> str | None:
    """The text of a file of the folder; None when there is none. Raises LogFolderError."""
    file = path() / name
    try:
        return file.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise LogFolderError(f"The file {file} cannot be read ({error}).") from error


def write(name: str, text: str) -> None:
    """Replaces a whole file at once: a crash leaves either the old or the new one. Raises LogFolderError."""
    folder = made()
    beside = folder / f"{name}.new"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(folder / name)
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise LogFolderError(f"The file {folder / name} cannot be written ({error.strerror}).") from error


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Waits until no other process signs, then locks. The kernel frees the lock of a process that dies.

    Raises LogFolderError when the lock's file cannot be written.
    """
    file = made() / LOCK
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise LogFolderError(f"The file {file} cannot be written ({error.strerror}).") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
