"""From a body to its lines: NDJSON, or the elements of a JSON array. A fault of a line is reported for that line only.

A line of NDJSON is an object, so a body that begins with a bracket is an array. Its elements are found by brackets and
strings only and then read like lines, so a malformed element does not affect the others.
"""

import io
import re
from collections.abc import Iterator
from typing import Final

from compliance.facts.lines.reading import ReadLine, RefusedLine, read, read_line
from compliance.interfaces.api.problems import Code, Problem

MAXIMUM_LINES: Final = 60_000
"""The shortest fact has 148 bytes, so a body holds no more lines than this. It limits the size of an answer."""
MAXIMUM_VALUES: Final = 500_000
"""A full body of facts holds some 300,000 values, and each takes more than a hundred bytes of memory while read."""
MOST_NESTED: Final = 100

_SPACE = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Atomic groups instead of `(?:...)*+`: `re` has a bug before 3.11.5 (https://github.com/python/cpython/issues/106052).
_STRING = rb'"(?>(?:[^"\\]++|\\.)*)"'
_SPACES = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(rb'(?>(?:[^",\[\]{}]++|' + _STRING + rb")+)", re.DOTALL)
_TO_BRACKET = re.compile(rb'(?>(?:[^"\[\]{}]++|' + _STRING + rb")*)[\[\]{}]", re.DOTALL)
_OPENING, _CLOSING = b"[{", b"]}"


def lines_of(content: bytes) -> Iterator[ReadLine | RefusedLine]:
    """Each line of a body, numbered from 1, either read or refused.

    Raises `Problem`: 400 for a body without a line or a malformed array, 413 for too many lines or values.
    """
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    first = _after_space(content, start)
    if first == len(content):
        raise Problem(Code.BODY_NOT_READABLE, "The body is empty. Send facts, a line each, or a JSON array of them.")
    if sum(map(content.count, (b",", b"[", b"{"))) > MAXIMUM_VALUES:  # each value follows one of these
        raise Problem(Code.BODY_TOO_LARGE, f"The body has more than {MAXIMUM_VALUES:,} values.")
    if content[first : first + 1] == b"[":
        return _elements(content, first + 1)
    if content.count(b"\n") > MAXIMUM_LINES:
        raise _too_many()
    return read(io.BytesIO(content))


def _elements(content: bytes, place: int) -> Iterator[ReadLine | RefusedLine]:
    place = _after_space(content, place)
    if content[place : place + 1] == b"]":
        _check_end(content, place + 1)
        return
    number = 0
    while True:
        number += 1
        if number > MAXIMUM_LINES:
            raise _too_many()
        end = _end_of_element(content, place)
        element = content[place:end].rstrip(_SPACE)
        if not element:
            raise _no_array(f"element {number} is missing")
        yield read_line(number, element)
        place = _after_space(content, end)
        following = content[place : place + 1]
        if following == b"]":
            _check_end(content, place + 1)
            return
        if following != b",":
            raise _no_array(f"what follows element {number} is neither a comma nor the end of the array")
        place = _after_space(content, place + 1)


def _end_of_element(content: bytes, place: int) -> int:
    if content[place : place + 1] not in (b"[", b"{"):
        found = _SCALAR.match(content, place)
        return place if found is None else found.end()
    depth = 0
    while True:
        found = _TO_BRACKET.match(content, place)
        if found is None:
            raise _no_array("it is cut short, or a string in it does not end")
        place = found.end()
        depth += 1 if content[place - 1] in _OPENING else -1
        if depth == 0:
            return place
        if depth > MOST_NESTED:
            raise _no_array(f"it is nested more than {MOST_NESTED} deep")


def _after_space(content: bytes, place: int) -> int:
    found = _SPACES.match(content, place)
    return place if found is None else found.end()


def _check_end(content: bytes, place: int) -> None:
    if _after_space(content, place) != len(content):
        raise _no_array("something follows its end")


def _no_array(what: str) -> Problem:
    return Problem(Code.BODY_NOT_READABLE, f"The body begins as a JSON array and is none: {what}.")


def _too_many() -> Problem:
    return Problem(Code.BODY_TOO_LARGE, f"The body has more than {MAXIMUM_LINES:,} lines.")
