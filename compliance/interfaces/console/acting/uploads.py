"""Files that staff upload for an act: streamed, and kept from the preview until the act or its draft ends."""

import io
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from django.core.files.base import File
from django.db.models import Q, QuerySet

from compliance.files import actions as files
from compliance.files import queries as kept_files
from compliance.files.models import KeptFile
from compliance.interfaces.console.models import Job

HAS_UPLOAD = Q(upload_file_id__isnull=False) | Q(upload__isnull=False)
"""Condition on jobs: it has a file, as a kept file or, in old jobs, in its row."""


@dataclass(frozen=True)
class Upload:
    """A file sent with a form, or kept by a draft. While open it is on disk, not in memory."""

    name: str
    size: int
    opened: Callable[[], AbstractContextManager[IO[bytes]]]

    def read(self) -> bytes:
        """The whole content, for files that are small or cannot be read in parts."""
        with self.opened() as content:
            return content.read()


def of_form(name: str, sent: "File[Any]") -> Upload:
    """The file that the browser has just sent."""

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        sent.seek(0)
        yield sent.file  # type: ignore[misc]

    return Upload(name, sent.size, opened)


def of_job(job: Job) -> Upload | None:
    """The file that a job works on, within the company's context; None without one. Raises FileGoneError."""
    if job.upload_file_id is not None:
        file = kept_files.kept(job.organization_id, job.upload_file_id)
        return Upload(job.upload_name, file.size, lambda: kept_files.opened(file))
    if job.upload is not None:
        content = bytes(job.upload)
        return Upload(job.upload_name, len(content), lambda: io.BytesIO(content))
    return None


def keep(organization_id: uuid.UUID, upload: Upload | None, now: datetime) -> uuid.UUID | None:
    """Keeps a file for a draft. Returns its identifier, None without a file. Raises FilesError."""
    if upload is None:
        return None
    with upload.opened() as content:
        return files.keep(organization_id, KeptFile.Purpose.UPLOAD, content, now).file_id


def forget(found: "QuerySet[Job]", organization_id: uuid.UUID) -> None:
    """Releases the files of jobs whose rows are removed or cleared next. Within the company's context."""
    files.let_go(organization_id, found.filter(upload_file_id__isnull=False).values_list("upload_file_id", flat=True))
