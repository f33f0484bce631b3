"""The manifest of a package: defines role ids, media ids and languages.

In `svc.manifest/2` a media file may have a `description`, a text id. The contract's image, audio and video blocks have
no key for one, and without it people who cannot see a picture get no words for it.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from compliance.contentfile import identifiers, limits
from compliance.contentfile.faults import EnoughFaults, FaultCode, MemberPart, Path, Report, quoted
from compliance.contentfile.walk import (
    Key,
    Shape,
    Walk,
    constant,
    integer,
    is_valid_language,
    one_of,
    slug,
    text_id,
    title_text_id,
)

SCHEMA: Final = "svc.manifest/2"
SDK_VERSIONS: Final = ("2.0", "2.1")
FILM_SDK: Final = "2.1"
MEDIA_TYPES: Final = {
    "image": ("image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"),
    "audio": ("audio/wav", "audio/mpeg", "audio/ogg", "audio/mp4", "audio/webm"),
    "video": ("video/mp4", "video/webm"),
}
"""Media types by kind. No SVG: a picture must not be able to run a script."""

_SIGNATURES: Final = {
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/jpeg": rb"\xff\xd8\xff",
    "image/gif": rb"GIF8[79]a",
    "image/webp": rb"RIFF.{4}WEBP",
    "image/avif": rb".{4}ftypavi[fs]",
    "audio/wav": rb"RIFF.{4}WAVE",
    "audio/mpeg": rb"ID3|\xff[\xe2-\xff]",
    "audio/ogg": rb"OggS",
    "audio/mp4": rb".{4}ftyp",
    "audio/webm": rb"\x1a\x45\xdf\xa3",
    "video/mp4": rb".{4}ftyp",
    "video/webm": rb"\x1a\x45\xdf\xa3",
}
SIGNATURE_BYTES: Final = 16


def has_signature(media_type: str, start: bytes) -> bool:
    """Whether a file's first bytes are those of its media type."""
    return re.match(_SIGNATURES[media_type], start, re.DOTALL) is not None


def is_safe_path(name: str) -> bool:
    """Whether a file name is a plain relative path that means the same on every system."""
    if not 0 < len(name) <= limits.PATH_LENGTH or not name.isprintable() or re.search(r'[\\:*?"<>|]', name):
        return False
    parts = name.split("/")
    return len(parts) <= limits.FOLDER_DEPTH and all(
        part and part == part.strip() and not part.endswith(".") for part in parts
    )


@dataclass(slots=True)
class ManifestWalk(Walk):
    """A walk that also collects what the manifest defines."""

    identity: str = ""
    media_ids: dict[str, Path] = field(default_factory=dict)
    role_ids: dict[str, Path] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


def walk_manifest(value: object, report: Report) -> ManifestWalk:
    """Check a parsed manifest; the walk then holds its definitions and references."""
    walk = ManifestWalk(report)
    name = value.get("id") if isinstance(value, dict) else None
    prefix = name if isinstance(name, str) and identifiers.is_slug(name) else ""
    walk.identity = prefix
    with suppress(EnoughFaults):
        walk.check_object(value, (), _MANIFEST, prefix, what="a manifest")
        if isinstance(value, dict):
            _compare_languages(walk, value.get("languages"), value.get("words"))
    return walk


def _compare_languages(walk: Walk, languages: object, words: object) -> None:
    if not isinstance(languages, list) or not isinstance(words, dict):
        return
    for index, language in enumerate(languages):
        if isinstance(language, str) and identifiers.is_language(language) and language not in words:
            walk.add(
                FaultCode.LANGUAGE_WITHOUT_WORDS,
                ("languages", index),
                f"The language {quoted(language)} has no words file; name one in words or remove the language.",
            )
    for language in words:
        if identifiers.is_language(language) and language not in languages:
            walk.add(
                FaultCode.WORDS_WITHOUT_LANGUAGE,
                ("words", language),
                f"The language {quoted(language)} is not among languages; add it there or remove its words.",
                MemberPart.KEY,
            )


def _languages(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    seen: set[str] = set()
    for index, language in enumerate(walk.items(value, path, what="languages")):
        here = (*path, index)
        if not walk.string(language, here):
            continue
        is_valid_language(walk, language, here)
        if language in seen:
            walk.add(
                FaultCode.DUPLICATE_LANGUAGE, here, f"The language {quoted(language)} is listed twice; remove one."
            )
        seen.add(language)


def _roles(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    assert isinstance(walk, ManifestWalk)
    for index, role in enumerate(walk.items(value, path, what="roles", least=0)):
        here = (*path, index)
        if walk.check_object(role, here, _ROLE, prefix, what="a role"):
            sentence = "The role {} is listed twice; remove one."
            walk.claim(role, here, walk.role_ids, FaultCode.DUPLICATE_ROLE, sentence)


def _media(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    assert isinstance(walk, ManifestWalk)
    for index, item in enumerate(walk.items(value, path, what="media", least=0)):
        here = (*path, index)
        if not walk.check_object(item, here, _MEDIA, prefix, what="a media entry"):
            continue
        sentence = "The media id {} is taken; ids are all different."
        walk.claim(item, here, walk.media_ids, FaultCode.DUPLICATE_MEDIA, sentence)
        kind, media_type = item.get("kind"), item.get("type")
        types = MEDIA_TYPES.get(kind) if isinstance(kind, str) else None
        if types and isinstance(media_type, str) and media_type not in types:
            walk.add(
                FaultCode.MEDIA_TYPE,
                (*here, "type"),
                f"{quoted(media_type)} is no type of {kind} that is served; write one of {', '.join(types)}.",
            )
        if "description" not in item and "id" in item:
            walk.add(
                FaultCode.MEDIA_NOT_DESCRIBED,
                here,
                f"{quoted(item['id'])} has no description; add one for people who cannot see or hear it.",
            )


def _string(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    walk.string(value, path)


def _sha256(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if walk.string(value, path) and not identifiers.is_sha256(value):
        walk.add(FaultCode.INVALID_SHA256, path, "Write the SHA-256 of the file as 64 lower-case hexadecimal digits.")


def _bytes(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if type(value) is int and value > limits.MEDIA_BYTES:
        walk.add(FaultCode.MEDIA_TOO_LARGE, path, f"A media file has at most {limits.MEDIA_BYTES:,} bytes; shorten it.")
    else:
        integer(1, limits.MEDIA_BYTES, "bytes")(walk, value, path, prefix)


def _file(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    assert isinstance(walk, ManifestWalk)
    if not walk.string(value, path):
        return
    if is_safe_path(value):
        walk.files[value] = path
    else:
        walk.add(
            FaultCode.UNSAFE_PATH,
            path,
            f"{quoted(value)} is no plain path inside the package; write one such as media/plan.png.",
        )


def _word_files(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if not isinstance(value, dict):
        walk.check_object(value, path, {}, prefix)
        return
    if len(value) > limits.LANGUAGES:
        walk.add(
            FaultCode.TOO_MANY_LANGUAGES,
            path,
            f"There are {len(value)} words files; a package has at most {limits.LANGUAGES} languages.",
        )
        return
    for language, name in value.items():
        is_valid_language(walk, language, (*path, language), MemberPart.KEY)
        _file(walk, name, (*path, language), prefix)


def _sdk(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if walk.string(value, path) and value not in SDK_VERSIONS:
        walk.add(FaultCode.UNKNOWN_SDK, path, f"{quoted(value)} is no known sdk; write {' or '.join(SDK_VERSIONS)}.")


_ROLE: Final[Shape] = {"id": Key(slug(FaultCode.INVALID_ROLE_ID, "role")), "title": Key(text_id)}

_MEDIA: Final[Shape] = {
    "id": Key(slug(FaultCode.INVALID_MEDIA_ID, "media")),
    "kind": Key(one_of(*MEDIA_TYPES)),
    "file": Key(_file),
    "type": Key(_string),
    "bytes": Key(_bytes),
    "sha256": Key(_sha256),
    "description": Key(text_id, required=False),
}

_MANIFEST: Final[Shape] = {
    "schema": Key(constant(SCHEMA, FaultCode.WRONG_SCHEMA)),
    "sdk": Key(_sdk),
    "id": Key(slug(FaultCode.INVALID_ID, "package")),
    "version": Key(integer(1, limits.VERSION, "as version")),
    "title": Key(title_text_id),
    "languages": Key(_languages),
    "roles": Key(_roles),
    "media": Key(_media),
    "content": Key(_file),
    "words": Key(_word_files),
}
