"""A release's content as the tree that templates draw, in one language, and the styles of its films.

Both are cached per process, as releases never change. The caches are limited by the memory that they take, and drop
first what was used longest ago. A film's style is written when it is asked for, each by itself.
"""

import sys
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from threading import Lock
from typing import Generic, TypeVar

from compliance.contentfile.course import Film, Reading
from compliance.contentfile.package import MediaFile
from compliance.contentfile.reading import read_content
from compliance.interfaces.player.languages import best
from compliance.learning.courses import Content

KEPT_BYTES = 48 * 1024 * 1024
"""The memory that the kept trees take; one is kept however large it is."""
KEPT_STYLE_BYTES = 8 * 1024 * 1024
"""The memory that the kept styles take; one has up to 20 times the bytes that its author wrote."""

_Key = tuple[uuid.UUID, uuid.UUID, str]
_Made = TypeVar("_Made")


class Kept(Generic[_Made]):
    """A cache of this process: of trees, or of styles."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[_Key, tuple[_Made, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: _Key) -> _Made | None:
        """What is kept under the key."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: _Key, made: _Made, size: int) -> None:
        """Keeps a tree or a style of `size` bytes of memory, and drops others until all are within the limit."""
        with self._lock:
            self._kept[key] = (made, size)
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(kept for _, kept in self._kept.values()) > self._most:
                self._kept.popitem(last=False)


_readings: Kept[Reading] = Kept(KEPT_BYTES)
_styles: Kept[str] = Kept(KEPT_STYLE_BYTES)


def languages_in(content: Content) -> list[str]:
    """The languages of a release, its default first."""
    return [each for each in content.manifest.get("languages", content.words) if each in content.words]


def is_kept(content: Content, media_id: str) -> bool:
    """Whether a media file of the release is kept: an older large one may be known by its digest alone."""
    found = content.media.get(media_id)
    return found is not None and found.kept


def reading_of(
    organization_id: uuid.UUID, content: Content, wanted: Sequence[str], *, version: int | None = None
) -> Reading:
    """The release in the first wanted language that it is available in, else in its default."""
    languages = languages_in(content)
    language = best(wanted, languages)
    key = (organization_id, content.course_release_id, language)
    found = _readings.get(key)
    # A release without a package may still get words: publishing the package adds them.
    if found is None or not content.manifest:
        found = _read(content, language, languages, version)
        if content.manifest:
            _readings.keep(key, found, memory_of(found))
    return found


def style_of(organization_id: uuid.UUID, course_release_id: uuid.UUID, film: Film) -> str:
    """The style of a film of the release, as its pages get it. It is the same in every language."""
    key = (organization_id, course_release_id, film.scope)
    found = _styles.get(key)
    if found is None:
        found = film.css
        _styles.keep(key, found, sys.getsizeof(found))
    return found


def memory_of(reading: Reading) -> int:
    """The bytes of memory that a tree takes, its texts and the styles as written included."""
    counted: set[int] = set()
    total = 0
    left: list[object] = [reading]
    while left:
        item = left.pop()
        if item is None or id(item) in counted:
            continue
        counted.add(id(item))
        total += sys.getsizeof(item)
        if isinstance(item, tuple):
            left.extend(item)
        elif is_dataclass(item):
            left.extend(getattr(item, each.name) for each in fields(item))
    return total


def _read(content: Content, language: str, languages: list[str], version: int | None) -> Reading:
    manifest = content.manifest
    media = [
        MediaFile(
            id=item["id"],
            kind=item["kind"],
            file=item["file"],
            type=item["type"],
            size=item["bytes"],
            sha256=item["sha256"],
            description=item.get("description"),
        )
        for item in manifest.get("media", [])
    ]
    return read_content(
        content.content,
        content.words.get(language, {}),
        media=media,
        roles={role["id"]: role["title"] for role in manifest.get("roles", [])},
        course_id=manifest.get("id", ""),
        title=manifest.get("title", ""),
        version=version,
        language=language,
        languages=languages,
    )
