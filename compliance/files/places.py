"""The storages of STORAGES that hold objects, behind one interface, with errors of our own."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, Protocol, cast

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import InvalidStorageError, storages

from compliance.files.errors import ObjectMissingError, StorageFailedError

log = logging.getLogger(__name__)


class FoundObject(NamedTuple):
    """An object as its storage lists it."""

    name: str
    size: int
    changed_at: datetime


class FileStorage(Protocol):
    """The methods of both storages beyond Django's interface, which loads a file whole when it opens it."""

    faults: tuple[type[Exception], ...]

    def save(self, name: str, content: "File[Any]") -> str:
        """Writes an object whole, replacing one of the same name."""
        ...

    def delete(self, name: str) -> None:
        """Deletes an object, whether it exists or not."""
        ...

    def size(self, name: str) -> int:
        """The size of the object in bytes. Raises FileNotFoundError."""
        ...

    def read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of an object from `start` to before `stop`. Raises FileNotFoundError."""
        ...

    def found(self, prefix: str = "") -> Iterator[FoundObject]:
        """The objects whose names begin with `prefix`."""
        ...

    def clear_unfinished(self, before: datetime) -> int:
        """Removes unfinished uploads from before then; returns how many."""
        ...

    def exposed(self) -> str:
        """Why people outside can read what is kept, or ""."""
        ...


def current() -> str:
    """The place where new files are kept."""
    return cast(str, settings.FILES_PLACE)


def is_set_up(place: str) -> bool:
    """Whether this place is configured."""
    return place in settings.STORAGES


@contextmanager
def storage(place: str) -> Iterator[FileStorage]:
    """The storage of a place. Its errors are logged and raised as StorageFailedError or ObjectMissingError."""
    try:
        found = cast(FileStorage, storages[place])
    except InvalidStorageError as error:
        raise StorageFailedError(f"Files lie in a {place} that the settings do not name any more.") from error
    try:
        yield found
    except FileNotFoundError as error:
        raise ObjectMissingError("The file is not where it was kept.") from error
    except found.faults as error:
        log.error("file_storage_failed", extra={"place": place, "error": _words(error)})
        raise StorageFailedError(f"The storage of files failed: {_words(error)}.") from error


def _words(error: Exception) -> str:
    """The error in words, without names of objects, keys or addresses."""
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return str(code or getattr(error, "strerror", None) or type(error).__name__)
