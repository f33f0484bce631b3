"""The storages of STORAGES in which objects lie, behind one face, and what they raise as errors of ours."""

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
    """What both storages do beyond Django's own interface, which loads what it opens whole."""

    faults: tuple[type[Exception], ...]

    def save(self, name: str, content: "File[Any]") -> str:
        """Writes an object whole, in place of what has the name."""
        ...

    def delete(self, name: str) -> None:
        """Removes an object, whether it is there or not."""
        ...

    def size(self, name: str) -> int:
        """How many bytes the object has. Raises FileNotFoundError."""
        ...

    def read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of an object from `start` to before `stop`. Raises FileNotFoundError."""
        ...

    def found(self, prefix: str = "") -> Iterator[FoundObject]:
        """The objects whose names begin so."""
        ...

    def clear_unfinished(self, before: datetime) -> int:
        """Removes what was begun before then and never became an object; how many."""
        ...

    def exposed(self) -> str:
        """Why people outside may read what is kept, or nothing."""
        ...


def current() -> str:
    """The place where new files are kept."""
    return cast(str, settings.FILES_PLACE)


def is_set_up(place: str) -> bool:
    """Whether the settings name this place at all."""
    return place in settings.STORAGES


@contextmanager
def storage(place: str) -> Iterator[FileStorage]:
    """The storage of a place. What it raises comes out as StorageFailedError or ObjectMissingError, and is logged."""
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
    """What went wrong in words without names of objects, keys or addresses."""
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return str(code or getattr(error, "strerror", None) or type(error).__name__)
