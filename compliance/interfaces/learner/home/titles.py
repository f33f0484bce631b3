"""The titles of courses in a person's own language.

The titles of a package's release never change, and a thousand people have the same list, so each process caches those
that it read last. Titles are words of the company and not personal.
"""

import uuid
from collections.abc import Collection, Sequence
from typing import NamedTuple

from compliance.facts.courses import queries as courses
from compliance.interfaces.player.languages import best

MOST = 2000
"""The number of releases whose titles a process caches; beyond it the cache is emptied."""

_kept: dict[tuple[uuid.UUID, uuid.UUID], dict[str, str]] = {}


class Title(NamedTuple):
    """A title and the language that it is in, as a BCP 47 tag."""

    text: str
    language: str


def titles_in(
    organization_id: uuid.UUID, release_ids: Collection[uuid.UUID], wanted: Sequence[str]
) -> dict[uuid.UUID, Title]:
    """The titles of those of the releases that came from a package. One statement reads all that are not cached."""
    missing = [each for each in release_ids if (organization_id, each) not in _kept]
    if missing:
        if len(_kept) + len(missing) > MOST:
            _kept.clear()
        read = courses.titles_by_language(organization_id, missing)
        _kept.update({(organization_id, release_id): titles for release_id, titles in read.items()})
    found = {}
    for release_id in release_ids:
        titles = _kept.get((organization_id, release_id))
        if titles:
            language = best(wanted, list(titles))
            found[release_id] = Title(titles[language], language)
    return found
