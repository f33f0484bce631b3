"""Subjects of a recording: each once, ordered ones after all others, the same in memory and on disk."""

import uuid

import pytest

from compliance.facts.ledger.models import SubjectKind
from compliance.facts.recording import subjects
from compliance.facts.recording.subjects import Subjects

PERSON, WHOLE, RECEIPT = (
    kind.value for kind in (SubjectKind.PERSON, SubjectKind.EVERYTHING_OF_PERSON, SubjectKind.RECEIPT)
)


@pytest.mark.parametrize("most", [3, 1_000])
def test_what_is_decided_in_order_stays_in_order_however_much_it_is(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(subjects, "MOST_IN_MEMORY", most)
    named = Subjects()
    receipts = [(RECEIPT, uuid.UUID(int=(number * 7) % 23 + 1), None) for number in range(22)]
    for first in range(0, 22, 2):
        named.add({(PERSON, uuid.UUID(int=first % 6 + 100), None)})
        named.add_in_order(receipts[first : first + 2])
    named.add({(WHOLE, uuid.UUID(int=100), None)})
    assert list(named.narrowest()) == [
        (WHOLE, uuid.UUID(int=100), None),
        (PERSON, uuid.UUID(int=102), None),
        (PERSON, uuid.UUID(int=104), None),
    ]
    assert list(named.in_order()) == receipts


def test_no_more_subjects_are_held_in_memory_than_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "MOST_IN_MEMORY", 10)
    named = Subjects()
    for number in range(100):
        subject = (RECEIPT, uuid.UUID(int=number + 1), None)
        named.add_in_order([subject])
        named.add([subject])
        assert len(named._held) <= 10
        assert len(named._in_order) <= 10
    assert len(list(named.in_order())) == len(list(named.narrowest())) == 100
