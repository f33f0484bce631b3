"""Who records facts, by which way, and which kinds of fact they may record.

The entry point (a page, a command, a file) opens `telling`; all facts recorded within it have that origin. A teller
with `kinds` can record no others, and a person cannot name another person as the one who acted.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from compliance.facts.lines.kinds import FactLine
from compliance.facts.refusal_reasons import RefusalReason

WHO_ACTED = ("actor_id", "publisher_id")
"""The fields of a line that name the person who acted."""


class Channel(StrEnum):
    """The ways by which facts come in."""

    CONSOLE = "console"
    FILE = "file"
    COMMAND = "command"
    SOURCE = "source"
    LEARNER = "learner"
    PROGRAM = "program"  # an action called by a program of the deployment without a teller of its own


@dataclass(frozen=True)
class Teller:
    """Who records facts: the way, the name of the command or source, who acted, and the second person who confirmed.

    `kinds` None: any kind of fact. With an `actor_id`, a line may name no other person as the one who acted.
    """

    channel: Channel
    name: str = ""
    actor_id: uuid.UUID | None = None
    confirmed_by: uuid.UUID | None = None
    kinds: frozenset[str] | None = None

    def refusal(self, line: FactLine) -> tuple[RefusalReason, str] | None:
        """Why this teller may not record `line`, as a code and a sentence; None if they may."""
        if self.kinds is not None and line.fact not in self.kinds:
            sentence = f"fact: {line.fact} is not among the kinds of fact that you may tell."
            return RefusalReason.KIND_NOT_ALLOWED, sentence
        if self.actor_id is None:
            return None
        for name in WHO_ACTED:
            named = getattr(line, name, None)
            if named is not None and named != self.actor_id:
                sentence = f"{name}: names another person than you; who tells a fact is who acted."
                return RefusalReason.ACTOR_NOT_ALLOWED, sentence
        return None


PROGRAM = Teller(Channel.PROGRAM)
_current: ContextVar[Teller] = ContextVar("teller", default=PROGRAM)


def current() -> Teller:
    """The teller of what is recorded now."""
    return _current.get()


@contextmanager
def telling(teller: Teller) -> Iterator[None]:
    """Facts recorded within this context have the origin `teller`."""
    token = _current.set(teller)
    try:
        yield
    finally:
        _current.reset(token)
