"""Writes of this room: they begin a company's history, and append captures to it.

A capture locks the head first and claims pending rows after it. With the opposite order, two writers could record the
older content last, which could never be corrected. Readers and the facts' actions never take this lock.
"""

import uuid
from collections.abc import Callable
from datetime import date, datetime
from itertools import chain, repeat
from typing import NamedTuple

from compliance.facts import captured
from compliance.facts.fan_out import Subject
from compliance.facts.identities import Identities
from compliance.facts.ledger import sealing
from compliance.garbage_collection import without_collection
from compliance.history import deciding, stored, subjects, tree
from compliance.history.append import Appender, StoredRecord
from compliance.history.errors import NoHistoryError
from compliance.history.models import Capture, HistoryHead
from compliance.history.projections import ProjectedTimeline
from compliance.history.reasons import capture_reason
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import tree_capture_digest, tree_capture_lines
from compliance.proofs.merkle import CompactRange
from compliance.rules.company_days import UnknownTimeZone, start_of_day
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import context, nodes, sql
from compliance.tenancy.actions import create_organization
from compliance.tenancy.errors import CompanyExistsError, UnknownTimeZoneError
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

VERIFICATION_FAILED = "Verification failed: "


class Captured(NamedTuple):
    """The end of the history after a capture, and what it did. `found`: there were subjects or pending rows."""

    capture_sequence: int
    sequence: int
    found: bool
    subjects: int = 0
    rows: int = 0
    records: int = 0
    failed: int = 0


def create_company(
    *,
    name: str,
    time_zone: str,
    history_from: date,
    now: datetime,
    organization_id: uuid.UUID | None = None,
) -> Organization:
    """Makes a company with an empty history (capture 1), complete from the start of `history_from` in its zone.

    Directory row and history are written in one transaction. One of them can still exist alone, and the same call with
    the same identifier then completes it: an older release wrote the row before the history; and on a cluster, a node
    commits the history before the coordinator commits the row, so a coordinator that dies in between leaves a history
    that can be found by its identifier alone.

    Raises BadCompanyNameError, UnknownTimeZoneError and CompanyExistsError.
    """
    try:
        complete_from = start_of_day(time_zone, history_from)
    except UnknownTimeZone as error:
        raise UnknownTimeZoneError(
            f"{time_zone!r} is no IANA time zone. Write it like Europe/Paris or America/New_York."
        ) from error
    identifier = organization_id or nodes.new_company()
    with context.company(identifier):
        known = Organization.objects.select_for_update().filter(organization_id=identifier).first()
        head = HistoryHead.objects.filter(organization_id=identifier).first()
        as_asked = (name, time_zone, complete_from)
        if known and (head or (known.name, known.time_zone, known.history_complete_from) != as_asked):
            raise CompanyExistsError(f"An organization {identifier} exists already.")
        if head and head.capture_sequence > 1:
            raise CompanyExistsError(f"An organization {identifier} is in no directory, but has a history already.")
        made = known or create_organization(
            name=name, time_zone=time_zone, history_complete_from=complete_from, now=now, organization_id=identifier
        )
        if not head:
            _begin_history(identifier, now)
    return made


def _begin_history(organization_id: uuid.UUID, now: datetime) -> None:
    chain_hash = _write_capture(
        organization_id, 1, now, first=1, rows=CompactRange(), previous=ZERO_DIGEST, causes=set()
    )
    HistoryHead.objects.create(
        organization_id=organization_id,
        sequence=0,
        capture_sequence=1,
        chain_hash=chain_hash,
        captured_at=now,
        logic_version=LOGIC.version,
    )


def capture(organization_id: uuid.UUID, now: datetime) -> Captured:
    """Captures one batch of pending subjects in one transaction. It uses a capture number if there were any."""
    return _capture(organization_id, now, sweep=False)


def capture_all(
    organization_id: uuid.UUID, now: datetime, progress: Callable[[int], None] | None = None
) -> list[Captured]:
    """Captures batch by batch until no subject is left that may be tried now.

    `progress` is called after each capture with the number of subjects it decided.
    """
    return _until_done(organization_id, now, progress, sweep=False)


def sweep_company(
    organization_id: uuid.UUID,
    now: datetime,
    progress: Callable[[int], None] | None = None,
    *,
    most: int | None = None,
) -> list[Captured]:
    """Captures left-over pending subjects and those that the clock has changed; uses no number if there are none.

    `progress` is called after each capture with the number of subjects it decided. After `most` captures, or as many
    batches of sealed lines, it returns, and more may be left.
    """
    return _until_done(organization_id, now, progress, sweep=True, most=most)


def fail_verification(organization_id: uuid.UUID, sentence: str) -> None:
    """Makes a company unavailable to readers because its history or receipts have a fault; `sentence` names it."""
    HistoryHead.objects.filter(organization_id=organization_id).update(
        available=False, unavailable_reason=f"{VERIFICATION_FAILED}{sentence}"[:400]
    )


def pass_verification(organization_id: uuid.UUID) -> None:
    """Makes a company available again if a failed verification had made it unavailable, and nothing else."""
    HistoryHead.objects.filter(
        organization_id=organization_id, available=False, unavailable_reason__startswith=VERIFICATION_FAILED
    ).update(available=True, unavailable_reason="")


def _until_done(
    organization_id: uuid.UUID,
    now: datetime,
    progress: Callable[[int], None] | None,
    *,
    sweep: bool,
    most: int | None = None,
) -> list[Captured]:
    done: list[Captured] = []
    while (captured := _capture(organization_id, now, sweep=sweep)).found:
        done.append(captured)
        if progress is not None:
            progress(captured.subjects)
        if len(done) == most:
            return done
    _seal_the_rest(organization_id, most)
    return done


def _seal_the_rest(organization_id: uuid.UUID, most: int | None) -> None:
    """Seals the lines that the captures left, at most `most` batches: a large import has more lines than captures seal.

    Each batch locks the head for a short time.
    """
    for _ in repeat(None) if most is None else range(most):
        with context.company(organization_id):
            if not sealing.any_wait(organization_id):
                return
            _lock_head(organization_id)
            if not sealing.seal(organization_id):
                return


def _capture(organization_id: uuid.UUID, now: datetime, *, sweep: bool) -> Captured:
    with without_collection():  # around the function that holds the objects: they are freed when it returns
        return _capture_batch(organization_id, now, sweep=sweep)


def _capture_batch(organization_id: uuid.UUID, now: datetime, *, sweep: bool) -> Captured:
    zone = organization(organization_id).time_zone
    with context.company(organization_id):
        head = _lock_head(organization_id)
        sequence, capture_sequence, chain_hash, captured_at, next_change_at = head[:5]
        now = max(now, captured_at)
        if head.logic_version > LOGIC.version:
            # Verification refuses captures whose logic goes back. The later release captures what is pending.
            return Captured(capture_sequence, sequence, found=False)
        sealing.seal(organization_id)
        if head.logic_version < LOGIC.version:
            subjects.make_all_due(organization_id, now)
            next_change_at = now
        claimed = subjects.claim(organization_id, now, due=sweep)
        if not claimed.subjects and not claimed.had_pending:
            if sweep and head.logic_version < LOGIC.version:  # the company has no subjects
                sql.execute(
                    "UPDATE history_historyhead SET logic_version = %s WHERE organization_id = %s",
                    [LOGIC.version, organization_id],
                )
            return Captured(capture_sequence, sequence, found=False)
        if claimed.newest is not None:
            now = max(now, claimed.newest)  # facts may have been recorded while this capture waited for the lock
        failed: dict[Subject, str] = {}
        identities = Identities(organization_id, now)
        company = deciding.Company(organization_id, zone, now, {}, identities)
        ready = deciding.load(company, list(claimed.subjects), failed)
        known = stored.load(organization_id, [subject for subject, _ in ready]) if sequence and ready else {}
        due: dict[Subject, datetime] = {}
        appender = Appender(
            organization_id,
            identities.certificates,
            sequence=sequence,
            capture_sequence=capture_sequence + 1,
            captured_at=now,
        )
        with sql.pipelined():
            for subject, answer in deciding.decide(ready, failed):
                by_clock = subject in claimed.by_clock if claimed.by_clock else False
                timelines, changes_at = _so_far(answer, now)
                _append(appender, timelines, known.get(subject) if known else None, by_clock)
                if changes_at is not None:
                    due[subject] = changes_at
            appender.insert()
            rows = CompactRange.from_bytes(head.tree_size, head.tree_range)
            behind = tree.stored_digests(organization_id, head.tree_size, sequence)  # older releases kept no tree
            kept = list(tree.grow(rows, chain(behind, map(bytes.fromhex, appender.digests))))
            appender.insert_sources()
        tree.keep(organization_id, kept)
        captured.take_in(organization_id, capture_sequence + 1, now)
        subjects.put_back(organization_id, claimed, failed, now)
        next_change_at = subjects.set_due(
            organization_id, claimed.subjects, due, some_stored=next_change_at is not None
        )
        changed = len(appender.digests)
        if claimed.had_pending or changed:
            capture_sequence += 1
            identities.keep(capture_sequence)
            chain_hash = _write_capture(
                organization_id, capture_sequence, now, first=appender.first_sequence, rows=rows, previous=chain_hash,
                causes=appender.causes,
            )  # fmt: skip
            captured_at = now
        sql.execute(
            "UPDATE history_historyhead SET sequence = %s, capture_sequence = %s, chain_hash = %s, captured_at = %s,"
            " logic_version = %s, next_change_at = %s, tree_size = %s, tree_range = %s WHERE organization_id = %s",
            [
                appender.last_sequence, capture_sequence, chain_hash, captured_at, LOGIC.version, next_change_at,
                rows.size, rows.to_bytes(), organization_id,
            ],
        )  # fmt: skip
    return Captured(
        capture_sequence,
        appender.last_sequence,
        found=True,
        subjects=len(claimed.subjects),
        rows=changed,
        records=appender.records,
        failed=len(failed),
    )


def _so_far(answer: deciding.Decided, now: datetime) -> tuple[list[ProjectedTimeline], datetime | None]:
    """The versions that hold by `now`, and when the clock changes them next.

    A capture writes no version whose valid time is after the capture.
    """
    timelines, next_change_at = answer
    coming = [] if next_change_at is None or next_change_at <= now else [next_change_at]
    if any(timeline.versions and timeline.versions[-1].valid_from > now for timeline in timelines):
        coming += [version.valid_from for each in timelines for version in each.versions if version.valid_from > now]
        timelines = [
            each._replace(versions=[version for version in each.versions if version.valid_from <= now])
            for each in timelines
        ]
    return timelines, min(coming, default=None)


def _append(
    appender: Appender,
    timelines: list[ProjectedTimeline],
    known: dict[stored.Key, StoredRecord] | None,
    by_clock: bool,
) -> None:
    if known is None:
        for timeline in timelines:
            appender.begin(timeline, by_clock=by_clock)
        return
    for timeline in timelines:
        record = known.pop((timeline.register, timeline.record_id), None)
        if record is None:
            appender.begin(timeline, by_clock=by_clock)
        else:
            appender.sources.update(timeline.sources)
            appender.restate(record, timeline, by_clock=by_clock)
    for record in known.values():
        gone = ProjectedTimeline(record.register, record.record_id, None, None, [])
        appender.restate(record, gone, by_clock=by_clock)


class _Head(NamedTuple):
    sequence: int
    capture_sequence: int
    chain_hash: str
    captured_at: datetime
    next_change_at: datetime | None
    logic_version: int
    tree_size: int
    tree_range: bytes


def _lock_head(organization_id: uuid.UUID) -> _Head:
    found = sql.fetch(
        f"SELECT {', '.join(_Head._fields)} FROM history_historyhead WHERE organization_id = %s FOR UPDATE",  # noqa: S608
        [organization_id],
    )
    if not found:
        raise NoHistoryError(f"Organization {organization_id} has no history.")
    return _Head._make(found[0])


def _write_capture(
    organization_id: uuid.UUID, capture_sequence: int, now: datetime, *, first: int, rows: CompactRange, previous: str,
    causes: set[str],
) -> str:  # fmt: skip
    """Stores a capture (`svc.capture/2`) of the rows from `first` to the last of the tree; returns its chain hash."""
    root, ledger_head, has_rows = rows.root(), sealing.head(organization_id), rows.size >= first
    chain_hash = tree_capture_digest(
        tree_capture_lines(
            organization_id=organization_id,
            capture_sequence=capture_sequence,
            captured_at=now,
            first_sequence=first if has_rows else None,
            last_sequence=rows.size if has_rows else None,
            tree_size=rows.size,
            tree_root=root.hex(),
            ledger_head=ledger_head.hex(),
            previous_chain_hash=previous,
        )
    )
    Capture.objects.create(
        organization_id=organization_id,
        capture_sequence=capture_sequence,
        captured_at=now,
        first_sequence=first,
        last_sequence=rows.size,
        tree_root=root,
        ledger_head=ledger_head,
        chain_hash=chain_hash,
        logic_version=LOGIC.version,
        why=capture_reason(capture_sequence, causes),
    )
    return chain_hash
