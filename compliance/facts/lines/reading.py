"""Reads the bytes of a facts file as checked lines: every line is either a fact or a fault with its number.

At most one line is in memory at a time, and never more than `MAXIMUM_LINE_BYTES` of it. A reason never quotes the value
of a field, which may be personal.
"""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, BinaryIO, NamedTuple, get_args, get_origin

import orjson
from pydantic import ValidationError

from compliance.facts.lines.fields import UUID_PATTERN, FileObject
from compliance.facts.lines.kinds import FactLine, adapter
from compliance.facts.refusal_reasons import RefusalReason

MAXIMUM_LINE_BYTES = 16 * 1024 * 1024
_WHITE_SPACE = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NO_JSON = RefusalReason.INVALID_JSON
_validate = adapter.validator.validate_json


class RefusedLine(NamedTuple):
    """A line that is not a fact, and the reason. `fact_id` and `fact` if they could be read and have their form."""

    number: int
    code: RefusalReason
    reason: str
    fact_id: str | None = None
    fact: str | None = None


class ReadLine(NamedTuple):
    """A line that is a fact: its number from 1, its bytes, and the parsed line."""

    number: int
    content: bytes
    line: FactLine


def read(stream: BinaryIO) -> Iterator[ReadLine | RefusedLine]:
    """Yields each line of `stream` in order; skips blank lines. An empty file is one fault."""
    number = 0
    empty = True
    while True:
        content = stream.readline(MAXIMUM_LINE_BYTES + 1)
        if not content:
            break
        number += 1
        if len(content) > MAXIMUM_LINE_BYTES and not content.endswith(b"\n"):
            while content and not content.endswith(b"\n"):
                content = stream.readline(MAXIMUM_LINE_BYTES)
            empty = False
            sentence = f"The line is longer than {MAXIMUM_LINE_BYTES // 1024 // 1024} MiB."
            yield RefusedLine(number, RefusalReason.LINE_TOO_LONG, sentence)
            continue
        if number == 1:
            content = content.removeprefix(_BYTE_ORDER_MARK)
        ended = content.endswith(b"\n")
        content = content.strip(_WHITE_SPACE)
        if content:
            empty = False
            yield read_line(number, content, ended)
    if empty:
        yield RefusedLine(1, RefusalReason.INVALID_JSON, "The file is empty.")


def read_line(number: int, content: bytes, ended: bool = True) -> ReadLine | RefusedLine:
    """Reads one line without its line feed; `ended`: it had one."""
    try:
        line = _validate(content)
    except ValidationError as error:
        return _fault(number, content, ended, error)
    if content.translate(None, _WHITE_SPACE).count(b'":') != _keys(line):
        try:
            repeated = _repeated_key(content)
        except ValueError:  # values that pydantic accepts and RFC 8259 does not: NaN, Infinity
            return RefusedLine(number, _NO_JSON, "The line is not valid JSON.", str(line.fact_id), line.fact)
        if repeated is not None:
            sentence = f"The key {repeated!r} occurs twice in one object."
            return RefusedLine(number, RefusalReason.REPEATED_KEY, sentence, str(line.fact_id), line.fact)
    return ReadLine(number, content, line)


def _keys(part: FileObject) -> float:
    """The number of keys read from a line or a part of it; minus infinity if a field holds JSON of any form.

    A key is followed by `":`, apart from white space. If a line has as many of these as keys were read, no key occurs
    twice, and the line need not be parsed again to check. A text with a quote before a colon only causes a second
    parsing.
    """
    number: float = len(part.__pydantic_fields_set__)
    for name in _holding_parts(type(part)):
        value = getattr(part, name)
        if isinstance(value, FileObject):
            number += _keys(value)
        elif isinstance(value, tuple):
            number += sum(map(_keys, value))
        elif value is not None:
            return -math.inf
    return number


@cache
def _holding_parts(kind: type[FileObject]) -> list[str]:
    """The fields that hold objects, or lists of objects."""
    return [name for name, field in kind.model_fields.items() if _holds_parts(field.annotation)]


def _holds_parts(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, FileObject | dict):
        return True
    return get_origin(annotation) is dict or any(map(_holds_parts, get_args(annotation)))


class _RepeatedKey(Exception):
    pass


def _refuse_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKey(key)
            seen.add(key)
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _repeated_key(content: bytes) -> str | None:
    try:
        json.loads(content, object_pairs_hook=_refuse_repetition, parse_constant=_refuse_constant)
    except _RepeatedKey as repeated:
        return str(repeated.args[0])[:100]
    return None


def _fault(number: int, content: bytes, ended: bool, error: ValidationError) -> RefusedLine:
    try:
        content.decode()
    except UnicodeDecodeError:
        return RefusedLine(number, RefusalReason.INVALID_UTF8, "The line is not valid UTF-8.")
    found = error.errors(include_url=False, include_input=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        if ended:
            return RefusedLine(number, _NO_JSON, "The line is not valid JSON.")
        return RefusedLine(
            number, _NO_JSON, "The line is not valid JSON; as the last, without a line break, it may be cut off."
        )
    fact_id = fact = None
    try:
        stated = orjson.loads(content)
    except orjson.JSONDecodeError:  # a number beyond its range
        stated = None
    if isinstance(stated, dict):
        fact_id, fact = _quoted(stated.get("fact_id"), _IDENTIFIER), _quoted(stated.get("fact"), _WORD)
    code = RefusalReason.INVALID_FACT
    if found[0]["type"] == "union_tag_invalid" and not found[0]["loc"]:
        code = RefusalReason.UNKNOWN_KIND
    return RefusedLine(number, code, " ".join(sentences(error)), fact_id, fact)


def _quoted(value: object, form: re.Pattern[str]) -> str | None:
    """The value if it is a text of this form: anything else may be personal, or control a terminal."""
    return value if isinstance(value, str) and form.fullmatch(value) else None


_IDENTIFIER = re.compile(UUID_PATTERN.removeprefix("^").removesuffix("$"))
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,100}")


def sentences(error: ValidationError, skipped: int = 1) -> list[str]:
    """The errors, one sentence each; the first `skipped` parts of a location only name the kind of fact."""
    found = []
    for each in error.errors(include_url=False, include_input=False):
        kind = each["type"]
        place = ".".join(str(part) for part in each["loc"][skipped:])
        if kind == "union_tag_not_found":
            sentence = f"{place or 'fact'}: the key that tells the kind is missing."
        elif kind == "union_tag_invalid":
            sentence = "fact: no such kind of fact." if not each["loc"] else f"{place}: no such kind."
        elif kind in ("dict_type", "model_type", "model_attributes_type") and not place:
            sentence = "The line is not a JSON object."
        elif kind == "missing":
            sentence = f"{place}: the field is missing."
        elif kind == "extra_forbidden":
            sentence = f"{place[:100] if place.isprintable() else ascii(place[:100])}: no such field."
        elif kind == "string_pattern_mismatch":
            sentence = f"{place}: {_PATTERNS.get(place.rpartition('.')[2], _pattern_hint(place))}"
        else:
            message = _ENUMERATION.sub(r"\1", each["msg"])
            sentence = f"{place + ': ' if place else ''}{message}."
        found.append(sentence)
    return found[:10]


_ENUMERATION = re.compile(r"<\w+\.\w+: ('[^']*')>")
_PATTERNS = {
    "effective_on": "must be a date like 2026-05-31.",
    "from": "must be a date like 2026-05-31.",
    "to": "must be a date like 2026-05-31.",
    "work_email": "must be an email address.",
    "account_email": "must be an email address.",
}


def _pattern_hint(place: str) -> str:
    name = place.rpartition(".")[2]
    if name.endswith("_sha256"):
        return "must be 64 lower-case hexadecimal digits."
    if name.endswith("_at") or name == "at":
        return "must be an RFC 3339 instant with its offset, like 2026-05-31T09:30:00Z."
    if "role_ids" in place:
        return "must be a role of a course's manifest: lower-case letters, digits and hyphens, no hyphen first."
    if name.endswith("_id") or "_ids" in place:
        return "must be a uuid in canonical form, like 0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b."
    return "must be text with something to read in it and without control characters."
