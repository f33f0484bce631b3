"""Reads lines and small files of a pack as strict JSON: one object, no member twice, no value that is not JSON."""

import re
from collections.abc import Mapping

from .errors import NotAPage, PackMalformed
from .pages import JsonObject, parse_json, repeated_in

_TEXT = re.compile(rb'"[^"]*"?')  # without escapes, and whether or not it ends: takes one pass
MOST_STRUCTURE = 1 << 18
"""How many bytes of a line may be other than text: empty arrays take twenty times as much memory as bytes."""


def parse_line(place: str, line: bytes) -> JsonObject:
    """The object in a line. Raises PackMalformed with the place of the line."""
    if len(line) > MOST_STRUCTURE and _structure(line) > MOST_STRUCTURE:
        raise PackMalformed(place, "This holds more values than any row.")
    try:
        found = parse_json(place, line)
    except NotAPage as fault:
        raise PackMalformed(place, "This is not JSON.") from fault
    if not isinstance(found, JsonObject):
        raise PackMalformed(place, "This is no JSON object.")
    if any(True for _ in repeated_in(found)):
        raise PackMalformed(place, "A member is given more than once.")
    return found


def _structure(line: bytes) -> int:
    """How many bytes of a line are other than text."""
    return len(_TEXT.sub(b"", line.replace(rb"\\", b"").replace(rb"\"", b"")))


def text(place: str, found: Mapping[str, object], name: str) -> str:
    """A member that must be text that UTF-8 can encode. Raises PackMalformed."""
    value = found.get(name)
    if not isinstance(value, str):
        raise PackMalformed(place, f"{name} is not text.")
    try:
        value.encode()
    except UnicodeEncodeError as fault:
        raise PackMalformed(place, f"{name} is not Unicode text.") from fault
    return value


def number(place: str, found: Mapping[str, object], name: str, least: int = 0) -> int:
    """A member that must be a whole number, and that PostgreSQL can hold. Raises PackMalformed."""
    value = found.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 63:
        raise PackMalformed(place, f"{name} is not a whole number.")
    return value


def member(place: str, found: Mapping[str, object], name: str) -> JsonObject:
    """A member that must be an object. Raises PackMalformed."""
    value = found.get(name)
    if not isinstance(value, JsonObject) or value.repeated:
        raise PackMalformed(place, f"{name} is no JSON object.")
    return value
