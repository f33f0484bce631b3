"""Course version rows, from the published releases and the lessons shared alone.

A release is `course_release` from its publication and `release_unavailable` from its withdrawal. A lesson that was
shared alone is `lesson_share_without_course_release` from the first such share on, without a release. A lesson whose
version and fingerprint were never stated (old shares did not need them) is left out.
"""

import uuid
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from compliance.catalogue.courses import COURSES
from compliance.facts.courses import queries as courses
from compliance.facts.shares import queries as shares
from compliance.history.projections import Columns, ProjectedTimeline, ProjectedVersion, Source
from compliance.history.text import canonical
from compliance.rules.vocabulary import SourceKind

_FIELDS = (
    "row_id", "course_id", "course_release_id", "version", "published_at", "publisher_id", "content_sha256",
    "contents_sha256", "source_kind", "lessons",
)  # fmt: skip


def release_row_id(organization_id: uuid.UUID, course_release_id: uuid.UUID) -> uuid.UUID:
    """The stable id of a release's row."""
    return uuid.uuid5(organization_id, f"course-row/{course_release_id}")


def lesson_row_id(organization_id: uuid.UUID, lesson_release_id: uuid.UUID) -> uuid.UUID:
    """The stable id of the row of a lesson shared by itself."""
    return uuid.uuid5(organization_id, f"lesson-row/{lesson_release_id}")


def row_ids(organization_id: uuid.UUID, sources: Iterable[Source]) -> list[uuid.UUID]:
    """The row ids of the sources of training records, sorted."""
    found = set()
    for course_release_id, lesson_release_id in sources:
        if course_release_id is not None:
            found.add(release_row_id(organization_id, course_release_id))
        elif lesson_release_id is not None:
            found.add(lesson_row_id(organization_id, lesson_release_id))
    return sorted(found)


def project(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime
) -> dict[uuid.UUID, list[ProjectedTimeline]]:
    """The timelines of all rows of the courses by `until`, by course; three statements, however many courses."""
    releases = courses.releases_by(organization_id, course_ids, until)
    shared = shares.lessons_shared(organization_id, course_ids, until)
    named = {lesson_release_id for release in releases for lesson_release_id in release.lesson_release_ids}
    named.update(each.lesson_release_id for each in shared)
    lessons = courses.fingerprints(organization_id, named)
    projected: dict[uuid.UUID, list[ProjectedTimeline]] = {course_id: [] for course_id in course_ids}
    for release in releases:
        row_id = release_row_id(organization_id, release.course_release_id)
        published_at, withdrawn_at = release.published_at, release.withdrawn_at
        row = {
            "row_id": row_id,
            "course_id": release.course_id,
            "course_release_id": release.course_release_id,
            "version": release.version,
            "published_at": published_at,
            "publisher_id": release.publisher_id,
            "content_sha256": release.content_sha256,
            "contents_sha256": release.contents_sha256,
            "source_kind": SourceKind.COURSE_RELEASE,
            "lessons": _lessons(release.lesson_release_ids, lessons),
        }
        columns = Columns(begins_at=published_at)
        versions = [ProjectedVersion(published_at, canonical(row), columns)]
        if withdrawn_at is not None:
            withdrawn = canonical(row | {"source_kind": SourceKind.RELEASE_UNAVAILABLE})
            unavailable = ProjectedVersion(max(withdrawn_at, published_at), withdrawn, columns)
            versions = [*versions, unavailable] if withdrawn_at > published_at else [unavailable]
        timeline = ProjectedTimeline(COURSES.number, row_id, None, release.course_id, versions)
        projected[release.course_id].append(timeline)
    for course_id, lesson_release_id, opened_at in shared:
        row_id = lesson_row_id(organization_id, lesson_release_id)
        row = dict.fromkeys(_FIELDS) | {
            "row_id": row_id,
            "course_id": course_id,
            "source_kind": SourceKind.LESSON_SHARE_WITHOUT_COURSE_RELEASE,
            "lessons": _lessons([lesson_release_id], lessons),
        }
        version = ProjectedVersion(opened_at, canonical(row), Columns())
        projected[course_id].append(ProjectedTimeline(COURSES.number, row_id, None, course_id, [version]))
    return projected


def _lessons(
    contained: Iterable[uuid.UUID], lessons: dict[uuid.UUID, tuple[int | None, str | None]]
) -> list[dict[str, Any]]:
    listed = []
    for lesson_release_id in contained:
        version, content_sha256 = lessons[lesson_release_id]
        if version is not None and content_sha256 is not None:
            listed.append({"release_id": lesson_release_id, "version": version, "content_sha256": content_sha256})
    return listed
