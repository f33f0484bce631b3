"""The one write path of facts: console actions with a batch of one, imports with batches of thousands.

A `Recording` lives within one transaction of the company. Kinds are recorded in the order of `KINDS`. Call `close` for
a kind after its last batch, so that validators run once all their lines are checked, and `finish` at the end to write
the pending subjects.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, groupby, islice
from typing import Any

import psycopg
from celery import current_app
from django.db import IntegrityError, transaction
from kombu.exceptions import OperationalError

from compliance.facts.ledger import entering
from compliance.facts.ledger.models import OF_MANY_PEOPLE
from compliance.facts.lines.digests import digest
from compliance.facts.lines.kinds import KINDS, FactLine
from compliance.facts.people import queries as people
from compliance.facts.recording import registry
from compliance.facts.recording.batch import ERRORS, Batch, Refused, Staged, Subject, Unwritten
from compliance.facts.recording.subjects import MOST_IN_MEMORY, Subjects, narrowest
from compliance.facts.recording.telling import current
from compliance.facts.refusal_reasons import RefusalReason
from compliance.tenancy import context

DECIDED_TOGETHER = timedelta(seconds=10)
"""Future facts this close to each other are decided together, at the last of them: one batch for each would be slow."""

CAPTURE_TASK = "compliance.history.capture"

_LAST_VALIDATED = {kinds[-1]: name for name, kinds in registry.VALIDATED.items()}


class Recording:
    """Facts being recorded in the current transaction of `organization_id`.

    `erased_at`: the people whom facts to be recorded later in this transaction erase, each with the moment.
    """

    def __init__(
        self,
        organization_id: uuid.UUID,
        now: datetime,
        actor_id: uuid.UUID | None = None,
        erased_at: Mapping[uuid.UUID, datetime] | None = None,
    ) -> None:
        self.organization_id = organization_id
        self.now = now
        self.teller = current()
        self.actor_id = actor_id or self.teller.actor_id
        self.known = 0
        self.known_since: set[datetime] = set()
        self.recorded: Counter[str] = Counter()
        self.refused: list[Refused] = []
        self.notes: list[tuple[int, str]] = []
        self.subjects = Subjects()
        self.waiting: Counter[datetime] = Counter()  # the number of facts by the moment until which they wait
        self._subjects_ahead: dict[datetime, set[Subject]] = defaultdict(set)
        self._erased_at = erased_at or {}
        self._none_known = False
        self._origin = 0
        self._checked: dict[str, list[tuple[Batch[Any], Iterator[None]]]] = defaultdict(list)
        self._unwritten: Unwritten = defaultdict(dict)
        self._unresolved: dict[str, list[Refused]] = {}

    def ask_for_known(self) -> bool:
        """Checks once whether the company has no fact yet: then its first import need not look any up.

        Call it before anything is recorded. If others record the same meanwhile, the ledger's unique key is violated.
        """
        self._none_known = entering.is_empty(self.organization_id)
        return self._none_known

    def record(self, kind: str, lines: Sequence[Staged]) -> None:
        """Records a batch of lines of one kind, in order of (`at`, `fact_id`). Known lines are only counted."""
        self._record_each(kind, self._new(lines))

    def close(self, kind: str) -> None:
        """Ends a kind: retries lines that refer to their own kind, and runs the validator whose last kind it is."""
        while self._unresolved.get(kind):
            again = self._unresolved.pop(kind)
            self._record_each(kind, [refused.staged for refused in again])
            if len(self._unresolved.get(kind, ())) == len(again):
                break
        self.refused += self._unresolved.pop(kind, ())
        name = _LAST_VALIDATED.get(kind)
        if name is not None and self._checked:
            checked, self._checked = self._checked, defaultdict(list)
            registry.validator(name)({each: [batch for batch, _ in own] for each, own in checked.items()})
            for each, own in checked.items():
                for batch, writing in own:
                    next(writing, None)
                    self._enter(each, batch)
            self._unwritten.clear()

    def finish(self) -> None:
        """Writes the pending subjects of everything recorded, and requests captures of those of future facts."""
        for subjects in _portions(
            chain(self.subjects.narrowest(self._covered_by_everybody()), self.subjects.in_order())
        ):
            entering.wait(self.organization_id, subjects, self.now)
        ahead = [
            (*subject, moment)
            for moment, of_moment in sorted(self._subjects_ahead.items())
            for subject in narrowest(of_moment)
        ]
        entering.wait_until(self.organization_id, ahead, self.now)
        for moment in self._subjects_ahead:
            transaction.on_commit(partial(enqueue_capture, self.organization_id, moment))

    def _new(self, lines: Sequence[Staged]) -> list[Staged]:
        if self._none_known:
            return list(lines)
        known = entering.known(self.organization_id, [staged.line.fact_id for staged in lines])
        if not known:
            return list(lines)
        new = []
        for staged in lines:
            before = known.get(staged.line.fact_id)
            if before is None:
                new.append(staged)
            elif before.digest == staged.digest:
                self.known += 1
                self.known_since.add(before.recorded_at)
            else:
                self.refused.append(
                    Refused(staged, RefusalReason.REUSED, "The company knows this fact_id with other content.")
                )
        return new

    def _record_each(self, kind: str, lines: list[Staged]) -> None:
        """Records lines that take effect by now as one batch, and future lines in one batch for each moment."""
        ahead = [staged for staged in lines if staged.line.at > self.now]
        if ahead:
            lines = [staged for staged in lines if staged.line.at <= self.now]
        if lines:
            self._record(kind, lines)
        for _, together in groupby(ahead, key=lambda staged: (staged.line.at - self.now) // DECIDED_TOGETHER):
            own = list(together)
            self._record(kind, own, max(staged.line.at for staged in own))

    def _record(self, kind: str, lines: list[Staged], waits_until: datetime | None = None) -> None:
        batch: Batch[Any] = Batch(
            self.organization_id, lines, self.now, self.actor_id, waits_until, self._unwritten, self._erased_at
        )
        if self._erased_at and "learner_profile_id" in KINDS[kind].model_fields:
            for staged in lines:
                batch.refuse_after_erasure(staged, staged.line.learner_profile_id)
        writing = registry.recorder(kind)(batch)
        if writing is not None:
            next(writing)
            self._checked[kind].append((batch, writing))
        if KINDS[kind].refers_to_own_kind:
            unresolved = [each for each in batch.refused.values() if each.code is RefusalReason.UNRESOLVED]
            if unresolved:
                numbers = {each.staged.number for each in unresolved}
                batch.lines = [staged for staged in batch.lines if staged.number not in numbers]
                batch.refused = {number: each for number, each in batch.refused.items() if number not in numbers}
                self._unresolved.setdefault(kind, []).extend(unresolved)
        if writing is None:
            self._enter(kind, batch)

    def _enter(self, kind: str, batch: Batch[Any]) -> None:
        """Enters the accepted lines of a batch into the ledger, and collects its subjects, refusals and notes."""
        accepted = batch.accepted()
        if accepted and not self._origin:
            self._origin = self._begin()
        about = registry.ABOUT[kind]
        entering.enter(
            self.organization_id,
            kind,
            [
                (staged.line.fact_id, staged.line.at, staged.digest, getattr(staged.line, about, None))
                for staged in accepted
            ],
            recorded_at=self.now,
            actor_id=self.actor_id,
            origin=self._origin,
        )
        if accepted:
            self.recorded[kind] += len(accepted)
            if batch.waits_until is None:
                self.subjects.add(batch.subjects)
            else:
                self.waiting[batch.waits_until] += len(accepted)
                self._subjects_ahead[batch.waits_until] |= batch.subjects
            self.subjects.add_in_order(batch.in_order)
        self.refused += batch.refused.values()
        self.notes += batch.notes

    def _begin(self) -> int:
        """Writes the origin of this transaction's facts, before the first of them."""
        return entering.begin(
            self.organization_id,
            self.now,
            channel=self.teller.channel.value,
            name=self.teller.name,
            actor_id=self.actor_id,
            confirmed_by=self.teller.confirmed_by,
        )

    def _covered_by_everybody(self) -> tuple[str, ...]:
        """The wide kinds that are covered because everything of everybody is decided, as in a first import."""
        if not self.subjects.names_many_people():
            return ()
        whole = self.subjects.whole_people()
        return OF_MANY_PEOPLE if whole and people.known_people(self.organization_id) == whole else ()


def _portions(subjects: Iterable[Subject]) -> Iterator[list[Subject]]:
    remaining = iter(subjects)
    while portion := list(islice(remaining, MOST_IN_MEMORY)):
        yield portion


def check_moment(line: FactLine, now: datetime) -> str | None:
    """Returns why the line's `at` is too far in the future, None if it is not."""
    return f"at: {line.too_early}" if line.at > now + line.furthest_future else None


def record(
    organization_id: uuid.UUID, lines: Sequence[FactLine], *, now: datetime, actor_id: uuid.UUID | None = None
) -> None:
    """Records `lines` in one transaction, all or none, and enqueues the capture on commit.

    Raises the error of the first refusal (see `facts.errors`). Facts that were recorded before have no effect.
    """
    try:
        _record_all(organization_id, lines, now, actor_id)
    except IntegrityError as error:
        if not isinstance(error.__cause__, psycopg.errors.UniqueViolation):
            raise
        raise ERRORS[RefusalReason.EXISTS]("Somebody recorded the same at this moment. Look at it anew.") from error


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
                raise ERRORS[RefusalReason.FUTURE](reason)
            refusal = recording.teller.refusal(line)
            if refusal is not None:
                code, sentence = refusal
                raise ERRORS[code](sentence)
            by_kind.setdefault(line.fact, []).append(Staged(number, line, digest(line)))
        for kind in KINDS:
            if kind in by_kind:
                recording.record(kind, by_kind[kind])
            recording.close(kind)
        if recording.refused:
            first = min(recording.refused, key=lambda refused: refused.staged.number)
            raise ERRORS[first.code](first.reason)
        recording.finish()
        if recording.subjects:
            transaction.on_commit(lambda: enqueue_capture(organization_id))


def enqueue_capture(organization_id: uuid.UUID, at: datetime | None = None) -> None:
    """Requests a capture, now or `at`. Without a broker nothing is lost: the sweep finds what is pending."""
    try:
        current_app.send_task(CAPTURE_TASK, [str(organization_id)], retry=False, eta=at)
    except (OperationalError, OSError):
        pass
