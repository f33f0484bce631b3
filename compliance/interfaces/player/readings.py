"""A release's content as the tree that templates draw, in one language: cached per process, as releases never change.

The cache is limited in size and drops the tree that was used longest ago first.
"""

import uuid
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from compliance.contentfile.course import Reading
from compliance.contentfile.package import MediaFile
from compliance.contentfile.reading import read_content
from compliance.interfaces.player.languages import best
from compliance.learning.courses import Content

KEPT_BYTES = 16 * 1024 * 1024
"""The trees of this much JSON are kept, at least one; a tree takes two to three times as much memory as its JSON."""

_Key = tuple[uuid.UUID, uuid.UUID, str]


class Readings:
    """The cache of this process."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[_Key, tuple[Reading, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: _Key) -> Reading | None:
        """The tree, if it is kept."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: _Key, reading: Reading, size: int) -> None:
        """Keeps a tree, and drops others until all are within the limit."""
        with self._lock:
            self._kept[key] = (reading, size)
            while len(self._kept) > 1 and sum(kept for _, kept in self._kept.values()) > self._most:
                self._kept.popitem(last=False)


_readings = Readings(KEPT_BYTES)


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
            _readings.keep(key, found, content.size)
    return found


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
