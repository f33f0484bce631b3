"""Fingerprints of courses: `content_sha256` and `contents_sha256` of the contract's course version row.

Both are SHA-256 over bytes that anyone can make again (`docs/content-format.md` shows how, in three languages):

- `content_sha256`: the content file as canonical JSON (RFC 8785) without any `$schema` key. Key order, white space,
  escapes, `$schema` and 5.0 for 5 make no difference. A lesson's fingerprint is that of the content file with only
  that lesson.
- `contents_sha256`: lines joined by line feeds, like the contract's other digests: `svc.contents/1`, then one line for
  each contained release in reading order: release id, version and content fingerprint, joined by single spaces.
- `package_sha256` (ours): `svc.package/1`, the content fingerprint, then one line a words file and a media file.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from compliance.contentfile import limits
from compliance.contentfile.errors import NotCanonical
from compliance.contentfile.identifiers import is_sha256
from compliance.contentfile.source import SCHEMA_KEY

CONTENTS_LINE: Final = "svc.contents/1"
PACKAGE_LINE: Final = "svc.package/1"

_SAFE_INTEGER: Final = 2**53 - 1
_ASCII: Final = re.compile(r"[\x00-\x7f]*")


@dataclass(frozen=True, slots=True)
class ContainedRelease:
    """One release inside a course version: a row of `lessons` without its title, which may change later."""

    release_id: UUID
    version: int
    content_sha256: str


@dataclass(frozen=True, slots=True)
class LessonFingerprint:
    """A lesson of a content file and its own fingerprint."""

    lesson_id: str
    content_sha256: str


def canonical_bytes(value: object) -> bytes:
    """Canonical JSON (RFC 8785) in UTF-8, without any `$schema` key.

    Accepts the types of the format: objects, arrays, strings, whole numbers, booleans, null. Raises `NotCanonical` for
    others.
    """
    plain = _without_schema(value, 1)
    try:
        return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotCanonical("A lone surrogate has no place in a fingerprint.") from error


def _without_schema(value: object, depth: int) -> object:
    if depth > limits.JSON_DEPTH:
        raise NotCanonical(f"Nested more than {limits.JSON_DEPTH} deep.")
    if isinstance(value, dict):
        plain: dict[str, object] = {}
        for name, member in value.items():
            if not isinstance(name, str) or _ASCII.fullmatch(name) is None:
                # RFC 8785 sorts by UTF-16 units; the format's keys are ASCII, where every order agrees.
                raise NotCanonical("A key that is not plain ASCII has no place in a fingerprint.")
            if name != SCHEMA_KEY:
                plain[name] = _without_schema(member, depth + 1)
        return plain
    if isinstance(value, list):
        return [_without_schema(member, depth + 1) for member in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)) and abs(value) <= _SAFE_INTEGER and value == int(value):
        return int(value)  # 5.0 is written 5 (RFC 8785, section 3.2.2.3)
    raise NotCanonical("The format holds no fractions, no numbers past 2^53 and nothing that is not JSON.")


def content_sha256(content: Mapping[str, Any]) -> str:
    """The fingerprint of a content file, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(canonical_bytes(dict(content))).hexdigest()


def lesson_fingerprints(content: Mapping[str, Any]) -> tuple[LessonFingerprint, ...]:
    """Each lesson's fingerprint in reading order: that of the content file holding only this lesson."""
    return tuple(
        LessonFingerprint(str(lesson["id"]), content_sha256({"schema": content["schema"], "lessons": [lesson]}))
        for lesson in content["lessons"]
    )


def contents_sha256(lessons: Iterable[ContainedRelease | Mapping[str, Any]]) -> str:
    """The fingerprint of the list of contained releases, in reading order.

    Takes `ContainedRelease`s or objects with `release_id`, `version` and `content_sha256` (other keys, such as the
    title, make no difference).
    """
    lines = [CONTENTS_LINE]
    for lesson in lessons:
        release = lesson if isinstance(lesson, ContainedRelease) else _contained(lesson)
        fingerprint = release.content_sha256
        if type(release.version) is not int or not isinstance(fingerprint, str) or not is_sha256(fingerprint):
            raise NotCanonical("A contained release needs an integer version and a SHA-256 in lower-case hexadecimal.")
        lines.append(f"{release.release_id} {release.version} {fingerprint}")
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()


def _contained(lesson: Mapping[str, Any]) -> ContainedRelease:
    try:
        release_id = lesson["release_id"]
        release_id = release_id if isinstance(release_id, UUID) else UUID(release_id)
        return ContainedRelease(release_id, lesson["version"], lesson["content_sha256"])
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise NotCanonical("A contained release needs release_id (a UUID), version and content_sha256.") from error


def package_sha256(content: Mapping[str, Any], words: Mapping[str, Mapping[str, str]], media: Mapping[str, str]) -> str:
    """The fingerprint of all that a learner sees: content, words by language, media digests by media id."""
    lines = [PACKAGE_LINE, content_sha256(content)]
    for language in sorted(words):
        text = json.dumps(dict(words[language]), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        lines.append(f"words {language} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}")
    lines.extend(f"media {name} {media[name]}" for name in sorted(media))
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()
