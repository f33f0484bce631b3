"""What is recorded of a company: lines of the facts file, and the receipts in the order in which they were written."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from compliance.facts.lines.kinds import FactLine, PolicySigned

Line = TypeVar("Line", bound=FactLine)
Answer = TypeVar("Answer")
Row = dict[str, Any]


class Receipt(NamedTuple):
    """A signature in the chain. It is sealed: later facts do not change it."""

    line: PolicySigned
    signed_at: datetime
    cycle_id: UUID
    signer_company: str | None


@dataclass
class Recorded:
    """All that is recorded until `now`."""

    organization_id: UUID
    zone: str
    facts: list[FactLine] = field(default_factory=list)
    chain: list[Receipt] = field(default_factory=list)
    invitations_erased: dict[UUID, datetime] = field(default_factory=dict)
    """When the invitations that nobody accepted were erased. An erasure clears those that are recorded before it."""
    _answers: dict[Hashable, Any] = field(default_factory=dict)

    def add(self, line: FactLine) -> None:
        """Adds one fact."""
        self.facts = sorted([*self.facts, line], key=lambda each: (each.at, each.fact_id))
        self._answers = {}

    def of(self, kind: type[Line], until: datetime | None = None, **named: Any) -> list[Line]:
        """The facts of a kind with these fields, by the moments from which they hold."""
        return [
            line
            for line in self.facts
            if isinstance(line, kind)
            and (until is None or line.at <= until)
            and all(getattr(line, name) == value for name, value in named.items())
        ]

    def once(self, key: Hashable, answer: Callable[[], Answer]) -> Answer:
        """The answer to a question, computed once until more is recorded."""
        if key not in self._answers:
            self._answers[key] = answer()
        found: Answer = self._answers[key]
        return found
