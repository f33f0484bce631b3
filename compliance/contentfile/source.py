"""Strict JSON: bytes to a value, with every fault that standard parsers forgive, and the place of any member.

The value leaves out `$schema` of every object, whatever it holds (contract: "accepted at every object level and
ignored"), and holds a number without a fraction as an integer, whether written `5`, `5.0` or `5e0` (JSON Schema
2020-12, section 4.2.3).

A file without faults costs one C parse and a scan for depth. The place of a fault is computed only where there is one
(`places`).
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn

from compliance.contentfile import limits
from compliance.contentfile.faults import EnoughFaults, FaultCode, MemberPart, Path, Report, quoted

SCHEMA_KEY: Final = "$schema"

# Linear on any input: an unclosed string is scanned to the end once and never again from inside.
STRING_OR_BRACKET: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
_STRING_OR_CONSTANT: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|NaN|-?Infinity', re.DOTALL)
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_LATE_CONTROL: Final = re.compile("[\x80-\x9f]")
_BAD_CHARACTER: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(slots=True)
class Document:
    """One parsed JSON file. `value` is None when the bytes could not be parsed (the report says why)."""

    text: str
    value: Any
    bytes_before: int = 0
    readable: bool = True


class _NotAConstant(ValueError):
    """NaN or Infinity, which Python's parser accepts and JSON does not have."""


def parse(data: bytes, report: Report, *, limit: int = limits.JSON_BYTES) -> Document:
    """Parse bytes as UTF-8 JSON, strictly; faults go into the report."""
    if is_too_large(len(data), report, limit):
        return Document("", None, readable=False)
    bytes_before = 0
    encoding = _other_encoding(data)
    if encoding:
        report.add(FaultCode.NOT_UTF8, (), f"The file is {encoding}; save it as UTF-8.", position=0)
        return Document("", None, readable=False)
    if data.startswith(b"\xef\xbb\xbf"):
        report.add(
            FaultCode.BYTE_ORDER_MARK,
            (),
            "The file starts with a byte order mark; save it as UTF-8 without one.",
            position=0,
        )
        bytes_before = 3
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        position = len(data[: error.start].decode("utf-8"))
        report.add(
            FaultCode.NOT_UTF8,
            (),
            f"Byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8.",
            position=position,
        )
        return Document(data.decode("utf-8", "replace"), None, bytes_before, readable=False)
    document = Document(text, None, bytes_before)
    document.readable = _parse_text(document, report)
    return document


def is_too_large(size: int, report: Report, limit: int = limits.JSON_BYTES) -> bool:
    """Whether a JSON file of `size` bytes is larger than the limit; reported if so."""
    if size > limit:
        message = f"The file has {size:,} bytes; at most {limit:,} are read. Split the course or shorten it."
        report.add(FaultCode.TOO_LARGE, (), message)
    return size > limit


def _other_encoding(data: bytes) -> str:
    """The name of the encoding when the first bytes show that it is not UTF-8 (RFC 4627, section 3)."""
    start = data[:4]
    if start in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"):
        return "UTF-32"
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16"
    if len(start) == 4:
        zeros = [byte == 0 for byte in start]
        if zeros in ([True, True, True, False], [False, True, True, True]):
            return "UTF-32"
        if zeros in ([True, False, True, False], [False, True, False, True]):
            return "UTF-16"
    return ""


def _parse_text(document: Document, report: Report) -> bool:
    text = document.text
    nul = text.find("\x00")
    if nul >= 0:
        report.add(FaultCode.NUL_CHARACTER, (), "The file holds a NUL byte; remove it.", position=nul)
        return False
    if _has_too_many_values(text):
        message = f"The file holds more than {limits.JSON_NODES:,} values; split the course or shorten it."
        report.add(FaultCode.TOO_LARGE, (), message)
        return False
    repeated: dict[int, tuple[dict[str, Any], list[str]]] = {}

    def to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if repeated and (len(members) != len(pairs) or SCHEMA_KEY in members):
            # What is left out of the value must not take the place of what it holds.
            _forget((value for name, value in pairs if name == SCHEMA_KEY or members[name] is not value), repeated)
        if len(members) != len(pairs):
            seen: set[str] = set()
            again: dict[str, None] = {}
            for name, _ in pairs:
                if name in seen:
                    again[name] = None
                seen.add(name)
            # The object is kept beside its names, so that its id() is not given to another object. Each of them is a
            # fault, and no more are listed.
            if len(repeated) <= limits.FAULTS_LISTED:
                repeated[id(members)] = (members, list(again))
        members.pop(SCHEMA_KEY, None)
        return members

    try:
        document.value = json.loads(
            text,
            object_pairs_hook=to_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        _add_too_deep(report, _first_too_deep(text))
        return False
    except json.JSONDecodeError as error:
        report.add(FaultCode.INVALID_JSON, (), _syntax_sentence(error), position=error.pos)
        return False
    except _NotAConstant as error:
        at = next(m.start() for m in _STRING_OR_CONSTANT.finditer(text) if not m.group().startswith('"'))
        report.add(FaultCode.INVALID_JSON, (), f"{error} is not JSON; write a number.", position=at)
        return False
    if not _depth_is_bounded(document.value):
        _add_too_deep(report, _first_too_deep(text))
        return False
    with suppress(EnoughFaults):
        _check_parsed(document, repeated, report)
    return True


def _forget(left_out: Iterable[object], repeated: dict[int, tuple[dict[str, Any], list[str]]]) -> None:
    """Remove every object within the values that are left out."""
    stack = list(left_out)
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            repeated.pop(id(item), None)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _check_parsed(document: Document, repeated: dict[int, tuple[dict[str, Any], list[str]]], report: Report) -> None:
    """Report what the parser forgives: repeated keys and disallowed characters."""
    text = document.text
    if repeated:
        for path, members in _containers(document.value):
            entry = repeated.get(id(members))
            for name in entry[1] if entry else ():
                report.add(
                    FaultCode.DUPLICATE_KEY,
                    (*path, name),
                    f"The key {quoted(name)} occurs twice in this object; keep one.",
                    part=MemberPart.KEY,
                )
    # Any other control character is a syntax error unless it is written as an escape.
    if "\\u" in text or "\x7f" in text or not (text.isascii() or _LATE_CONTROL.search(text) is None):
        check_characters(document.value, report)


def _integer(digits: str) -> int:
    # Python refuses very long integers with a ValueError; their first digits already exceed any range here.
    return int(digits[: limits.JSON_DIGITS + 2])


def _number(digits: str) -> int | float:
    """A number with a fraction or an exponent: an integer if it is whole by its digits, without rounding."""
    try:
        number = Decimal(digits)
    except InvalidOperation:  # an exponent beyond any range
        return float(digits)
    if number and number.adjusted() > limits.JSON_DIGITS:
        return int(math.copysign(10 ** (limits.JSON_DIGITS + 1), number))
    return int(number) if number == number.to_integral_value() else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise _NotAConstant(name)


def _has_too_many_values(text: str) -> bool:
    """Whether the text has more values than `take` takes, found before they take up to a hundred bytes each."""
    # Each value follows a bracket or a comma. Commas within strings count only where they make a difference.
    return _openings(text) > limits.JSON_NODES and _openings(_STRING.sub("", text)) > limits.JSON_NODES


def _openings(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")


def _syntax_sentence(error: json.JSONDecodeError) -> str:
    hints = {
        "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
        "Expecting ':' delimiter": "a colon is missing after the key",
        "Expecting property name enclosed in double quotes": "a key in double quotes is expected here "
        "(a comma before a closing bracket is one too many)",
        "Expecting value": "a value is expected here (a comma before a closing bracket is one too many)",
        "Unterminated string starting at": "this string has no closing quote",
        "Extra data": "the document is complete here; remove what follows",
        "Invalid control character at": "a string contains a line break, tab or other control character; escape it",
        "Illegal trailing comma before end of array": "this comma is one too many",
        "Illegal trailing comma before end of object": "this comma is one too many",
    }
    hint = hints.get(error.msg, error.msg[:1].lower() + error.msg[1:])
    return f"This is not JSON: {hint}. Faults after this place are listed once this one is corrected."


def _depth_is_bounded(value: object) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limits.JSON_DEPTH):
        level = [
            member
            for container in level
            for member in (container.values() if type(container) is dict else container)
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return True
    return False


def _first_too_deep(text: str) -> int:
    """The position of the first bracket that is too deep."""
    depth = 0
    for match in STRING_OR_BRACKET.finditer(text):
        bracket = match.group()
        if bracket in ("[", "{"):
            depth += 1
            if depth > limits.JSON_DEPTH:
                return match.start()
        elif bracket in ("]", "}"):
            depth -= 1
    return 0


def _add_too_deep(report: Report, position: int | None = None) -> None:
    report.add(
        FaultCode.TOO_DEEP,
        (),
        f"Brackets are nested more than {limits.JSON_DEPTH} deep; the format needs fewer than 20.",
        position=position,
    )


def take(value: object, report: Report) -> Document:
    """Take a Python value that did not come from `parse` as if it had been parsed; it is copied, never changed."""
    document = Document("", None, readable=False)
    nodes = 0
    stack: list[tuple[object, int]] = [(value, 1)]
    while stack:
        item, depth = stack.pop()
        nodes += 1
        members: Iterable[object]
        if isinstance(item, dict):
            members = (member for name, member in item.items() if name != SCHEMA_KEY)
            wrong = next((key for key in item if not isinstance(key, str)), None)
            if wrong is not None:
                report.add(FaultCode.WRONG_TYPE, (), f"A key is {quoted(wrong)}; JSON keys are strings.")
                return document
        elif isinstance(item, list):
            members = item
        else:
            if isinstance(item, str):
                nodes += len(item) // 64
            continue
        if depth > limits.JSON_DEPTH:
            _add_too_deep(report)
            return document
        if nodes + len(stack) > limits.JSON_NODES:
            report.add(FaultCode.TOO_LARGE, (), "The content is larger than any content file may be.")
            return document
        stack.extend((member, depth + 1) for member in members)
    document.value = _as_parsed(value)
    document.readable = True
    with suppress(EnoughFaults):
        check_characters(document.value, report)
    return document


def _as_parsed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_parsed(member) for name, member in value.items() if name != SCHEMA_KEY}
    if isinstance(value, list):
        return [_as_parsed(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _containers(value: object) -> Iterator[tuple[Path, dict[str, Any] | list[Any]]]:
    """Every object and array with its path, parents first, in reading order."""
    if not isinstance(value, (dict, list)):
        return
    yield (), value
    stack: list[tuple[Path, Iterator[tuple[str | int, Any]]]] = [((), _members(value))]
    while stack:
        path, members = stack[-1]
        for name, member in members:
            if isinstance(member, (dict, list)):
                inner = (*path, name)
                yield inner, member
                stack.append((inner, _members(member)))
                break
        else:
            stack.pop()


def _members(item: dict[str, Any] | list[Any]) -> Iterator[tuple[str | int, Any]]:
    return iter(item.items()) if isinstance(item, dict) else enumerate(item)


def check_characters(value: object, report: Report) -> None:
    """Report NUL, lone surrogates and control characters in every key and string."""
    bad = _BAD_CHARACTER
    if isinstance(value, str):
        _check_string(value, (), MemberPart.VALUE, report)
    for path, item in _containers(value):
        if isinstance(item, dict):
            for name, member in item.items():
                if bad.search(name):
                    _check_string(name, (*path, name), MemberPart.KEY, report)
                if isinstance(member, str) and bad.search(member):
                    _check_string(member, (*path, name), MemberPart.VALUE, report)
        else:
            for index, member in enumerate(item):
                if isinstance(member, str) and bad.search(member):
                    _check_string(member, (*path, index), MemberPart.VALUE, report)


def _check_string(text: str, path: Path, part: MemberPart, report: Report) -> None:
    reported: set[FaultCode] = set()
    for match in _BAD_CHARACTER.finditer(text):
        point = ord(match.group())
        if point == 0:
            code, what = FaultCode.NUL_CHARACTER, "a NUL character"
        elif point >= 0xD800:
            code, what = FaultCode.LONE_SURROGATE, f"half of a surrogate pair (U+{point:04X})"
        else:
            code, what = FaultCode.CONTROL_CHARACTER, f"the control character U+{point:04X}"
        if code not in reported:
            reported.add(code)
            report.add(code, path, f"This text holds {what}; remove it.", part=part)
        if len(reported) == 3:
            return
