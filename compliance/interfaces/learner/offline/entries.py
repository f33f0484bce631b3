"""What a device sends of what was done offline, parsed strictly: `{"entries": [...]}` and nothing else.

Our own worker sends nothing else, so any fault refuses the whole body, and nothing of it counts.
"""

import json
import uuid
from collections.abc import Callable
from typing import Any, Final

from compliance.interfaces.learner.offline.errors import UnreadableSendError
from compliance.learning.arriving import AnswerEntry, Entry, FilmEntry, PageEntry

MOST_ENTRIES: Final = 100
"""A device with more entries sends them in several requests."""
_MOST_CHARACTERS: Final = 64
_MOST_CHOICES: Final = 26
_MOST_NUMBER: Final = 10_000


def read(body: bytes) -> list[tuple[uuid.UUID, Entry]]:
    """The entries of a request in their order, each with the id under which the device keeps it.

    Raises UnreadableSendError.
    """
    try:
        sent = json.loads(body.decode("utf-8"), object_pairs_hook=_members, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise UnreadableSendError("The body is not JSON.") from error
    if not isinstance(sent, dict) or set(sent) != {"entries"} or not isinstance(sent["entries"], list):
        raise UnreadableSendError("The body is an object with the member entries, a list.")
    if len(sent["entries"]) > MOST_ENTRIES:
        raise UnreadableSendError(f"One send holds at most {MOST_ENTRIES} entries.")
    found = [_entry(each) for each in sent["entries"]]
    if len({entry_id for entry_id, _ in found}) < len(found):
        raise UnreadableSendError("Two entries have one id.")
    return found


def _entry(sent: Any) -> tuple[uuid.UUID, Entry]:
    if not isinstance(sent, dict):
        raise UnreadableSendError("An entry is an object.")
    kind = sent.get("kind")
    members, make = _KINDS.get(kind, (None, None)) if isinstance(kind, str) else (None, None)
    if members is None or make is None:
        raise UnreadableSendError("An entry has no known kind.")
    if set(sent) != members | {"id", "kind", "lesson"}:
        raise UnreadableSendError(f"An entry of the kind {kind} has other members.")
    try:
        entry_id = uuid.UUID(_text(sent["id"]))
    except ValueError as error:
        raise UnreadableSendError("The id of an entry is a UUID.") from error
    return entry_id, make(sent)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_CHARACTERS or "\0" in value:
        raise UnreadableSendError(f"A member of an entry is a text of at most {_MOST_CHARACTERS} characters.")
    return value


def _page(sent: dict[str, Any]) -> Entry:
    return PageEntry(_text(sent["lesson"]), _text(sent["page"]))


def _film(sent: dict[str, Any]) -> Entry:
    return FilmEntry(_text(sent["lesson"]), _text(sent["film"]), _text(sent["scene"]))


def _answer(sent: dict[str, Any]) -> Entry:
    choices, number = sent["choices"], sent["number"]
    if not isinstance(choices, list) or not 0 < len(choices) <= _MOST_CHOICES:
        raise UnreadableSendError(f"An answer has 1 to {_MOST_CHOICES} choices.")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= _MOST_NUMBER:
        raise UnreadableSendError("The number of an answer counts from 1.")
    chosen = frozenset(_text(each) for each in choices)
    return AnswerEntry(_text(sent["lesson"]), _text(sent["question"]), chosen, number)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("A member is there twice.")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON.")


_KINDS: Final[dict[str, tuple[set[str], Callable[[dict[str, Any]], Entry]]]] = {
    "page": ({"page"}, _page),
    "film": ({"film", "scene"}, _film),
    "answer": ({"question", "choices", "number"}, _answer),
}
