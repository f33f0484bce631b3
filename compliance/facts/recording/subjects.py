"""The subjects that a recording makes pending: each once, and none that another one covers.

A large file has more subjects than memory should hold; beyond `MOST_IN_MEMORY` they are in a temporary database.
"""

import sqlite3
import uuid
import weakref
from collections.abc import Collection, Iterable, Iterator

from compliance.facts.ledger.models import OF_MANY_PEOPLE, SubjectKind
from compliance.facts.recording.batch import Subject
from compliance.facts.recording.temporary import temporary_database, write

MOST_IN_MEMORY = 50_000
_WHOLE = SubjectKind.EVERYTHING_OF_PERSON.value
_OF_PERSON = frozenset(
    kind.value for kind in (SubjectKind.PERSON_COURSE, SubjectKind.PERSON_POLICY, SubjectKind.PERSON)
)
_NOBODY = b""

# `first` and `second` are empty strings if a subject has none.
_TABLES = """
CREATE TABLE subject (kind TEXT, first BLOB, second BLOB, PRIMARY KEY (kind, first, second)) WITHOUT ROWID;
CREATE TABLE in_order (kind TEXT, first BLOB, second BLOB);
"""
_NARROWEST = f"""
SELECT kind, first, second FROM subject s
WHERE NOT (kind IN ({", ".join("?" * len(_OF_PERSON))})
    AND EXISTS (SELECT 1 FROM subject w WHERE w.kind = ? AND w.first = s.first))
ORDER BY kind, first, second
"""  # noqa: S608 - placeholders


class Subjects:
    """The subjects named so far."""

    def __init__(self) -> None:
        self._held: set[Subject] = set()
        self._in_order: list[Subject] = []
        self._aside: sqlite3.Connection | None = None

    def __bool__(self) -> bool:
        return bool(self._held or self._in_order or self._aside)

    def add(self, subjects: Collection[Subject]) -> None:
        """Adds subjects; repetitions have no effect."""
        self._held.update(subjects)
        if len(self._held) > MOST_IN_MEMORY:
            self._set_aside()

    def add_in_order(self, subjects: Collection[Subject]) -> None:
        """Adds subjects that come after all others, in this order."""
        self._in_order += subjects
        if len(self._in_order) > MOST_IN_MEMORY:
            self._set_aside()

    def names_many_people(self) -> bool:
        """Whether some subject fans out to many people."""
        return any(self._number(kind) for kind in OF_MANY_PEOPLE)

    def whole_people(self) -> int:
        """The number of people for whom everything is decided."""
        return self._number(_WHOLE)

    def narrowest(self, left_out: Collection[str] = ()) -> Iterator[Subject]:
        """The subjects that no other covers, without the kinds `left_out`; those of one person are together."""
        if self._aside is None:
            yield from (subject for subject in narrowest(self._held) if subject[0] not in left_out)
            return
        self._set_aside()
        for kind, first, second in self._aside.execute(_NARROWEST, (*_OF_PERSON, _WHOLE)):
            if kind not in left_out:
                yield kind, _identifier(first), _identifier(second)

    def in_order(self) -> Iterator[Subject]:
        """The subjects that come after all others."""
        if self._aside is not None:
            self._set_aside()
            for kind, first, second in self._aside.execute("SELECT kind, first, second FROM in_order ORDER BY rowid"):
                yield kind, _identifier(first), _identifier(second)
        yield from self._in_order

    def _number(self, kind: str) -> int:
        if self._aside is None:
            return sum(each == kind for each, _, _ in self._held)
        self._set_aside()
        ((number,),) = self._aside.execute("SELECT count(*) FROM subject WHERE kind = ?", (kind,))
        return int(number)

    def _set_aside(self) -> None:
        if self._aside is None:
            self._aside = temporary_database()
            weakref.finalize(self, self._aside.close)  # a recording may be abandoned at any point
            self._aside.executescript(_TABLES)
        write(self._aside, "INSERT OR IGNORE INTO subject VALUES (?, ?, ?)", sorted(_rows(self._held)))
        write(self._aside, "INSERT INTO in_order VALUES (?, ?, ?)", _rows(self._in_order))
        self._held.clear()
        self._in_order.clear()


def narrowest(subjects: Collection[Subject]) -> list[Subject]:
    """The subjects without those that others cover, in an order that keeps those of one person together."""
    whole = _people(subjects)
    return sorted(
        (subject for subject in subjects if not (subject[0] in _OF_PERSON and subject[1] in whole)), key=_order
    )


def _people(subjects: Iterable[Subject]) -> set[uuid.UUID | None]:
    return {first for kind, first, _ in subjects if kind == _WHOLE}


def _order(subject: Subject) -> tuple[str, int, int]:
    kind, first, second = subject
    return kind, first.int if first else 0, second.int if second else 0


def _rows(subjects: Iterable[Subject]) -> Iterator[tuple[str, bytes, bytes]]:
    return ((kind, _bytes(first), _bytes(second)) for kind, first, second in subjects)


def _bytes(identifier: uuid.UUID | None) -> bytes:
    return _NOBODY if identifier is None else identifier.bytes


def _identifier(stored: bytes) -> uuid.UUID | None:
    return None if stored == _NOBODY else uuid.UUID(bytes=stored)
