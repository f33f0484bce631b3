"""The grammar of ids: text ids, lesson, page, role and media ids, and our own inside films and questions.

All are plain ASCII in lower case, so no two ids differ only in case or look alike in different scripts; the sentence
of a fault names the character that is not allowed.
"""

import re
import unicodedata
from typing import Final

from compliance.contentfile import limits
from compliance.contentfile.faults import quoted

_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_TEXT_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)*")
_CLASS: Final = re.compile(r"[a-z][a-z0-9-]*")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


def is_text_id(value: str) -> bool:
    """Whether the value is a text id: dot-separated segments, 1 to 128 characters in all."""
    return len(value) <= limits.TEXT_ID_LENGTH and _TEXT_ID.fullmatch(value) is not None


def is_slug(value: str, longest: int = limits.LESSON_ID_LENGTH) -> bool:
    """Whether the value is an id like a lesson's: lower-case letters, digits, hyphens; no hyphen first."""
    return len(value) <= longest and _SLUG.fullmatch(value) is not None


def is_class(value: str) -> bool:
    """Whether the value is one class name that a film's style may use."""
    return len(value) <= limits.PAGE_ID_LENGTH and _CLASS.fullmatch(value) is not None


def is_language(value: str) -> bool:
    """Whether the value is a language tag of the form `en`, `pt-BR`, `zh-Hant`, `es-419`."""
    return _LANGUAGE.fullmatch(value) is not None


def is_sha256(value: str) -> bool:
    """Whether the value is a SHA-256 in lower-case hexadecimal."""
    return _SHA256.fullmatch(value) is not None


def what_is_wrong(value: str, longest: int, also: str = "") -> str:
    """Why an id is refused, in a few words. `also`: characters it may hold beside letters, digits and hyphens."""
    if not value:
        return "it is empty"
    if len(value) > longest:
        return f"it has {len(value)} characters and may have {longest}"
    for index, character in enumerate(value):
        if character.isascii() and (character.islower() or character.isdigit() or character in "-" + also):
            continue
        if character.isascii() and character.isupper():
            return f"{quoted(character)} is a capital letter"
        if character == " ":
            return "it holds a space"
        name = unicodedata.name(character, f"U+{ord(character):04X}")
        return f"character {index + 1} is {name} (U+{ord(character):04X})"
    if "." in also and (value.startswith(".") or value.endswith(".") or ".." in value):
        return "a segment between two dots is empty"
    return "each part must start with a lower-case letter or a digit"
