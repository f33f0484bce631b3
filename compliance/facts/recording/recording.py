"""The one write path of facts (design 3): console actions with a batch of one, imports with batches of thousands.

A `Recording` lives within one transaction of the company. Kinds are recorded in the order of `lines.KINDS`; `close` a
kind after its last batch, so that judges run when all they judge is in; `finish` writes the pending subjects.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import psycopg
from celery import current_app
from django.db import IntegrityError, transaction
from kombu.exceptions import OperationalError

from compliance.facts.lines import KINDS, FactLine
from compliance.facts.lines.digests import digest
from compliance.facts.pending.models import SubjectKind
from compliance.facts.recording import registry
from compliance.facts.recording.batch import ERRORS, Batch, Refused, Staged, Subject, Why
from compliance.facts.recording.rows import append, lookup
from compliance.tenancy import context, sql

FURTHEST_FUTURE = timedelta(minutes=5)
CAPTURE_TASK = "compliance.history.capture"

_JUDGE_OF = {kind: name for name, kinds in registry.JUDGES.items() for kind in kinds}
_ORDER = {kind: place for place, kind in enumerate(KINDS)}
_LAST_JUDGED = {max(kinds, key=_ORDER.__getitem__): name for name, kinds in registry.JUDGES.items()}


class Recording:
    """Facts being recorded in the current transaction of `organization_id`."""

    def __init__(self, organization_id: uuid.UUID, now: datetime, actor_id: uuid.UUID | None = None) -> None:
        self.organization_id = organization_id
        self.now = now
        self.actor_id = actor_id
        self.known = 0
        self.recorded: Counter[str] = Counter()
        self.refused: list[Refused] = []
        self.notes: list[tuple[int, str]] = []
        self.subjects: set[Subject] = set()
        self.in_order: list[Subject] = []
        self._none_known = False
        self._judged: dict[str, list[Batch[Any]]] = {}
        self._unresolved: dict[str, list[Refused]] = {}

    def ask_for_known(self) -> None:
        """Asks once whether the company knows any fact: the first import of a company has none to look up.

        Call it before anything is recorded. What others record meanwhile breaks the ledger's uniqueness then.
        """
        self._none_known = not sql.fetch(
            "SELECT 1 FROM pending_fact WHERE organization_id = (SELECT %s::uuid) LIMIT 1", (self.organization_id,)
        )

    def record(self, kind: str, lines: Sequence[Staged]) -> None:
        """Records a batch of lines of one kind, in order of (`at`, `fact_id`). Lines known already are counted."""
        new = self._new(lines)
        if new:
            self._record(kind, new)

    def close(self, kind: str) -> None:
        """Ends a kind: what referred to its own kind is tried again, and judges whose last kind it is run."""
        while self._unresolved.get(kind):
            again = self._unresolved.pop(kind)
            self._record(kind, [refused.staged for refused in again])
            if len(self._unresolved.get(kind, ())) == len(again):
                break
        self.refused += self._unresolved.pop(kind, ())
        name = _LAST_JUDGED.get(kind)
        if name is not None:
            batches = {each: self._judged.pop(each) for each in registry.JUDGES[name] if each in self._judged}
            if batches:
                registry.judge(name)(batches)
                for each, judged in batches.items():
                    for batch in judged:
                        self._enter(each, batch)

    def finish(self) -> None:
        """Writes the pending subjects of everything recorded."""
        subjects = self._narrowest() + self.in_order
        append(
            "pending_pendingsubject",
            self.organization_id,
            {"kind": "text", "first": "uuid", "second": "uuid"},
            subjects,
            constants={
                "recorded_at": ("timestamptz", self.now),
                "attempts": ("int", 0),
                "set_aside_reason": ("text", ""),
            },
        )

    def _new(self, lines: Sequence[Staged]) -> list[Staged]:
        if self._none_known:
            return list(lines)
        known = lookup(
            "SELECT fact_id, digest FROM pending_fact WHERE organization_id = %s AND fact_id = ANY(%s)",
            self.organization_id,
            [staged.line.fact_id for staged in lines],
        )
        if not known:
            return list(lines)
        new = []
        for staged in lines:
            before = known.get(staged.line.fact_id)
            if before is None:
                new.append(staged)
            elif bytes(before) == staged.digest:
                self.known += 1
            else:
                self.refused.append(Refused(staged, Why.REUSED, "The company knows this fact_id with other content."))
        return new

    def _record(self, kind: str, lines: list[Staged]) -> None:
        batch: Batch[Any] = Batch(self.organization_id, lines, self.now, self.actor_id)
        registry.recorder(kind)(batch)
        if kind in registry.REFERRING_TO_THEIR_OWN_KIND:
            unresolved = [each for each in batch.refused.values() if each.why is Why.UNRESOLVED]
            if unresolved:
                numbers = {each.staged.number for each in unresolved}
                batch.lines = [staged for staged in batch.lines if staged.number not in numbers]
                batch.refused = {number: each for number, each in batch.refused.items() if number not in numbers}
                self._unresolved.setdefault(kind, []).extend(unresolved)
        if kind in _JUDGE_OF:
            self._judged.setdefault(kind, []).append(batch)
        else:
            self._enter(kind, batch)

    def _enter(self, kind: str, batch: Batch[Any]) -> None:
        """Writes the ledger for what stands of a batch, and gathers what it leaves behind."""
        standing = batch.standing()
        append(
            "pending_fact",
            self.organization_id,
            {"fact_id": "uuid", "at": "timestamptz", "digest": "bytea"},
            [(staged.line.fact_id, staged.line.at, staged.digest) for staged in standing],
            constants={
                "kind": ("text", kind),
                "recorded_at": ("timestamptz", self.now),
                "actor_id": ("uuid", self.actor_id),
            },
        )
        if standing:
            self.recorded[kind] += len(standing)
            self.subjects |= batch.subjects
            self.in_order += batch.in_order
        self.refused += batch.refused.values()
        self.notes += batch.notes

    def _narrowest(self) -> list[Subject]:
        """The subjects without those that others cover, in an order that keeps one person's together."""
        whole = {first for kind, first, _ in self.subjects if kind == SubjectKind.EVERYTHING_OF_PERSON.value}
        left_out: set[str] = set()
        if whole and any(kind in _WIDE for kind, _, _ in self.subjects):
            # Of a company that is imported for the first time everything of everybody is decided anyway.
            everybody = sql.fetch(
                "SELECT learner_profile_id FROM people_profile WHERE organization_id = %s", (self.organization_id,)
            )
            if all(profile_id in whole for (profile_id,) in everybody):
                left_out = _WIDE
        return sorted(
            (
                subject
                for subject in self.subjects
                if subject[0] not in left_out and not (subject[0] in _OF_PERSON and subject[1] in whole)
            ),
            key=_subject_order,
        )


_WIDE = {kind.value for kind in (SubjectKind.SHARE, SubjectKind.TEAM, SubjectKind.EVERYONE_OF_COURSE)}
_OF_PERSON = {kind.value for kind in (SubjectKind.PERSON_COURSE, SubjectKind.PERSON_POLICY, SubjectKind.PERSON)}


def _subject_order(subject: Subject) -> tuple[str, int, int]:
    kind, first, second = subject
    return kind, first.int if first else 0, second.int if second else 0


def check_moment(line: FactLine, now: datetime) -> str | None:
    """Says why the line's `at` is too far in the future, None if it is not."""
    if line.fact == "policy_signed":
        return "at: a policy cannot be signed in the future." if line.at > now else None
    if line.at > now + FURTHEST_FUTURE:
        return "at: lies more than five minutes in the future."
    return None


def record(
    organization_id: uuid.UUID, lines: Sequence[FactLine], *, now: datetime, actor_id: uuid.UUID | None = None
) -> None:
    """Records `lines` in one transaction, all or none, and enqueues the capture on commit.

    Raises the error of the first refusal (see `facts.errors`). Facts that are known already change nothing.
    """
    try:
        _record_all(organization_id, lines, now, actor_id)
    except IntegrityError as error:
        if not isinstance(error.__cause__, psycopg.errors.UniqueViolation):
            raise
        raise ERRORS[Why.EXISTS]("Somebody recorded the same at this moment. Look at it anew.") from error


def _record_all(
    organization_id: uuid.UUID, lines: Sequence[FactLine], now: datetime, actor_id: uuid.UUID | None
) -> None:
    ordered = sorted(lines, key=lambda line: (line.at, line.fact_id))
    with context.company(organization_id):
        recording = Recording(organization_id, now, actor_id)
        by_kind: dict[str, list[Staged]] = {}
        for number, line in enumerate(ordered, 1):
            reason = check_moment(line, now)
            if reason is not None:
                raise ERRORS[Why.FUTURE](reason)
            by_kind.setdefault(line.fact, []).append(Staged(number, line, digest(line)))
        for kind in KINDS:
            if kind in by_kind:
                recording.record(kind, by_kind[kind])
            recording.close(kind)
        if recording.refused:
            first = min(recording.refused, key=lambda refused: refused.staged.number)
            raise ERRORS[first.why](first.reason)
        recording.finish()
        if recording.subjects:
            transaction.on_commit(lambda: enqueue_capture(organization_id))


def enqueue_capture(organization_id: uuid.UUID) -> None:
    """Asks the worker to capture. A broker that is away loses nothing: the sweep finds what is pending."""
    try:
        current_app.send_task(CAPTURE_TASK, [str(organization_id)], retry=False)
    except (OperationalError, OSError):
        pass
