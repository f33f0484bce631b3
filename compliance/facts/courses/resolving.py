"""References of facts about courses, each looked up for a whole batch."""

import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from compliance.facts.lines.kinds import FactLine
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import lookup

LineType = TypeVar("LineType", bound=FactLine)


class StoredRelease(NamedTuple):
    """A release as stored."""

    course_id: uuid.UUID
    published_at: datetime
    withdrawn_at: datetime | None


def kinds_of_courses(organization_id: uuid.UUID, course_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    """`training` or `policy` of each of those courses that exists."""
    return lookup(
        "SELECT course_id, kind FROM courses_course WHERE organization_id = %s AND course_id = ANY(%s)",
        organization_id,
        set(course_ids),
    )


def releases(organization_id: uuid.UUID, release_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredRelease]:
    """Those of the releases of courses that exist."""
    found = lookup(
        "SELECT course_release_id, course_id, published_at, withdrawn_at FROM courses_release"
        " WHERE organization_id = %s AND course_release_id = ANY(%s)",
        organization_id,
        set(release_ids),
    )
    return {release_id: StoredRelease(*row) for release_id, row in found.items()}


def refuse_unknown_courses(batch: Batch[Any], kind: str = "training") -> None:
    """Refuses lines whose course_id names no course of that kind."""
    found = kinds_of_courses(batch.organization_id, (staged.line.course_id for staged in batch.accepted()))
    for staged in batch.accepted():
        stored = found.get(staged.line.course_id)
        if stored is None:
            batch.refuse(staged, RefusalReason.UNRESOLVED, f"course_id: the company knows no such {_NOUN[kind]}.")
        elif stored != kind:
            batch.refuse(staged, RefusalReason.RULE, f"course_id: names a {_NOUN[stored]}, not a {_NOUN[kind]}.")


def refuse_unknown_releases(
    batch: Batch[LineType], release_of: Callable[[LineType], uuid.UUID | None]
) -> dict[uuid.UUID, StoredRelease]:
    """Refuses lines that name a release that does not exist; returns those that exist."""
    named = (release_of(staged.line) for staged in batch.accepted())
    wanted = {release_id for release_id in named if release_id is not None}
    found = releases(batch.organization_id, wanted)
    if len(found) == len(wanted):
        return found
    for staged in batch.accepted():
        release_id = release_of(staged.line)
        if release_id is not None and release_id not in found:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "course_release_id: the company knows no such release.")
    return found


_NOUN = {"training": "course", "policy": "policy"}
