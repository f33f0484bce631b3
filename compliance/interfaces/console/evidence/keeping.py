"""Keeps built packs for a while: begins, stores, hands out in pieces, forgets."""

import tempfile
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from celery import current_app
from django.db import transaction

from compliance.facts.people.queries import last_erasure
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.evidence.building import Built, build
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import Pack, PackPart
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.who_may import Staff
from compliance.tenancy import context, sql

ACT = "evidence_pack"
TASK = "compliance.evidence.build"
KEPT = timedelta(days=3)
AT_ONCE = 2
"""How many packs of one company are built at the same time."""

PART_BYTES = 1024 * 1024
GIVEN_UP = timedelta(hours=5)
"""Work that has not ended by then never will (the task's own limit is shorter)."""


def begin(about: Subject, staff: Staff, now: datetime) -> uuid.UUID:
    """Lets the worker build a pack; of one that is kept or being built already, its job. Raises CannotBuildError."""
    forget(about.organization_id, now)
    mine = Pack.objects.filter(organization_id=about.organization_id)
    known = mine.filter(
        first_day=about.first_day, last_day=about.last_day, capture_sequence=about.pin.capture_sequence
    ).order_by("-begun_at")
    under_way = Job.objects.filter(
        organization_id=about.organization_id,
        act=ACT,
        state__in=(Job.State.WAITING, Job.State.RUNNING),
        asked_at__gt=now - GIVEN_UP,
    )
    running = set(under_way.values_list("job_id", flat=True))
    for job_id, built in known.values_list("job_id", "built"):
        if built or job_id in running:
            return job_id
    if len(running) >= AT_ONCE:
        raise CannotBuildError("Two packs of this company are being built. Wait until one of them is done.")
    job = Job.objects.create(
        organization_id=about.organization_id,
        act=ACT,
        state=Job.State.WAITING,
        user_id=staff.user_id,
        username=staff.username,
        asked_at=now,
    )
    Pack.objects.create(
        organization_id=about.organization_id,
        job_id=job.job_id,
        first_day=about.first_day,
        last_day=about.last_day,
        capture_sequence=about.pin.capture_sequence,
        file_name=about.file_name,
        begun_at=now,
    )
    identifiers = [str(about.organization_id), str(job.job_id)]
    transaction.on_commit(lambda: current_app.send_task(TASK, args=identifiers) and None)
    return job.job_id


def build_and_keep(about: Subject, job: Job) -> Built:
    """Builds the pack of a job and stores it. Raises EvidenceError."""
    with tempfile.TemporaryDirectory(prefix="pack-") as folder:
        output = Path(folder) / about.file_name
        built = build(about, output, lambda done, total: jobs.say(job, done, total))
        with output.open("rb") as content:
            number = 0
            while part := content.read(PART_BYTES):
                with context.company(about.organization_id):
                    PackPart.objects.create(
                        organization_id=about.organization_id, job_id=job.job_id, number=number, content=part
                    )
                number += 1
    with context.company(about.organization_id):
        Pack.objects.filter(organization_id=about.organization_id, job_id=job.job_id).update(
            built=True,
            size=built.size,
            sha256=built.sha256,
            list_sha256=built.list_sha256,
            completeness=built.completeness,
            registers=built.registers,
        )
    return built


def pack_of(organization_id: uuid.UUID, job_id: uuid.UUID, now: datetime) -> Pack:
    """The pack of a job, within the company's context. Raises NothingThereError."""
    forget(organization_id, now)
    found = Pack.objects.filter(organization_id=organization_id, job_id=job_id).first()
    if found is None:
        raise NothingThereError(
            f"There is no pack {job_id}. Packs are kept for {KEPT.days} days, and no longer once a person is erased."
        )
    return found


def parts(organization_id: uuid.UUID, job_id: uuid.UUID, size: int) -> Iterator[bytes]:
    """The bytes of a built pack, a part at a time, each in a transaction of its own."""
    number = sent = 0
    while sent < size:
        with context.company(organization_id):
            found = sql.fetch(
                "SELECT content FROM evidence_packpart WHERE organization_id = %s AND job_id = %s AND number = %s",
                [organization_id, job_id, number],
            )
        if not found:
            raise NothingThereError("The pack was forgotten while it was being taken.")
        yield bytes(found[0][0])
        sent += len(found[0][0])
        number += 1


def forget(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes packs that are too old, or older than an erasure. Within the company's context; how many."""
    stale = [
        job_id
        for (job_id,) in sql.fetch(
            "SELECT job_id FROM evidence_pack WHERE organization_id = %s AND (begun_at < %s OR begun_at <= %s)",
            [organization_id, now - KEPT, last_erasure(organization_id)],
        )
    ]
    if stale:
        PackPart.objects.filter(organization_id=organization_id, job_id__in=stale).delete()
        Pack.objects.filter(organization_id=organization_id, job_id__in=stale).delete()
    return len(stale)
