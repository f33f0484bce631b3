"""Exports written before exports were kept files are in a storage of their own until they are moved or expire.

Whatever that storage raises becomes StorageFailedError. Nothing is written to it any more.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.files.storage import Storage, storages
from django.utils.translation import gettext

from compliance.interfaces.console.exports.errors import StorageFailedError

log = logging.getLogger(__name__)


def chunks(name: str) -> Iterator[bytes]:
    """The bytes of a file, piece by piece. Raises StorageFailedError."""
    with _talking() as storage, storage.open(name) as stored:
        yield from stored.chunks()


def removed(name: str) -> bool:
    """Removes a file, whether it exists or not. Returns False and logs the error if the storage fails."""
    try:
        with _talking() as storage:
            storage.delete(name)
    except StorageFailedError as error:
        log.error("export_not_removed", extra={"stored_as": name, "error": str(error)})
        return False
    return True


@contextmanager
def _talking() -> Iterator[Storage]:
    try:
        yield storages["exports"]
    except Exception as error:  # a storage from elsewhere may raise anything
        words = getattr(error, "strerror", None) or type(error).__name__
        raise StorageFailedError(gettext("The storage of exports failed: %(words)s.") % {"words": words}) from error
