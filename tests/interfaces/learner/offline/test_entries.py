"""What a device sends is parsed strictly: it has exactly our form, or nothing of it counts."""

import json
import uuid
from typing import Any

import pytest

from compliance.interfaces.learner.offline.entries import MOST_ENTRIES, read
from compliance.interfaces.learner.offline.errors import UnreadableSendError
from compliance.learning.arriving import AnswerEntry, FilmEntry, PageEntry

ID = "0d9c2a1e-8f5b-4a64-9d7e-3b1f2c4d5e6f"
PAGE: dict[str, Any] = {"id": ID, "kind": "page", "lesson": "ab", "page": "p1"}
ANSWER: dict[str, Any] = {"id": ID, "kind": "answer", "lesson": "ab", "question": "q1", "choices": ["yes"], "number": 1}
FILM: dict[str, Any] = {"id": ID, "kind": "film", "lesson": "ab", "film": "film-p1-2", "scene": "s1"}


def sent(*entries: Any) -> bytes:
    return json.dumps({"entries": list(entries)}).encode()


def test_each_kind_is_read() -> None:
    other = [str(uuid.uuid4()) for _ in range(3)]
    found = read(sent(*({**each, "id": name} for each, name in zip((PAGE, ANSWER, FILM), other, strict=True))))
    assert [str(name) for name, _ in found] == other
    assert [each for _, each in found] == [
        PageEntry("ab", "p1"),
        AnswerEntry("ab", "q1", frozenset({"yes"}), 1),
        FilmEntry("ab", "film-p1-2", "s1"),
    ]
    assert read(sent()) == []


def without(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"entries"', b"\xff", b'{"entries": {}}', b'{"entries": null}',
        b'{"entries": [], "x": 1}',
        b'{"entries": [], "entries": []}', b'{"entries": [NaN]}', b"[" * 100_000,
        sent(None), sent([]), sent("page"), sent({}), sent(PAGE, PAGE), sent(*[PAGE] * (MOST_ENTRIES + 1)),
        *(sent(without(each, name)) for each in (PAGE, ANSWER, FILM) for name in each),
        *(sent({**each, "at": "2026-01-01"}) for each in (PAGE, ANSWER, FILM)),
        *(sent({**PAGE, "kind": kind}) for kind in ("", "answer", "Page", None, 1, ["page"], {"page": 1})),
        *(sent({**PAGE, "id": name}) for name in ("", "x", None, 1, ID + "0", [ID])),
        *(sent({**PAGE, "page": value}) for value in ("", None, 1, ["p1"], "p" * 65, "p\0")),
        *(sent({**PAGE, "lesson": value}) for value in ("", None, "a" * 65)),
        *(sent({**ANSWER, "choices": value}) for value in ([], "yes", None, {"yes": 1}, [1], [""], ["a"] * 27)),
        *(sent({**ANSWER, "number": value}) for value in (0, -1, 1.0, "1", None, True, 10_001, 10**30)),
    ],
)  # fmt: skip
def test_anything_else_is_refused(body: bytes) -> None:
    with pytest.raises(UnreadableSendError):
        read(body)
