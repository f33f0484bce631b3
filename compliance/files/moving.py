"""Moves the objects of a company to the place where new files are kept, while the service runs.

Each file is read from the place in its row, so it can be downloaded before, during and after the move. An interrupted
move can be continued: moved files are not moved again, and a partly moved file is written again.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

from django.core.files import File

from compliance.files import places, queries
from compliance.files.actions import _remove_object
from compliance.files.errors import FilesError, ObjectMissingError
from compliance.files.models import KeptFile
from compliance.tenancy import context

_AT_ONCE = 200


class Move(NamedTuple):
    """A file to be moved: its bytes, and why it was not moved, or ""."""

    file_id: uuid.UUID
    size: int
    fault: str


def waiting(organization_id: uuid.UUID) -> int:
    """How many files of a company are not where new ones are kept, in its context."""
    return KeptFile.objects.filter(organization_id=organization_id, state=KeptFile.State.KEPT).exclude(
        place=places.current()
    ).count()  # fmt: skip


def move(organization_id: uuid.UUID, tell: Callable[[Move], None] = lambda moved: None) -> list[Move]:
    """Moves every file of a company; returns those that could not be moved. Outside any transaction.

    The content is compared with its digests as it is read, and again as it is read back from the new place.
    """
    faults = []
    for file in _elsewhere(organization_id):
        try:
            _move(file)
            moved = Move(file.file_id, file.size, "")
        except (FilesError, OSError) as error:  # an OSError: this machine has no room for the copy
            moved = Move(file.file_id, file.size, str(error))
            faults.append(moved)
        tell(moved)
    return faults


def _elsewhere(organization_id: uuid.UUID) -> Iterator[KeptFile]:
    after = uuid.UUID(int=0)
    while True:
        with context.company(organization_id):
            found = list(
                KeptFile.objects.filter(organization_id=organization_id, state=KeptFile.State.KEPT, file_id__gt=after)
                .exclude(place=places.current())
                .order_by("file_id")[:_AT_ONCE]
            )
        if not found:
            return
        yield from found
        after = found[-1].file_id


def _move(file: KeptFile) -> None:
    target = KeptFile(organization_id=file.organization_id, file_id=file.file_id, purpose=file.purpose)
    target.place, target.size, target.sha256, target.pieces = places.current(), file.size, file.sha256, file.pieces
    # A restored row may be of before a move: nothing is left to be copied then, and the target has the object.
    with (
        contextlib.suppress(ObjectMissingError),
        queries.opened(file) as content,
        places.storage(target.place) as storage,
    ):
        storage.save(target.name, File(content))
    for _ in queries.in_its_place(target):
        pass
    with context.company(file.organization_id):
        kept = KeptFile.objects.filter(
            organization_id=file.organization_id, file_id=file.file_id, state=KeptFile.State.KEPT
        )
        moved = kept.filter(place=file.place).update(place=target.place)
        if not moved and kept.filter(place=target.place).exists():
            return  # another command has moved it, and its object is the one that was just written again
    _remove_object(file if moved else target)  # removed meanwhile: nothing of it stays
