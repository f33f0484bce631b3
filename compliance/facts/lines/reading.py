"""From the bytes of a facts file to checked lines: every line is either a fact or a fault with its number (design 3).

Nothing here holds more than one line at a time, and no line longer than `MAXIMUM_LINE_BYTES` at all. A reason never
repeats what a field holds, since it may be personal.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson
from pydantic import ValidationError

from compliance.facts.lines import FactLine, adapter

MAXIMUM_LINE_BYTES = 16 * 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_validate = adapter.validator.validate_json


class Fault(NamedTuple):
    """A line that is no fact, and why. `fact_id` and `fact` where the line still told them."""

    number: int
    reason: str
    fact_id: str | None = None
    fact: str | None = None


class ReadLine(NamedTuple):
    """A line that is a fact: its number from 1, its bytes, and what it says."""

    number: int
    content: bytes
    line: FactLine


def read(stream: BinaryIO) -> Iterator[ReadLine | Fault]:
    """Yields each line of `stream` in order; blank lines are passed over. An empty file is one fault."""
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
            yield Fault(number, f"The line is longer than {MAXIMUM_LINE_BYTES // 1024 // 1024} MiB.")
            continue
        if number == 1:
            content = content.removeprefix(_BYTE_ORDER_MARK)
        ended = content.endswith(b"\n")
        content = content.strip(b" \t\r\n")
        if content:
            empty = False
            yield read_line(number, content, ended)
    if empty:
        yield Fault(1, "The file is empty.")


def read_line(number: int, content: bytes, ended: bool = True) -> ReadLine | Fault:
    """Reads one line without its line feed; `ended` tells whether it had one."""
    try:
        line = _validate(content)
    except ValidationError as error:
        return _fault(number, content, ended, error)
    try:
        surely_once = _surely_each_key_once(content)
    except orjson.JSONDecodeError:  # what pydantic lets pass and RFC 8259 does not: NaN, Infinity
        return Fault(number, "The line is not valid JSON.", str(line.fact_id), line.fact)
    if not surely_once:
        repeated = _repeated_key(content)
        if repeated is not None:
            return Fault(number, f"The key {repeated!r} stands twice in one object.", str(line.fact_id), line.fact)
    return ReadLine(number, content, line)


def _surely_each_key_once(content: bytes) -> bool:
    # What a dict gives back byte for byte had no key twice. The second form is what Python's json writes by default.
    compact = orjson.dumps(orjson.loads(content))
    return compact == content or compact == content.replace(b'": ', b'":').replace(b', "', b',"')


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


def _repeated_key(content: bytes) -> str | None:
    try:
        json.loads(content, object_pairs_hook=_refuse_repetition)
    except _RepeatedKey as repeated:
        return str(repeated.args[0])[:100]
    return None


def _fault(number: int, content: bytes, ended: bool, error: ValidationError) -> Fault:
    try:
        content.decode()
    except UnicodeDecodeError:
        return Fault(number, "The line is not valid UTF-8.")
    try:
        told = orjson.loads(content)
    except orjson.JSONDecodeError:
        if ended:
            return Fault(number, "The line is not valid JSON.")
        return Fault(number, "The line is cut off: the file ends before the line does.")
    fact_id = fact = None
    if isinstance(told, dict):
        fact_id = told["fact_id"][:100] if isinstance(told.get("fact_id"), str) else None
        fact = told["fact"][:100] if isinstance(told.get("fact"), str) else None
    return Fault(number, " ".join(sentences(error)), fact_id, fact)


def sentences(error: ValidationError, skipped: int = 1) -> list[str]:
    """What is wrong, a sentence each; the first `skipped` parts of a place only tell the kind of fact."""
    said = []
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
            sentence = f"{place[:100]}: no such field."
        elif kind == "string_pattern_mismatch":
            sentence = f"{place}: {_PATTERNS.get(place.rpartition('.')[2], _pattern_hint(place))}"
        else:
            message = _ENUMERATION.sub(r"\1", each["msg"])
            sentence = f"{place + ': ' if place else ''}{message}."
        said.append(sentence)
    return said[:10]


_ENUMERATION = re.compile(r"<\w+\.\w+: ('[^']*')>")
_PATTERNS = {
    "effective_on": "must be a date like 2026-05-31.",
    "work_email": "must be an email address.",
    "account_email": "must be an email address.",
}


def _pattern_hint(place: str) -> str:
    name = place.rpartition(".")[2]
    if name.endswith("_sha256"):
        return "must be 64 lower-case hexadecimal digits."
    if name.endswith("_at") or name == "at":
        return "must be an RFC 3339 instant with its offset, like 2026-05-31T09:30:00Z."
    if name.endswith("_id") or "_ids" in place:
        return "must be a uuid in canonical form, like 0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b."
    return "must be text with something to read in it and without control characters."
