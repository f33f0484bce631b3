"""Compares rows with objects, and finds those that exist only in one.

An object without a row was left by a crash, or by restoring the database: it is deleted once it is so old that no
transaction can still refer to it. A row without an object is only reported, since only people can repair it. An object
in another place than its row says is deleted only if the file has one there.
"""

import itertools
import random
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.files import places, queries
from compliance.files.errors import FilesError
from compliance.files.failures import Failures
from compliance.files.models import KeptFile
from compliance.tenancy import context

OLD_ENOUGH = timedelta(hours=12)
"""Twice the longest time between writing an object and committing its row."""

_AT_ONCE = 500


class Unsound(NamedTuple):
    """A file whose object differs from its row."""

    file_id: uuid.UUID
    purpose: str
    place: str
    fault: str


def orphans(organization_id: uuid.UUID, now: datetime) -> Iterator[tuple[str, str]]:
    """The objects of a company without a row that are old enough: place and name. Outside a transaction."""
    for place in filter(places.is_set_up, KeptFile.Place.values):
        yield from ((place, name) for name in _orphans_in(place, organization_id, now))


def clear_orphans(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes the objects of a company without a row; returns how many.

    Goes on past objects and places that fail, in random order so that the same ones do not always come first, and
    raises StorageFailedError after that.
    """
    cleared, failures = 0, Failures()
    for place in filter(places.is_set_up, KeptFile.Place.values):
        found: list[str] = []
        with failures.counted(place):
            found = list(_orphans_in(place, organization_id, now))
        random.shuffle(found)
        for name in found:
            if failures.enough(place):
                break
            with failures.counted(place), places.storage(place) as storage:
                storage.delete(name)
                cleared += 1
    failures.raise_them("objects or lists of objects without a row could not be cleared")
    return cleared


def clear_unfinished(now: datetime) -> int:
    """Removes unfinished uploads of all companies; returns how many. Raises StorageFailedError after the last place."""
    cleared, failures = 0, Failures()
    for place in filter(places.is_set_up, KeptFile.Place.values):
        with failures.counted(place), places.storage(place) as storage:
            cleared += storage.clear_unfinished(now - OLD_ENOUGH)
    failures.raise_them("storages could not be cleared of unfinished uploads")
    return cleared


def _orphans_in(place: str, organization_id: uuid.UUID, now: datetime) -> Iterator[str]:
    with places.storage(place) as storage:
        listed = (each.name for each in storage.found(f"{organization_id}/") if each.changed_at < now - OLD_ENOUGH)
        while names := list(itertools.islice(listed, _AT_ONCE)):
            rows = _rows(organization_id, names)
            yield from (name for name in names if _is_orphan(rows.get(name), place))


def unsound(organization_id: uuid.UUID, *, whole: bool) -> Iterator[Unsound]:
    """The files of a company whose objects are missing or have another length; `whole` also compares every piece."""
    after = uuid.UUID(int=0)
    while True:
        with context.company(organization_id):
            mine = KeptFile.objects.filter(
                organization_id=organization_id, state=KeptFile.State.KEPT, file_id__gt=after
            )
            found = list(mine.order_by("file_id")[:_AT_ONCE])
        for file in found:
            if (fault := _fault(file, whole)) and _is_as_read(file):
                yield Unsound(file.file_id, file.purpose, file.place, fault)
        if not found:
            return
        after = found[-1].file_id


def _is_as_read(file: KeptFile) -> bool:
    """Whether the file is still kept in the place that was read: it may have been let go of, or moved, since."""
    with context.company(file.organization_id):
        return KeptFile.objects.filter(
            organization_id=file.organization_id, file_id=file.file_id, state=KeptFile.State.KEPT, place=file.place
        ).exists()


def _fault(file: KeptFile, whole: bool) -> str:
    try:
        with places.storage(file.place) as storage:
            size = storage.size(file.name)
        if size != file.size:
            return f"The object has {size:,} bytes, and {file.size:,} were kept."
        if whole:
            for _ in queries.content(file):
                pass
    except FilesError as error:
        return str(error)
    return ""


def _is_orphan(file: KeptFile | None, place: str) -> bool:
    """Whether an object in `place` is of no use: no row, or a row of another place that has its object.

    A restored row may be of before a move: then this is the only object of the file.
    """
    if file is None or file.place == place:
        return file is None
    return file.state != KeptFile.State.KEPT or not _fault(file, whole=False)


def _rows(organization_id: uuid.UUID, names: list[str]) -> dict[str, KeptFile]:
    with context.company(organization_id):
        mine = KeptFile.objects.filter(organization_id=organization_id, file_id__in=_identifiers(names))
        return {file.name: file for file in mine.defer("pieces")}


def _identifiers(names: list[str]) -> Iterator[uuid.UUID]:
    for name in names:
        try:
            yield uuid.UUID(name.rpartition("/")[2])
        except ValueError:  # left beside the objects by a killed writer
            continue
