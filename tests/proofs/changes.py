"""Random changes of bytes and of JSON documents, for `mutations`. Each takes the source of chance first."""

import copy
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

BYTES = bytes(range(256))
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    1.0,
    2**63,
    10**30,
    "",
    "0",
    "01",
    "+1",
    "null",
    "\x00",
    "\ud800",
    "ſ",
    [],
    [[]],
    {},
    {"": ""},
)


def change_bytes(chance: random.Random, content: bytes) -> tuple[str, bytes]:
    """Change a byte, insert, take away, double or swap some, or cut off an end."""
    at = chance.randrange(len(content))
    length = chance.choice((1, 1, 2, 7, 40))
    end = min(len(content), at + length)
    kind = chance.choice(_BYTE_CHANGES)
    return kind.__name__.strip("_").replace("_", " "), kind(chance, content, at, end)


def _another_byte(chance: random.Random, content: bytes, at: int, _: int) -> bytes:
    return content[:at] + bytes([(content[at] + chance.randrange(1, 256)) % 256]) + content[at + 1 :]


def _another_bit(chance: random.Random, content: bytes, at: int, _: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def _another_letter(chance: random.Random, content: bytes, at: int, _: int) -> bytes:
    """Replaces a byte by another byte of the text, which is more often well formed than a random byte."""
    return content[:at] + bytes([chance.choice(content)]) + content[at + 1 :]


def _inserted(chance: random.Random, content: bytes, at: int, _: int) -> bytes:
    return (
        content[:at] + bytes([chance.choice(content) if chance.random() < 0.7 else chance.choice(BYTES)]) + content[at:]
    )


def _taken_away(_: random.Random, content: bytes, at: int, end: int) -> bytes:
    return content[:at] + content[end:]


def _doubled(_: random.Random, content: bytes, at: int, end: int) -> bytes:
    return content[:end] + content[at:end] + content[end:]


def _swapped(chance: random.Random, content: bytes, at: int, end: int) -> bytes:
    other = chance.randrange(end, len(content) + 1)
    last = min(len(content), other + end - at)
    return content[:at] + content[other:last] + content[end:other] + content[at:end] + content[last:]


def _cut_off(chance: random.Random, content: bytes, at: int, _: int) -> bytes:
    return content[:at] if chance.random() < 0.8 else content[at:]


def _appended(chance: random.Random, content: bytes, at: int, end: int) -> bytes:
    return content + (
        content[at:end] if chance.random() < 0.5 else chance.choice((b"\n", b" ", b"\x00", b"{}", b"\n\n"))
    )


def _put_before(chance: random.Random, content: bytes, _: int, __: int) -> bytes:
    return chance.choice((b"\xef\xbb\xbf", b" ", b"\n", b"\x00", b"[", b"x")) + content


_BYTE_CHANGES = (
    _another_byte,
    _another_byte,
    _another_bit,
    _another_letter,
    _another_letter,
    _inserted,
    _taken_away,
    _doubled,
    _swapped,
    _cut_off,
    _appended,
    _put_before,
)


def places_in(document: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values in a JSON document, the root's first."""
    found = [at]
    members = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, value in members:
        found += places_in(value, (*at, name))
    return found


def value_at(document: Any, place: Sequence[str | int]) -> Any:
    """The value at a path."""
    for step in place:
        document = document[step]
    return document


def change_document(chance: random.Random, document: Any, others: Sequence[Any]) -> tuple[str, bytes]:
    """Change one value, member or list of a JSON document; `others` are documents like it, to take values from."""
    changed = copy.deepcopy(document)
    place = chance.choice(places_in(document)[1:])
    parent, name = value_at(changed, place[:-1]), place[-1]
    kind = chance.choice(_DOCUMENT_CHANGES)
    text = kind(chance, changed, parent, name, chance.choice(others), place)
    sentence = f"{kind.__name__.strip('_').replace('_', ' ')} at {'.'.join(map(str, place))}"
    return sentence, (text if text is not None else dumped(changed)).encode("utf-8", "surrogatepass")


def dumped(document: Any, **form: Any) -> str:
    """A document as it is served: compact, not escaped."""
    return json.dumps(document, **{"ensure_ascii": False, "separators": (",", ":"), **form})


Change = Callable[[random.Random, Any, Any, Any, Any, tuple[str | int, ...]], str | None]


def _odd_value(chance: random.Random, _: Any, parent: Any, name: Any, __: Any, ___: Any) -> None:
    parent[name] = chance.choice(ODD_VALUES)


def _near_value(chance: random.Random, _: Any, parent: Any, name: Any, __: Any, ___: Any) -> None:
    value = parent[name]
    if isinstance(value, int):
        parent[name] = chance.choice((value + 1, value - 1, value ^ 2, value * 2, -value, str(value), float(value)))
    elif isinstance(value, str) and value:
        at = chance.randrange(len(value))
        parent[name] = chance.choice(
            (value.upper(), value.lower(), value.swapcase(), value + "\n", " " + value, value[:at] + value[at + 1 :],
             value.replace("\n", "\r\n"), value.rstrip("=\n"), value[::-1])
        )  # fmt: skip
    elif isinstance(value, list):
        chance.shuffle(value)
    elif isinstance(value, dict):
        parent[name] = list(value.items())


def _value_of_another(_: random.Random, __: Any, parent: Any, name: Any, other: Any, place: Any) -> None:
    try:
        parent[name] = value_at(other, place)
    except (LookupError, TypeError):
        parent[name] = None


def _taken_out(_: random.Random, __: Any, parent: Any, name: Any, ___: Any, ____: Any) -> None:
    del parent[name]


def _added(chance: random.Random, _: Any, parent: Any, name: Any, __: Any, ___: Any) -> None:
    if isinstance(parent, list):
        parent.insert(chance.randrange(len(parent) + 1), parent[name])
    else:
        parent[f"{name}_" if chance.random() < 0.5 else "outcome"] = parent[name]


def _renamed(_: random.Random, __: Any, parent: Any, name: Any, ___: Any, ____: Any) -> None:
    if isinstance(parent, list):
        parent.reverse()
    else:
        parent[str(name).title()] = parent.pop(name)


def _exchanged(chance: random.Random, _: Any, parent: Any, name: Any, __: Any, ___: Any) -> None:
    other = chance.choice(list(range(len(parent)) if isinstance(parent, list) else parent))
    parent[name], parent[other] = parent[other], parent[name]


def _member_given_twice(
    chance: random.Random, document: Any, parent: Any, name: Any, other: Any, place: Any
) -> str | None:
    if isinstance(parent, list):
        return None
    value = value_at(document, place) if chance.random() < 0.5 else chance.choice(ODD_VALUES)
    member = f"{dumped(name)}:{dumped(parent[name])}"
    return dumped(document).replace(member, f"{dumped(name)}:{dumped(value)},{member}", 1)


def _written_otherwise(chance: random.Random, document: Any, _: Any, __: Any, ___: Any, ____: Any) -> str:
    form = chance.choice(({"indent": 1}, {"separators": (", ", ": ")}, {"ensure_ascii": True}, {"sort_keys": True}))
    return dumped(document, **form)


_DOCUMENT_CHANGES: tuple[Change, ...] = (
    _odd_value,
    _near_value,
    _near_value,
    _value_of_another,
    _value_of_another,
    _taken_out,
    _added,
    _renamed,
    _exchanged,
    _member_given_twice,
    _written_otherwise,
)
