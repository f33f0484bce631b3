"""Whether the folder of this machine is the one in which the deployment keeps its files.

Several machines may share a folder on a network disk. Two folders of the same name on two machines, or a disk that is
not mounted, are refused at start-up: files of one machine would be missing on the other.
"""

import os
import uuid
from pathlib import Path

from django.conf import settings

from compliance.files.errors import WrongFolderError
from compliance.files.models import FilesFolder

MARK = "folder-id"


def refuse_other_folder() -> None:
    """Raises WrongFolderError if a production deployment keeps files in a folder, and this one does not have its mark.

    The first process of a deployment makes the mark. It is part of the folder, so a copy of the folder is accepted too.
    """
    if not settings.PRODUCTION or not settings.USES_FILES or settings.FILES_PLACE != "folder":
        return
    known = FilesFolder.objects.first()
    found = _mark(make=known is None)
    if known is None and found is not None:
        known, _ = FilesFolder.objects.get_or_create(only=True, defaults={"folder_id": found})
    if known is None or found != known.folder_id:
        raise WrongFolderError(
            "FILES_FOLDER is not the folder in which this deployment keeps its files. Machines share one folder, by a"
            " disk that all of them see, or keep files in a bucket (docs/operations.md, `Files`)."
        )


def adopt_folder() -> None:
    """Makes the folder of this machine the one of the deployment, whatever mark it had. Raises WrongFolderError."""
    found = _mark(make=True)
    if found is None:
        raise WrongFolderError(f"The file {MARK} in FILES_FOLDER holds no identifier. Delete it, and try again.")
    if not FilesFolder.objects.update(folder_id=found):
        FilesFolder.objects.create(folder_id=found)


def _mark(*, make: bool) -> uuid.UUID | None:
    """The mark of the folder, made if there is none and `make` is set; None without one.

    Another process may have made the file and not have written it yet: that is None, too.
    """
    folder = Path(settings.FILES_FOLDER)
    try:
        if make:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                handle = os.open(folder / MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                pass
            else:
                with os.fdopen(handle, "w") as file:
                    file.write(f"{uuid.uuid4()}\n")
        return uuid.UUID((folder / MARK).read_text().strip())
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise WrongFolderError(f"FILES_FOLDER cannot be used: {error.strerror}.") from error
