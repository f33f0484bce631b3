"""Where faults lie in a JSON text: from the path of a member to offset, line and column.

`locate` walks the text a second time and skips values that contain no fault.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from compliance.contentfile.faults import Fault, Found, MemberPart, Path, pointer_of
from compliance.contentfile.source import STRING_OR_BRACKET, Document

_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_SPACE: Final = re.compile(r"[ \t\n\r]*+")
_KEY: Final = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\n\r]*+:[ \t\n\r]*+', re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\n\r]*+,?[ \t\n\r]*+")
_SCALAR: Final = re.compile(r"[^,\]}\s]*+")


@dataclass(slots=True)
class _Wanted:
    """A node of the tree of paths to faults."""

    members: dict[str | int, "_Wanted"]
    key_position: int | None = None
    value_position: int | None = None
    last_index: int = -1


def locate(text: str, paths: Iterable[Path]) -> Callable[[Path, MemberPart], int | None]:
    """Find where the members at `paths` are in a valid JSON text; the answer maps a path to a character position."""
    root = _Wanted({})
    for path in paths:
        node = root
        for step in path:
            child = node.members.get(step)
            if child is None:
                child = node.members[step] = _Wanted({})
                if isinstance(step, int):
                    node.last_index = max(node.last_index, step)
            node = child
    start = _after_space(text, 0)
    root.value_position = start
    _visit(text, start, root)

    def position(path: Path, part: MemberPart) -> int | None:
        node = root
        best = root.value_position
        for step in path:
            child = node.members.get(step)
            if child is None or child.value_position is None:
                return best
            node = child
            best = child.value_position
        return node.key_position if part is MemberPart.KEY and node.key_position is not None else node.value_position

    return position


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after_string(text: str, at: int) -> int:
    match = _STRING.match(text, at)
    return match.end() if match else at + 1


def _after_value(text: str, at: int) -> int:
    first = text[at]
    if first == '"':
        return _after_string(text, at)
    if first in "[{":
        return _after_container(text, at + 1)
    match = _SCALAR.match(text, at)
    return match.end() if match else at + 1


def _after_container(text: str, at: int) -> int:
    """The end of the container that surrounds position `at`."""
    depth = 1
    for match in STRING_OR_BRACKET.finditer(text, at):
        bracket = match.group()
        if bracket in ("[", "{"):
            depth += 1
        elif bracket in ("]", "}"):
            depth -= 1
            if depth == 0:
                return match.end()
    return len(text)


def _visit(text: str, at: int, node: _Wanted) -> int:
    """Record the places of the wanted members of the value at `at`; returns the end of that value."""
    first = text[at]
    if not node.members or first not in "[{":
        return _after_value(text, at)
    at = _after_space(text, at + 1)
    index = 0
    while at < len(text) and text[at] not in "]}":
        step: str | int = index
        key_at = at
        if first == "{":
            key = _KEY.match(text, at)
            if key is None:
                break
            step = json.loads(key[1]) if "\\" in key[1] else key[1][1:-1]
            at = key.end()
        elif index > node.last_index:
            return _after_container(text, at)
        child = node.members.get(step)
        if child is None:
            at = _after_value(text, at)
        else:
            child.value_position = at
            child.key_position = key_at if first == "{" else None
            at = _visit(text, at, child)
        separator = _SEPARATOR.match(text, at)
        at = separator.end() if separator else at
        index += 1
    return at + 1


def _writable(name: str) -> str:
    """The name of a file with a replacement character for each byte of it that is not UTF-8."""
    return name.encode("utf-8", "replace").decode("utf-8")


def place(found: Iterable[Found], document: Document | None, file: str = "") -> list[Fault]:
    """Turn found faults into reported ones, in the order of the file."""
    found = list(found)
    if document is None or not document.text:
        return [Fault(item.code, pointer_of(item.path), item.message, _writable(item.file or file)) for item in found]
    text = document.text
    position_of = (
        locate(text, {item.path for item in found})
        if document.readable and any(item.position is None for item in found)
        else None
    )
    placed: list[tuple[int, Found]] = []
    unplaced: list[Found] = []
    for item in found:
        position = item.position
        if position is None and position_of is not None:
            position = position_of(item.path, item.part)
        if position is None:
            unplaced.append(item)
        else:
            placed.append((position, item))
    placed.sort(key=lambda pair: pair[0])
    faults = [Fault(item.code, pointer_of(item.path), item.message, file) for item in unplaced]
    done = 0
    offset = document.bytes_before
    line = 1
    line_start = 0
    for position, item in placed:
        passed = text[done:position]
        offset += len(passed.encode("utf-8", "surrogatepass"))
        breaks = passed.count("\n")
        if breaks:
            line += breaks
            line_start = done + passed.rindex("\n") + 1
        done = position
        faults.append(
            Fault(item.code, pointer_of(item.path), item.message, file, offset, line, position - line_start + 1)
        )
    return faults
