"""The argument of a recorder: a batch of checked lines of one kind, which it records set by set.

A recorder is a function of one `Batch`. It resolves references with a constant number of statements, refuses what it
cannot record, writes its rows, and names the subjects that may now be decided differently. Lines are in order of (`at`,
`fact_id`) over the whole file, so that of two contradicting lines the same one is first, whatever their order in the
file.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from compliance.facts import errors
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import FactLine
from compliance.facts.refusal_reasons import RefusalReason

LineType = TypeVar("LineType", bound=FactLine)

Subject = tuple[str, uuid.UUID | None, uuid.UUID | None]
"""The value of a `SubjectKind` (Python hashes an enum's member more slowly than text), and its identifiers."""


Unwritten = dict[str, dict[Any, Any]]


class Staged(NamedTuple, Generic[LineType]):
    """A checked line to be recorded: its number in the file, the line, and the digest that identifies its content."""

    number: int
    line: LineType
    digest: bytes


ERRORS: dict[RefusalReason, type[errors.FactsError]] = {
    RefusalReason.UNRESOLVED: errors.UnresolvedReferenceError,
    RefusalReason.EXISTS: errors.AlreadyExistsError,
    RefusalReason.RULE: errors.RefusedByRuleError,
    RefusalReason.ERASED: errors.ErasedPersonError,
    RefusalReason.CONTENT: errors.InvalidContentError,
    RefusalReason.FUTURE: errors.FutureFactError,
    RefusalReason.REUSED: errors.FactIdReusedError,
    RefusalReason.KIND_NOT_ALLOWED: errors.NotAllowedToTellError,
    RefusalReason.ACTOR_NOT_ALLOWED: errors.NotAllowedToTellError,
}
"""The error that an action raises for each refusal of a line that was built here and not read from bytes."""


class Refused(NamedTuple):
    """A line that is not recorded; `reason` is one plain sentence without personal data."""

    staged: Staged
    code: RefusalReason
    reason: str


class Batch(Generic[LineType]):
    """Lines of one kind that are being recorded within the company's transaction.

    `waits_until`: all lines take effect after `now`, and are decided at this moment. `unwritten`: what will be stored
    of lines that are checked and wait for their validator, by kind and identifier. `erased_at`: the people whom later
    lines of the file erase, each with the moment.
    """

    def __init__(
        self,
        organization_id: uuid.UUID,
        lines: list[Staged[LineType]],
        now: datetime,
        actor_id: uuid.UUID | None,
        waits_until: datetime | None = None,
        unwritten: Unwritten | None = None,
        erased_at: Mapping[uuid.UUID, datetime] | None = None,
    ) -> None:
        self.organization_id = organization_id
        self.lines = lines
        self.now = now
        self.actor_id = actor_id
        self.waits_until = waits_until
        self.unwritten: Unwritten = defaultdict(dict) if unwritten is None else unwritten
        self.erased_at = erased_at or {}
        self.refused: dict[int, Refused] = {}
        self.subjects: set[Subject] = set()
        self.in_order: list[Subject] = []
        self.notes: list[tuple[int, str]] = []

    def refuse(self, staged: Staged[LineType], code: RefusalReason, reason: str) -> None:
        """Refuses `staged`; the first refusal counts."""
        self.refused.setdefault(staged.number, Refused(staged, code, reason))

    def refuse_after_erasure(self, staged: Staged[LineType], learner_profile_id: uuid.UUID) -> None:
        """Refuses `staged`, which is about this person, if another line of the file erases them before its moment."""
        erased_at = self.erased_at.get(learner_profile_id)
        if erased_at is not None and staged.line.at > erased_at:
            self.refuse(
                staged,
                RefusalReason.ERASED,
                "Another line of the file erases the person before that moment; erased profiles accept no facts.",
            )

    def accepted(self) -> list[Staged[LineType]]:
        """The lines that are not refused so far, with their numbers."""
        if not self.refused:
            return self.lines
        return [staged for staged in self.lines if staged.number not in self.refused]

    def accepted_lines(self) -> list[LineType]:
        """The lines that are not refused so far."""
        return [staged.line for staged in self.accepted()]

    def note(self, staged: Staged[LineType], sentence: str) -> None:
        """Adds a note about a line that is recorded nevertheless (a receipt that was re-dated)."""
        self.notes.append((staged.number, sentence))

    def subject(self, kind: SubjectKind, first: uuid.UUID | None = None, second: uuid.UUID | None = None) -> None:
        """Marks this subject as one that may be decided differently now."""
        self.subjects.add((kind.value, first, second))

    def next_in_order(self, kind: SubjectKind, first: uuid.UUID) -> None:
        """The same for a subject that must be decided after those named before it, however many there are."""
        self.in_order.append((kind.value, first, None))

    def subjects_of(self, kind: SubjectKind, firsts: Iterable[uuid.UUID]) -> None:
        """Marks many subjects of one kind."""
        value = kind.value
        self.subjects.update([(value, first, None) for first in firsts])

    def subjects_of_pairs(self, kind: SubjectKind, pairs: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> None:
        """Marks many pairs of a learner and a course."""
        value = kind.value
        self.subjects.update([(value, first, second) for first, second in pairs])
