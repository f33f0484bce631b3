"""Files in a folder of this machine, or on a disk that machines share. Only the service's account can read it."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage

from compliance.files.places import FoundObject

_READ_BYTES = 256 * 1024


class FolderStorage(FileSystemStorage):
    """Django's folder storage, which writes objects atomically and can read from any byte on."""

    faults: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, location: str) -> None:
        super().__init__(location=location, allow_overwrite=True)

    def _save(self, name: str, content: "File[Any]") -> str:
        """Writes a temporary file beside the target, to disk, and then renames it: a kill leaves no partial object."""
        path = Path(self.path(name))
        self._make_folders(path.parent)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                for chunk in content.chunks(_READ_BYTES):
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return name

    def _make_folders(self, folder: Path) -> None:
        """Makes the folders above an object, accessible only to the service's account."""
        root = Path(self.location)
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for depth in range(1, len(folder.relative_to(root).parts) + 1):
            root.joinpath(*folder.relative_to(root).parts[:depth]).mkdir(mode=0o700, exist_ok=True)

    def read(self, name: str, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of an object from `start` to before `stop`, as they come. Raises FileNotFoundError."""
        with open(self.path(name), "rb") as file:
            file.seek(start)
            left = stop - start
            while left > 0 and (chunk := file.read(min(_READ_BYTES, left))):
                left -= len(chunk)
                yield chunk

    def found(self, prefix: str = "") -> Iterator[FoundObject]:
        """Every object whose name begins with `prefix`, and leftovers of killed writers; the mark is not one."""
        root = Path(self.location)
        for folder, _, names in os.walk(root / prefix):
            for name in names:
                path = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    stated = path.stat()
                    changed = datetime.fromtimestamp(stated.st_mtime, UTC)
                    if path.parent != root:
                        yield FoundObject(path.relative_to(root).as_posix(), stated.st_size, changed)

    def exposed(self) -> str:
        """Why other accounts can read the folder, or "": nothing but its access rights protects it."""
        root = Path(self.location)
        return "its rights let other accounts in" if root.exists() and root.stat().st_mode & 0o077 else ""

    def clear_unfinished(self, before: datetime) -> int:
        """Partial files lie beside the objects, where `found` lists them."""
        return 0
