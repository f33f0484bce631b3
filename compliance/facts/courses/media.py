"""The media of releases as kept files: kept with a release, read in parts, moved out of the database.

The same content is kept once for each company, however many versions of a course use it: media never change, and are
not removed with a version.
"""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from compliance.contentfile.package import CheckedPackage, MediaFile
from compliance.facts.courses.models import ReleaseMedia
from compliance.files import actions as files
from compliance.files import places
from compliance.files import queries as kept_files
from compliance.files.errors import FileGoneError, FilesError, ObjectChangedError, ObjectMissingError
from compliance.files.models import KeptFile
from compliance.tenancy import context, sql

_PIECE_BYTES = 256 * 1024


def keep_media(organization_id: uuid.UUID, course_release_id: uuid.UUID, package: CheckedPackage) -> None:
    """Keeps the media of a release's package. Media that are kept and sound are left; missing ones are kept again.

    Within the company's context. If it raises FilesError, nothing of this call is kept.
    """
    mine = ReleaseMedia.objects.filter(organization_id=organization_id, course_release_id=course_release_id)
    known = {each.media_id: each for each in mine.defer("content")}
    shared = _shared(organization_id, [item.sha256 for item in package.media])
    made: list[KeptFile] = []
    try:
        for item in package.media:
            there = known.get(item.id)
            if there is not None and there.kept_file_id is None and _is_in_database(there):
                continue
            file_id = shared.get(item.sha256)
            if file_id is None:
                made.append(_keep(organization_id, package, item))
                file_id = shared[item.sha256] = made[-1].file_id
            if there is None:
                _row(organization_id, course_release_id, item, file_id).save(force_insert=True)
            elif there.kept_file_id != file_id:
                mine.filter(media_id=item.id).update(kept_file_id=file_id)
    except BaseException:
        for file in made:
            files.discard(file, rolled_back=True)
        raise


def media_content(
    organization_id: uuid.UUID, course_release_id: uuid.UUID, media_id: str, start: int, stop: int
) -> Iterator[bytes] | None:
    """The bytes of a media file from `start` to before `stop`, a piece at a time; None if it is not kept.

    Called within the company's context; reading the pieces does not need it. Raises FilesError.
    """
    found = (
        ReleaseMedia.objects.filter(
            organization_id=organization_id, course_release_id=course_release_id, media_id=media_id
        )
        .values_list("kept_file_id", "size")
        .first()
    )
    if found is None:
        return None
    if found[0] is not None:
        return kept_files.content(kept_files.kept(organization_id, found[0]), start, stop)
    named = (organization_id, course_release_id, media_id)
    if _part(*named, start, 1) is None:
        return None
    return _of_before(named, start, min(stop, found[1]))


def move_media(organization_id: uuid.UUID) -> int:
    """Moves the media that a company has in the database to where files are kept; returns how many.

    Each is compared with its digest, kept, and removed from the database with the row that names it. Raises FilesError,
    and ObjectChangedError for one whose digest differs.
    """
    moved = 0
    while True:
        with context.company(organization_id):
            mine = ReleaseMedia.objects.filter(organization_id=organization_id, content__isnull=False)
            each = mine.order_by("course_release_id", "media_id").first()
        if each is None:
            return moved
        with tempfile.TemporaryFile() as copied:
            copied.write(bytes(each.content or b""))
            kept = files.keep(organization_id, KeptFile.Purpose.MEDIA, copied, datetime.now(UTC))
        if kept.sha256 != each.sha256:
            with context.company(organization_id):
                files.let_go(organization_id, [kept.file_id])
            raise ObjectChangedError(
                f"The media {each.media_id} of the version {each.course_release_id} differs from its digest. It stays."
            )
        with context.company(organization_id):
            if not mine.filter(pk=each.pk).update(kept_file_id=kept.file_id, content=None):
                files.let_go(organization_id, [kept.file_id])
        moved += 1


def waiting_media(organization_id: uuid.UUID) -> int:
    """How many media of a company are still in the database, within its context."""
    return ReleaseMedia.objects.filter(organization_id=organization_id, content__isnull=False).count()


def _shared(organization_id: uuid.UUID, digests: list[str]) -> dict[str, uuid.UUID]:
    """The kept files with these contents, if they are sound as far as their storage reports at once."""
    rows = ReleaseMedia.objects.filter(
        organization_id=organization_id, sha256__in=digests, kept_file_id__isnull=False
    ).values_list("sha256", "kept_file_id")
    found: dict[str, uuid.UUID] = {}
    for sha256, file_id in rows.order_by("id"):
        if sha256 not in found and file_id is not None and _is_there(organization_id, file_id):
            found[sha256] = file_id
    return found


def _is_there(organization_id: uuid.UUID, file_id: uuid.UUID) -> bool:
    with suppress(FileGoneError, ObjectMissingError):
        file = kept_files.kept(organization_id, file_id)
        with places.storage(file.place) as storage:
            return storage.size(file.name) == file.size
    return False


def _is_in_database(row: ReleaseMedia) -> bool:
    return _part(row.organization_id, row.course_release_id, row.media_id, 0, 1) is not None


def _keep(organization_id: uuid.UUID, package: CheckedPackage, item: MediaFile) -> KeptFile:
    with tempfile.TemporaryFile() as copied:
        package.copy_media(item.id, copied)
        return files.keep(organization_id, KeptFile.Purpose.MEDIA, copied, datetime.now(UTC))


def _row(organization_id: uuid.UUID, course_release_id: uuid.UUID, item: MediaFile, file_id: uuid.UUID) -> ReleaseMedia:
    return ReleaseMedia(
        organization_id=organization_id,
        course_release_id=course_release_id,
        media_id=item.id,
        media_type=item.type,
        sha256=item.sha256,
        size=item.size,
        kept_file_id=file_id,
    )


def _of_before(named: tuple[uuid.UUID, uuid.UUID, str], start: int, stop: int) -> Iterator[bytes]:
    while start < stop:
        with context.company(named[0]):
            piece = _part(*named, start, min(_PIECE_BYTES, stop - start))
        if not piece:
            raise FilesError("The file was moved while it was read. Ask for it again.")
        yield piece
        start += len(piece)


def _part(
    organization_id: uuid.UUID, course_release_id: uuid.UUID, media_id: str, start: int, length: int
) -> bytes | None:
    """Up to `length` bytes of a media file in the database; None if it is not there."""
    rows = sql.fetch(
        "SELECT substring(content FROM %s FOR %s) FROM courses_releasemedia"
        " WHERE organization_id = (SELECT %s::uuid) AND course_release_id = %s AND media_id = %s",
        [start + 1, length, organization_id, course_release_id, media_id],
    )
    return bytes(rows[0][0]) if rows and rows[0][0] is not None else None
