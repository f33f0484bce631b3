"""Keeps and removes files, so that a crash at any point neither loses a file nor leaves one behind for ever.

Keeping writes the row first (`writing`), then the object; then the row becomes `kept` in the transaction that refers to
the file. Removing sets the row to `leaving` in the transaction that removes the reference; then the object is deleted,
then the row. A crash in between leaves a row that is not `kept`, which `clear` removes with its object. If the row was
written in a longer transaction that is rolled back, only an object is left, which `orphans` finds.
"""

import contextlib
import logging
import uuid
from collections.abc import Collection, Iterable, Iterator
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import IO

from django.core.files import File
from django.db import transaction

from compliance.files import places
from compliance.files.errors import FileGoneError, FilesError, ObjectChangedError
from compliance.files.failures import Failures
from compliance.files.models import KeptFile
from compliance.files.pieces import digests_of
from compliance.tenancy import context

log = logging.getLogger(__name__)

GIVEN_UP = timedelta(hours=6)
"""A file that is still being written after this time never will be: the time limit of every task is shorter."""

CLEARED_AT_ONCE = 1000
_FAILURES_AT_ONCE = 2
"""Failures after which whoever lets files go is not kept waiting any longer: `clear` does the rest."""

_rehearsed: ContextVar[bool] = ContextVar("rehearsed", default=False)


@contextlib.contextmanager
def rehearsal() -> Iterator[None]:
    """Within this context no object is written or deleted: for a dry run whose transaction is rolled back."""
    token = _rehearsed.set(True)
    try:
        yield
    finally:
        _rehearsed.reset(token)


def begin(organization_id: uuid.UUID, purpose: str, now: datetime) -> KeptFile:
    """A file whose object is still to be written. Outside a transaction the row is permanent."""
    file = KeptFile(organization_id=organization_id, purpose=purpose, place=places.current(), begun_at=now)
    with context.company(organization_id):
        file.save(force_insert=True)
    return file


def write(file: KeptFile, content: IO[bytes]) -> None:
    """Writes the object of a file that was begun. Raises StorageFailedError, ObjectChangedError.

    Its length is read back from the storage; the pieces are compared whenever they are read.
    """
    found = digests_of(content)
    file.size, file.sha256, file.pieces = found.size, found.sha256, found.pieces
    if _rehearsed.get():
        return
    with places.storage(file.place) as storage:
        storage.save(file.name, File(content))
        if storage.size(file.name) != file.size:
            raise ObjectChangedError("The storage kept another number of bytes than it was given.")


def settle(file: KeptFile) -> None:
    """Marks the object as kept, in the transaction that refers to the file. Raises FileGoneError.

    If the row was removed meanwhile by an erasure, the object is deleted too.
    """
    settled = KeptFile.objects.filter(
        organization_id=file.organization_id, file_id=file.file_id, state=KeptFile.State.WRITING
    ).update(state=KeptFile.State.KEPT, size=file.size, sha256=file.sha256, pieces=file.pieces)
    if not settled:
        _remove_object(file)
        raise FileGoneError("The file was let go of while it was written.")
    file.state = KeptFile.State.KEPT


def keep(organization_id: uuid.UUID, purpose: str, content: IO[bytes], now: datetime) -> KeptFile:
    """Keeps a content as a new file. If it raises FilesError, nothing of the file is left."""
    file = begin(organization_id, purpose, now)
    try:
        write(file, content)
        with context.company(organization_id):
            settle(file)
    except BaseException:
        discard(file)
        raise
    return file


def discard(file: KeptFile, *, rolled_back: bool = False) -> None:
    """Gives up a file that was begun, as far as its storage and the database permit; `clear` does the rest.

    A file that was kept, because the error came after its commit, stays, unless `rolled_back` states that the
    transaction in which it was kept is about to be rolled back.
    """
    with contextlib.suppress(Exception), context.company(file.organization_id):  # keeps the error that led here
        mine = KeptFile.objects.filter(organization_id=file.organization_id, file_id=file.file_id)
        if (rolled_back or not mine.filter(state=KeptFile.State.KEPT).exists()) and _remove_object(file):
            mine.delete()


def let_go(organization_id: uuid.UUID, file_ids: Collection[uuid.UUID | None]) -> None:
    """Removes files that nothing refers to any more; their objects are deleted once the transaction is committed.

    Within the company's context. If the storage is unavailable, `clear` tries again.
    """
    named = [each for each in file_ids if each is not None]
    if not named:
        return
    mine = KeptFile.objects.filter(organization_id=organization_id, file_id__in=named)
    leaving = list(mine.defer("pieces"))
    mine.update(state=KeptFile.State.LEAVING)
    transaction.on_commit(lambda: _remove_objects(leaving, Failures(most=_FAILURES_AT_ONCE)), robust=True)


def clear(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes the objects, then the rows, of removed or unfinished files; returns how many.

    Outside a transaction, because a storage may be slow. Files whose removal fails, perhaps for ever, keep no other
    file: they are taken in random order, each hour in another one, and places that are not set up are left out.
    """
    cleared, failures = 0, Failures()
    for state, before in ((KeptFile.State.LEAVING, now), (KeptFile.State.WRITING, now - GIVEN_UP)):
        with context.company(organization_id):
            mine = KeptFile.objects.filter(organization_id=organization_id, state=state, begun_at__lte=before)
            places_of_all = set(mine.values_list("place", flat=True).distinct())
            usable = {place for place in places_of_all if places.is_set_up(place)}
            found = list(mine.filter(place__in=usable).order_by("?").defer("pieces")[:CLEARED_AT_ONCE])
        for place in places_of_all - usable:
            log.error("files_not_removed", extra={"place": place, "error": "The settings do not name this place."})
        gone = _remove_objects(found, failures)
        if gone:
            with context.company(organization_id):
                mine = KeptFile.objects.filter(organization_id=organization_id, file_id__in=gone)
                cleared += mine.exclude(state=KeptFile.State.KEPT).delete()[0]
    return cleared


def _remove_objects(files: Iterable[KeptFile], failures: Failures) -> list[uuid.UUID]:
    """Deletes objects; returns the files whose objects are gone. Stops in a place with enough failures."""
    gone = []
    for file in files:
        if not failures.enough(file.place):
            with failures.counted(file.place):
                _remove(file)
                gone.append(file.file_id)
    return gone


def _remove_object(file: KeptFile) -> bool:
    """Deletes the object; returns whether it is gone."""
    try:
        _remove(file)
    except FilesError:
        return False
    return True


def _remove(file: KeptFile) -> None:
    """Deletes the object. Logs a failure, and raises FilesError."""
    if _rehearsed.get():
        return
    try:
        with places.storage(file.place) as storage:
            storage.delete(file.name)
    except FilesError as error:
        log.error("file_not_removed", extra={"file_id": str(file.file_id), "place": file.place, "error": str(error)})
        raise
