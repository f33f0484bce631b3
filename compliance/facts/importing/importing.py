"""`import_facts`: the bulk write contract `svc.facts/1`.

The whole file is read first; then, in one transaction, every kind is recorded batch by batch in the order of `KINDS`.
So a line may refer to a later one, the order of lines makes no difference, and a process that is killed has recorded
nothing. Two imports of one company wait for each other, for as long as their `patience`; console actions do not wait.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import BinaryIO

import psycopg
from django.db import IntegrityError, OperationalError

from compliance.facts.errors import ImportUnderWayError
from compliance.facts.importing.portions import TOGETHER, Stored
from compliance.facts.importing.reported import ReportedLine, ReportedLines
from compliance.facts.importing.staging import Staging
from compliance.facts.lines.kinds import KINDS, FactLine
from compliance.facts.lines.reading import ReadLine, RefusedLine, read
from compliance.facts.people import resolving
from compliance.facts.recording import (
    Channel,
    Recording,
    Refused,
    Teller,
    check_moment,
    registry,
    telling,
)
from compliance.facts.refusal_reasons import RefusalReason
from compliance.garbage_collection import without_collection
from compliance.tenancy import context, queries, sql
from compliance.tenancy.turns import wait_for_turn

registry.load()

Progress = Callable[[str, int, int | None], None]
_EVERY = 1_000
_ATTEMPTS = 3
SERVER = Teller(Channel.FILE)
"""A program on the server may record any kind of fact, and name anybody as the one who acted."""


@dataclass
class Report:
    """The result of an import. `facts` counts the well-formed lines by kind; errors are in the order of the lines.

    `waiting` is the number of recorded facts that take effect later: they are decided at their moment, the last of them
    at `waiting_until`. `moments`: when the facts were recorded, including those recorded before.
    """

    facts: dict[str, int] = field(default_factory=dict)
    recorded: int = 0
    known: int = 0
    waiting: int = 0
    waiting_until: datetime | None = None
    moments: set[datetime] = field(default_factory=set)
    errors: Sequence[ReportedLine] = ()
    notes: Sequence[ReportedLine] = ()


class _RollBack(Exception):
    """Rolls a strict import back."""


def import_facts(
    *,
    organization_id: uuid.UUID,
    stream: BinaryIO,
    now: datetime,
    strict: bool = False,
    teller: Teller = SERVER,
    progress: Progress | None = None,
) -> Report:
    """Records the facts of `stream`; bad lines are reported and the good ones recorded, unless `strict`.

    Lines that `teller` may not record are bad lines. `progress(stage, done, total)` is called regularly; the stages are
    `reading` (total unknown: None) and `recording`. Raises NoSuchCompanyError. The caller captures afterwards; until
    then the subjects are pending.
    """
    queries.organization(organization_id)
    with without_collection():
        return import_lines(
            organization_id=organization_id,
            read_lines=read(stream),
            now=now,
            strict=strict,
            teller=teller,
            progress=progress,
        )


def import_lines(
    *,
    organization_id: uuid.UUID,
    read_lines: Iterable[ReadLine | RefusedLine],
    now: datetime,
    strict: bool = False,
    teller: Teller = SERVER,
    progress: Progress | None = None,
    patience: timedelta | None = None,
) -> Report:
    """Records lines that have been read, as `import_facts` does, for an existing company.

    `patience`: how long to wait for another import of the company, or for any other lock; after that
    ImportUnderWayError is raised, and nothing is recorded. None: no limit.
    """
    try:
        with telling(teller):
            return _import(organization_id, read_lines, now, strict, teller, progress or _ignore_progress, patience)
    except OperationalError as error:
        if isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise ImportUnderWayError("Other facts of the company are being recorded at this moment.") from error
        raise


def _import(
    organization_id: uuid.UUID,
    read_lines: Iterable[ReadLine | RefusedLine],
    now: datetime,
    strict: bool,
    teller: Teller,
    say: Progress,
    patience: timedelta | None,
) -> Report:
    errors = ReportedLines()
    with Staging() as staging:
        lines = 0
        for each in read_lines:
            lines += 1
            if lines % _EVERY == 0:
                say("reading", lines, None)
            if isinstance(each, RefusedLine):
                errors.add([_faulty(each)])
                continue
            refusal = _early(each.line, now) or teller.refusal(each.line)
            if refusal is not None:
                staging.facts[each.line.fact] += 1
                errors.add([_faulty(RefusedLine(each.number, *refusal, str(each.line.fact_id), each.line.fact))])
                continue
            staging.add(each)
        say("reading", lines, lines)
        errors.add(map(_faulty, staging.settle()))
        recording, refused, notes = _record(organization_id, staging, now, strict, bool(errors), say, patience)
    errors.add(refused)
    undone = strict and bool(errors)
    recorded = 0 if undone else recording.recorded.total()
    return Report(
        facts=dict(staging.facts),
        recorded=recorded,
        known=recording.known + staging.repeated,
        waiting=0 if undone else recording.waiting.total(),
        waiting_until=None if undone else max(recording.waiting, default=None),
        moments=recording.known_since | ({now} if recorded else set()),
        errors=errors.settled(),
        notes=[] if undone else notes.settled(),
    )


def _record(
    organization_id: uuid.UUID,
    staging: Staging,
    now: datetime,
    strict: bool,
    faulty: bool,
    say: Progress,
    patience: timedelta | None,
) -> tuple[Recording, ReportedLines, ReportedLines]:
    """Records what is staged; returns the recording, what it refused, and its notes.

    If an action recorded one of the facts meanwhile, it starts again: the fact is known then.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return _record_once(organization_id, staging, now, strict, faulty, say, patience)
        except (IntegrityError, OperationalError) as error:
            if not isinstance(error.__cause__, psycopg.errors.UniqueViolation | psycopg.errors.DeadlockDetected):
                raise
    return _record_once(organization_id, staging, now, strict, faulty, say, patience)


def _record_once(
    organization_id: uuid.UUID,
    staging: Staging,
    now: datetime,
    strict: bool,
    faulty: bool,
    say: Progress,
    patience: timedelta | None,
) -> tuple[Recording, ReportedLines, ReportedLines]:
    recording = Recording(organization_id, now, erased_at=staging.erased_at)
    refused, notes = ReportedLines(), ReportedLines()
    total = staging.facts.total()
    done = 0
    try:
        with context.company(organization_id):
            if patience is not None:
                milliseconds = max(round(patience / timedelta(milliseconds=1)), 1)  # 0 would mean no limit
                sql.execute(f"SET LOCAL lock_timeout = {milliseconds}")  # Citus forwards only this form to its nodes
            wait_for_other_imports(organization_id)
            none_known = recording.ask_for_known()
            portions = staging.divide(None if none_known else partial(_stored, organization_id))
            with sql.pipelined():
                for kind, portion in _in_turn(portions):
                    for batch in staging.batches(kind, portion):
                        recording.record(kind, batch)
                        _report(recording, refused, notes)
                        done += len(batch)
                        say("recording", done, total)
                    recording.close(kind)
                    _report(recording, refused, notes)
                if strict and (faulty or refused):
                    raise _RollBack
                recording.finish()
    except _RollBack:
        pass
    return recording, refused, notes


def _in_turn(portions: int) -> Iterator[tuple[str, int]]:
    """Every kind in the order of `KINDS`; the kinds about people portion by portion."""
    for kind in KINDS:
        if kind not in TOGETHER:
            yield kind, 0
        elif kind == TOGETHER[0]:
            yield from ((each, portion) for portion in range(portions) for each in TOGETHER)


def _stored(organization_id: uuid.UUID, stays: list[uuid.UUID], invitations: list[uuid.UUID]) -> Stored:
    whose_stays = resolving.stays_belong_to(organization_id, stays)
    return Stored(whose_stays, resolving.accepted_by(organization_id, invitations))


def wait_for_other_imports(organization_id: uuid.UUID) -> None:
    """Returns when no other import of the company is under way; none begins until this transaction ends."""
    wait_for_turn(organization_id, "import")


def _report(recording: Recording, refused: ReportedLines, notes: ReportedLines) -> None:
    """Takes over the refusals and notes collected so far, so that they do not grow in memory."""
    refused.add(map(_reported, recording.refused))
    recording.refused.clear()
    notes.add(ReportedLine(number, note, None, None) for number, note in recording.notes)
    recording.notes.clear()


def _faulty(line: RefusedLine) -> ReportedLine:
    number, code, reason, fact_id, fact = line
    return ReportedLine(number, reason, fact_id, fact, code)


def _reported(refused: Refused) -> ReportedLine:
    line = refused.staged.line
    return ReportedLine(refused.staged.number, refused.reason, str(line.fact_id), line.fact, refused.code)


def _early(line: FactLine, now: datetime) -> tuple[RefusalReason, str] | None:
    reason = check_moment(line, now)
    return None if reason is None else (RefusalReason.FUTURE, reason)


def _ignore_progress(stage: str, done: int, total: int | None) -> None:
    pass
