"""Stores the files of exports, removes those that expired or predate an erasure, and runs exports that are due.

A file's row is written before the file and is looked up again when the file is kept. If an erasure removed the row in
between, the file is removed too, so no file with names remains that an erasure does not know of.
"""

import hashlib
import logging
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from compliance.catalogue.declaration import Register
from compliance.errors import ComplianceError
from compliance.facts.people.queries import erasures
from compliance.files import actions as files
from compliance.files import queries as kept_files
from compliance.files.models import KeptFile
from compliance.interfaces.console import folders
from compliance.interfaces.console.exports import schedule, stored
from compliance.interfaces.console.exports.errors import ChangedExportError, MayNotExportError, OutlivedError
from compliance.interfaces.console.exports.extract import Extract, extract, registers
from compliance.interfaces.console.exports.models import ExportFile, StandingExport
from compliance.interfaces.console.exports.writing import check, write
from compliance.interfaces.console.permissions import Permission, staff_of
from compliance.tenancy import context, lost, queries

log = logging.getLogger(__name__)

GIVEN_UP = timedelta(hours=4)
"""A run that has not ended after this time never will: the task's own limit is shorter."""

_PAUSES = (0, 5, 10, 20)
"""The seconds before each attempt to end a run while the database is away: a failover takes ten to thirty."""

DAYS_KEPT = 7
"""How many days a file is kept that was requested once."""


def known_erasures(organization_id: uuid.UUID) -> int:
    """How many erasures the company has made."""
    with context.company(organization_id):
        return erasures(organization_id)


def store(
    about: Extract,
    wanted: Sequence[Register],
    written_as: str,
    *,
    now: datetime,
    expires_at: datetime,
    export_id: uuid.UUID | None = None,
    tell: Callable[[str, int], None] = lambda register, rows: None,
) -> list[ExportFile]:
    """Writes the registers and keeps a file of each. Raises ExportError and then keeps nothing of the run."""
    check(written_as)
    erased, kept = known_erasures(about.organization_id), []
    try:
        for register in wanted:
            file = ExportFile(
                organization_id=about.organization_id,
                file_id=uuid.uuid4(),
                export_id=export_id,
                register=register.name,
                written_as=written_as,
                personal=about.personal,
                as_at=about.as_at,
                capture_sequence=about.pin.capture_sequence,
                erasures=erased,
                begun_at=now,
                expires_at=expires_at,
            )
            with context.company(about.organization_id):
                written = files.begin(about.organization_id, KeptFile.Purpose.EXPORT, now)
                file.kept_file_id = written.file_id
                file.save()
            kept.append(file)
            _fill(file, written, about, register, tell)
    except BaseException:
        for file in kept:
            _remove(file)
        raise
    return kept


def _fill(
    file: ExportFile, written: KeptFile, about: Extract, register: Register, tell: Callable[[str, int], None]
) -> None:
    """Writes a file in a temporary folder of its own and keeps it, unless there was an erasure in between."""
    with folders.temporary_folder() as folder:
        path = folder / file.file_name
        file.rows = write(path, about, register, file.written_as, lambda rows: tell(register.name, rows))
        file.size = path.stat().st_size
        with path.open("rb") as content:
            files.write(written, content)
        file.sha256 = written.sha256
    with context.company(file.organization_id):
        found = ExportFile.objects.select_for_update().filter(
            organization_id=file.organization_id, file_id=file.file_id
        )
        still = found.first() is not None and (not file.personal or erasures(file.organization_id) == file.erasures)
        if still:
            files.settle(written)
            found.update(ready=True, rows=file.rows, size=file.size, sha256=file.sha256)
            file.ready = True
    if not still:
        files.discard(written)
        raise OutlivedError(
            gettext("A person was erased while the export was written. Nothing of it was kept: it is written again.")
        )


def _remove(file: ExportFile) -> None:
    with context.company(file.organization_id):
        files.let_go(file.organization_id, [file.kept_file_id])
        ExportFile.objects.filter(organization_id=file.organization_id, file_id=file.file_id).delete()


def content(file: ExportFile) -> Iterator[bytes]:
    """The bytes of a file, piece by piece. Raises FilesError, StorageFailedError."""
    if file.kept_file_id is None:
        return stored.chunks(file.stored_as)
    with context.company(file.organization_id):
        found = kept_files.kept(file.organization_id, file.kept_file_id)
    return kept_files.content(found)


def move_old(organization_id: uuid.UUID, now: datetime) -> int:
    """Moves exports from the old storage to the kept files. Returns how many. Raises FilesError, StorageFailedError."""
    with context.company(organization_id):
        mine = ExportFile.objects.filter(organization_id=organization_id, kept_file_id=None, ready=True)
        old = list(mine.order_by("file_id"))
    for file in old:
        with tempfile.TemporaryFile() as copied:
            for piece in stored.chunks(file.stored_as):
                copied.write(piece)
            copied.seek(0)
            if hashlib.file_digest(copied, "sha256").hexdigest() != file.sha256:
                raise ChangedExportError("An export of before is not as it was written. It stays where it is.")
            kept = files.keep(organization_id, KeptFile.Purpose.EXPORT, copied, now)
        with context.company(organization_id):
            mine = ExportFile.objects.filter(organization_id=organization_id, file_id=file.file_id, kept_file_id=None)
            moved = mine.update(kept_file_id=kept.file_id)
            if not moved:  # it was removed meanwhile
                files.let_go(organization_id, [kept.file_id])
        if moved:
            stored.removed(file.stored_as)
    return len(old)


def _of_before_gone(file: ExportFile) -> bool:
    """Whether nothing is left in the old storage. Otherwise the row must stay, so that removal is tried again."""
    return file.kept_file_id is not None or stored.removed(file.stored_as)


def forget(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes files that expired, were never finished, or hold names from before an erasure. Returns how many.

    Within the company's context. Scheduled exports that lose a file to an erasure are due at once, so that their
    readers get the file again, without the person.
    """
    outlived = Q(personal=True) & ~Q(erasures=erasures(organization_id))
    over = Q(expires_at__lte=now) | Q(ready=False, begun_at__lte=now - GIVEN_UP) | outlived
    mine = ExportFile.objects.filter(organization_id=organization_id)
    again = set(mine.filter(outlived, export_id__isnull=False).values_list("export_id", flat=True))
    stale = list(mine.filter(over).select_for_update())
    gone = [file.pk for file in stale if _of_before_gone(file)]
    files.let_go(organization_id, [file.kept_file_id for file in stale])
    mine.filter(pk__in=gone).delete()
    mine.filter(pk__in=[file.pk for file in stale]).update(ready=False)  # removal is tried again if it fails
    if again:
        StandingExport.objects.filter(
            organization_id=organization_id, export_id__in=list(again), stopped_at=None, next_run_at__gt=now
        ).update(next_run_at=now)
    return len(gone)


def due(organization_id: uuid.UUID, now: datetime) -> list[uuid.UUID]:
    """The scheduled exports that are due, within the company's context."""
    found = StandingExport.objects.filter(
        Q(begun_at=None) | Q(begun_at__lte=now - GIVEN_UP),
        organization_id=organization_id,
        stopped_at=None,
        next_run_at__lte=now,
    )
    return list(found.values_list("export_id", flat=True))


def run(organization_id: uuid.UUID, export_id: uuid.UUID, now: datetime) -> int:
    """Runs a scheduled export if it is due, only once even if several tasks ask. Returns how many files it wrote.

    A failure is stored in its `problem`, and it runs again at its next hour, or at once if somebody asked for that
    during the run. An error that is not anticipated is also logged and raised.
    """
    organization = queries.organization(organization_id)
    with context.company(organization_id):
        mine = StandingExport.objects.filter(organization_id=organization_id, export_id=export_id)
        claimed = mine.filter(
            Q(begun_at=None) | Q(begun_at__lte=now - GIVEN_UP), stopped_at=None, next_run_at__lte=now
        ).update(begun_at=now)
        export = mine.first()
    if not claimed or export is None:
        return 0
    problem, written = "", 0
    following = schedule.next_run(organization.time_zone, export.every, export.hour, now)
    try:
        _check_maker(export, now)
        about = extract(organization, now, now, personal=export.personal)
        wanted = [register for name in export.registers for register in registers(name)]
        files = store(
            about,
            wanted,
            export.written_as,
            now=now,
            expires_at=now + timedelta(days=export.days),
            export_id=export_id,
        )
        written = len(files)
    except OutlivedError as error:
        problem, following = str(error), now
    except ComplianceError as error:
        problem = str(error)
        log.warning("export_failed", extra={"export_id": str(export_id), "error": type(error).__name__})
    except Exception as error:
        # End the run, so that it is not listed as running until it is given up; the log has the details.
        log.exception("export_failed", extra={"export_id": str(export_id), "error": type(error).__name__})
        if lost.is_lost(error):
            lost.let_go(error)
        _end(export, following, gettext("It stopped with a fault of the service. The log knows more."), {})
        raise
    _end(export, following, problem, {"last_run_at": now} if written else {})
    if written:
        with context.company(organization_id):
            _prune(export)
    return written


def _end(export: StandingExport, following: datetime, problem: str, more: dict[str, datetime]) -> None:
    """Ends the run of a claimed export, also while another server takes over; later `GIVEN_UP` ends it.

    The export is due at `following`, unless somebody changed that during the run.
    """
    for pause in _PAUSES:
        time.sleep(pause)
        try:
            with context.company(export.organization_id):
                mine = StandingExport.objects.filter(organization_id=export.organization_id, export_id=export.export_id)
                mine.update(begun_at=None, problem=problem[:300], **more)
                mine.filter(next_run_at=export.next_run_at).update(next_run_at=following)
        except lost.ERRORS as error:
            lost.let_go(error)
        else:
            return
    log.error("export_not_ended", extra={"export_id": str(export.export_id)})


def _prune(export: StandingExport) -> None:
    """Removes the files of all but the newest `keep` runs."""
    mine = ExportFile.objects.filter(organization_id=export.organization_id, export_id=export.export_id, ready=True)
    moments = list(mine.order_by("-as_at").values_list("as_at", flat=True).distinct()[: export.keep])
    for file in mine.exclude(as_at__in=moments):
        if _of_before_gone(file):
            files.let_go(file.organization_id, [file.kept_file_id])
            file.delete()


def _check_maker(export: StandingExport, now: datetime) -> None:
    """Raises MayNotExportError if the person who set it up may not export any more."""
    staff = staff_of(User.objects.filter(pk=export.user_id).first() or AnonymousUser(), now)
    if staff is None or not staff.may(Permission.EXPORT) or not staff.may_enter(export.organization_id):
        raise MayNotExportError(
            gettext("%(username)s, who set this up, may not export any more. Stop it, and have it set up anew.")
            % {"username": export.username}
        )


def run_now(export: StandingExport, now: datetime) -> None:
    """Makes a scheduled export due, within the company's context."""
    mine = StandingExport.objects.filter(organization_id=export.organization_id, export_id=export.export_id)
    with transaction.atomic():
        mine.update(next_run_at=now, problem="")


def ready(organization_id: uuid.UUID) -> QuerySet[ExportFile]:
    """The files that can be downloaded."""
    return ExportFile.objects.filter(organization_id=organization_id, ready=True)
