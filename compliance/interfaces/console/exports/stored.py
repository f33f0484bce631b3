"""Exports of before they were kept files lie in a storage of their own, until they are moved or their time is over.

Whatever that storage raises is one error of ours. Nothing is written to it any more.
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
    """Removes a file, whether it is there or not; False, and a line of the log, when the storage does not."""
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
    except Exception as error:  # storages of others raise what they like
        words = getattr(error, "strerror", None) or type(error).__name__
        raise StorageFailedError(gettext("The storage of exports failed: %(words)s.") % {"words": words}) from error
