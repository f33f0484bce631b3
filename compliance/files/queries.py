"""Reads kept files piece by piece, each compared with its digest before it is returned."""

import contextlib
import logging
import tempfile
import uuid
from collections.abc import Generator, Iterator
from typing import IO

from compliance.files import places
from compliance.files.errors import FileGoneError, ObjectChangedError, ObjectMissingError
from compliance.files.models import KeptFile
from compliance.files.pieces import Digests, bounds, checked
from compliance.tenancy import context

log = logging.getLogger(__name__)


def kept(organization_id: uuid.UUID, file_id: uuid.UUID) -> KeptFile:
    """A file of a company, within its context. Raises FileGoneError."""
    found = KeptFile.objects.filter(organization_id=organization_id, file_id=file_id, state=KeptFile.State.KEPT).first()
    if found is None:
        raise FileGoneError("The file is not kept any more.")
    return found


def content(file: KeptFile, start: int = 0, stop: int | None = None) -> "Content":
    """The bytes of a file from `start` to before `stop`, at most a piece at a time, outside any transaction.

    The first piece is read at once, so that a file that cannot be read raises before a response is begun:
    ObjectMissingError, ObjectChangedError, StorageFailedError. Later errors are raised while iterating.
    """
    end = file.size if stop is None else min(stop, file.size)
    if start >= end:
        return Content(_nothing())
    try:
        return Content(_pieces(file, start, end))
    except ObjectMissingError:
        moved = _reread(file)
        if moved is None or moved.place == file.place:
            raise
        return Content(_pieces(moved, start, end))


def in_its_place(file: KeptFile) -> Iterator[bytes]:
    """All bytes of the object in the place that `file` names, whatever its row says. Raises as `content` does."""
    return _pieces(file, 0, file.size)


@contextlib.contextmanager
def opened(file: KeptFile) -> Iterator[IO[bytes]]:
    """The file on this machine's disk within the block, for code that reads it more than once.

    It has no name there: the copy ends with the process, even with one that is killed.
    """
    with tempfile.TemporaryFile() as copied:
        for piece in content(file):
            copied.write(piece)
        copied.flush()
        copied.seek(0)
        yield copied


class Content:
    """The pieces of a file, of which the first is read. Closing it before the end also closes the connection."""

    def __init__(self, pieces: Generator[bytes, None, None]) -> None:
        self._pieces = pieces
        self._first: bytes | None = next(pieces, b"")

    def __iter__(self) -> "Content":
        return self

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return next(self._pieces)

    def close(self) -> None:
        """Closes it without reading the rest."""
        self._pieces.close()


def _nothing() -> Generator[bytes, None, None]:
    yield from ()


def _pieces(file: KeptFile, start: int, stop: int) -> Generator[bytes, None, None]:
    try:
        with places.storage(file.place) as storage:
            digests = Digests(file.size, file.sha256, bytes(file.pieces))
            yield from checked(storage.read(file.name, *bounds(start, stop, file.size)), digests, start, stop)
    except (ObjectChangedError, ObjectMissingError) as error:
        log.error("kept_file_unsound", extra={"file_id": str(file.file_id), "place": file.place, "error": str(error)})
        raise


def _reread(file: KeptFile) -> KeptFile | None:
    """The current row: the file may have been moved since its row was read."""
    with context.company(file.organization_id), contextlib.suppress(FileGoneError):
        return kept(file.organization_id, file.file_id)
    return None
