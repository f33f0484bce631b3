"""Begins, stores, serves and removes packs, which are kept for a few days."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.db.models import QuerySet
from django.utils.translation import gettext

from compliance.facts.people.queries import erasures
from compliance.files import actions as files
from compliance.files import queries as kept_files
from compliance.files.models import KeptFile
from compliance.interfaces.console import folders
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.evidence.building import Built, build
from compliance.interfaces.console.evidence.errors import CannotBuildError, OutlivedError
from compliance.interfaces.console.evidence.models import Pack, PackPart
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.validating import validate
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.permissions import Staff
from compliance.tenancy import context, sql

ACT = "evidence_pack"
TASK = "compliance.evidence.build"
KEPT = timedelta(days=3)
AT_ONCE = 2
"""How many packs of one company may be built at the same time."""

PIECES_A_LOOK = 4
"""After so many pieces, a download checks again whether the pack still exists."""


def begin(about: Subject, staff: Staff, now: datetime) -> uuid.UUID:
    """Queues the building of a pack, unless that was done already. Returns its job. Raises CannotBuildError."""
    forget(about.organization_id, now)
    mine = Pack.objects.filter(organization_id=about.organization_id)
    known = mine.filter(
        first_day=about.first_day, last_day=about.last_day, capture_sequence=about.pin.capture_sequence
    ).order_by("-begun_at")
    under_way = Job.objects.filter(
        organization_id=about.organization_id,
        act=ACT,
        state__in=(Job.State.WAITING, Job.State.RUNNING),
        asked_at__gt=now - jobs.GIVEN_UP,
    )
    running = set(under_way.values_list("job_id", flat=True))
    for job_id, built in known.values_list("job_id", "built"):
        if built or job_id in running:
            return job_id
    if len(running) >= AT_ONCE:
        raise CannotBuildError(gettext("Two packs of this company are being built. Wait until one of them is done."))
    job = Job(organization_id=about.organization_id, act=ACT, user_id=staff.user_id, username=staff.username)
    jobs.begin(job, now, TASK)
    Pack.objects.create(
        organization_id=about.organization_id,
        job_id=job.job_id,
        first_day=about.first_day,
        last_day=about.last_day,
        capture_sequence=about.pin.capture_sequence,
        file_name=about.file_name,
        begun_at=now,
        erasures=erasures(about.organization_id),
    )
    return job.job_id


def build_and_keep(about: Subject, job: Job) -> Built:
    """Builds the pack of a job and keeps it. Raises EvidenceError, FilesError.

    The pack's row names the file before it is written, so removing the pack always removes the file too. The pack is
    offered under a lock on its row, and only if nobody was erased since it was begun.
    """
    try:
        with folders.temporary_folder() as folder:
            output = folder / about.file_name
            with context.company(about.organization_id):
                known = _unchanged_erasures(about.organization_id, job.job_id)
            built = build(about, output, lambda done, total: jobs.say(job, done, total), erasures=known)
            _keep(about.organization_id, job.job_id, output, built)
            verdict = validate(output)
        with context.company(about.organization_id):
            _unchanged_erasures(about.organization_id, job.job_id)
            Pack.objects.filter(organization_id=about.organization_id, job_id=job.job_id).update(
                holds=verdict.holds, verdict=verdict.words
            )
    except OutlivedError:
        with context.company(about.organization_id):
            forget(about.organization_id, datetime.now(UTC))
        raise
    return built


def _keep(organization_id: uuid.UUID, job_id: uuid.UUID, output: Path, built: Built) -> None:
    """Stores the pack and offers it, before the verifier has read it. Raises OutlivedError, FilesError."""
    mine = Pack.objects.filter(organization_id=organization_id, job_id=job_id)
    file = files.begin(organization_id, KeptFile.Purpose.PACK, datetime.now(UTC))
    try:
        with context.company(organization_id):
            _unchanged_erasures(organization_id, job_id)
            mine.update(kept_file_id=file.file_id)
        with output.open("rb") as content:
            files.write(file, content)
        with context.company(organization_id):
            _unchanged_erasures(organization_id, job_id)
            files.settle(file)
            _say_built(mine, built)
    except BaseException:
        files.discard(file)
        raise


def _say_built(mine: "QuerySet[Pack]", built: Built) -> None:
    mine.update(
        built=True,
        size=built.size,
        sha256=built.sha256,
        list_sha256=built.list_sha256,
        completeness=built.completeness,
        registers=built.registers,
        sample=built.sample,
    )


def _unchanged_erasures(organization_id: uuid.UUID, job_id: uuid.UUID) -> int:
    """Locks the pack until the transaction ends. Returns its `erasures`. Raises OutlivedError after another one."""
    known = sql.fetch(
        "SELECT erasures FROM evidence_pack WHERE organization_id = %s AND job_id = %s FOR SHARE",
        [organization_id, job_id],
    )
    if not known or known[0][0] != erasures(organization_id):
        raise OutlivedError(
            gettext("A person was erased while the pack was built. Nothing of it was kept: ask for it again.")
        )
    return int(known[0][0])


def pack_of(organization_id: uuid.UUID, job_id: uuid.UUID, now: datetime) -> Pack:
    """The pack of a job, within the company's context. Raises NothingThereError."""
    forget(organization_id, now)
    found = Pack.objects.filter(organization_id=organization_id, job_id=job_id).first()
    if found is None:
        asked = Job.objects.filter(organization_id=organization_id, job_id=job_id, act=ACT, asked_at__gt=now - KEPT)
        if asked.exists():
            raise NothingThereError(
                gettext("A person was erased since this pack was asked for. Nothing of it is kept.")
            )
        raise NothingThereError(
            gettext("There is no pack %(job_id)s. Packs are kept for %(days)s days.")
            % {"job_id": job_id, "days": KEPT.days}
        )
    return found


def parts(pack: Pack) -> Iterator[bytes]:
    """The bytes of a built pack, a part at a time, while the pack exists. Raises FilesError."""
    if pack.kept_file_id is None:
        return _parts_of_before(pack.organization_id, pack.job_id, pack.size)
    with context.company(pack.organization_id):
        file = kept_files.kept(pack.organization_id, pack.kept_file_id)
    return _looked_after(pack, kept_files.content(file))


def _looked_after(pack: Pack, pieces: Iterator[bytes]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        if number % PIECES_A_LOOK == 0:
            with context.company(pack.organization_id):
                mine = Pack.objects.filter(organization_id=pack.organization_id, job_id=pack.job_id)
                if not mine.filter(erasures=erasures(pack.organization_id)).exists():
                    raise NothingThereError(gettext("The pack was forgotten while it was being taken."))
        yield piece


def _parts_of_before(organization_id: uuid.UUID, job_id: uuid.UUID, size: int) -> Iterator[bytes]:
    """The bytes of an old pack, stored as rows, each part read in a transaction of its own."""
    number = sent = 0
    while sent < size:
        with context.company(organization_id):
            found = sql.fetch(
                "SELECT t.content FROM evidence_packpart t JOIN evidence_pack p USING (organization_id, job_id)"
                " WHERE t.organization_id = %s AND t.job_id = %s AND t.number = %s AND p.erasures = %s",
                [organization_id, job_id, number, erasures(organization_id)],
            )
        if not found:
            raise NothingThereError(gettext("The pack was forgotten while it was being taken."))
        yield bytes(found[0][0])
        sent += len(found[0][0])
        number += 1


def forget(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes packs that are too old or from before an erasure. Within the company's context. Returns how many.

    It locks the rows first, so that a pack being offered at this moment is removed together with its file.
    """
    found = sql.fetch(
        "SELECT job_id, kept_file_id FROM evidence_pack"
        " WHERE organization_id = %s AND (begun_at < %s OR erasures <> %s) ORDER BY id FOR UPDATE",
        [organization_id, now - KEPT, erasures(organization_id)],
    )
    stale = [job_id for job_id, _ in found]
    if stale:
        files.let_go(organization_id, [file_id for _, file_id in found])
        PackPart.objects.filter(organization_id=organization_id, job_id__in=stale).delete()
        Pack.objects.filter(organization_id=organization_id, job_id__in=stale).delete()
    return len(stale)
