"""Course version rows, from the published releases and the lessons shared alone (contract, course version row).

A release is `course_release` from its publication and `release_unavailable` from its withdrawal. A lesson that was
shared by itself is `lesson_share_without_course_release` from the first such share on, with no release. Where a lesson
share is all that is known of a lesson, its version counts as 1 and its fingerprint as unknown (empty).
"""

import uuid
from collections.abc import Collection, Iterable

from compliance.history.numbers import COURSES
from compliance.history.projections import NO_COLUMNS, Columns, ProjectedTimeline, ProjectedVersion
from compliance.history.text import number, quoted, quoted_instant, quoted_uuid
from compliance.rules.vocabulary import SourceKind
from compliance.tenancy import sql

_RELEASES = """
SELECT course_id, course_release_id, version, published_at, withdrawn_at, publisher_id, content_sha256,
    contents_sha256, lesson_release_ids
FROM courses_release WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s)
ORDER BY published_at, course_release_id
"""
_LESSONS = """
SELECT lesson_release_id, version, content_sha256 FROM courses_lesson
WHERE organization_id = (SELECT %s::uuid) AND lesson_release_id = ANY(%s)
"""
_LESSON_SHARES = """
SELECT course_id, lesson_release_id, min(opened_at) FROM shares_share
WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s) AND lesson_release_id IS NOT NULL
GROUP BY course_id, lesson_release_id ORDER BY 3, 2
"""


def release_row_id(organization_id: uuid.UUID, course_release_id: uuid.UUID) -> uuid.UUID:
    """The stable id of a release's row."""
    return uuid.uuid5(organization_id, f"course-row/{course_release_id}")


def lesson_row_id(organization_id: uuid.UUID, lesson_release_id: uuid.UUID) -> uuid.UUID:
    """The stable id of the row of a lesson shared by itself."""
    return uuid.uuid5(organization_id, f"lesson-row/{lesson_release_id}")


def project(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[ProjectedTimeline]]:
    """The timelines of all rows of the courses, by course; three statements whatever their number."""
    wanted = list(course_ids)
    releases = sql.fetch(_RELEASES, [organization_id, wanted])
    shared = sql.fetch(_LESSON_SHARES, [organization_id, wanted])
    named = {lesson_release_id for release in releases for lesson_release_id in release[8]}
    named.update(share[1] for share in shared)
    lessons = {row[0]: (row[1], row[2]) for row in sql.fetch(_LESSONS, [organization_id, list(named)])}
    projected: dict[uuid.UUID, list[ProjectedTimeline]] = {course_id: [] for course_id in wanted}
    for course_id, release_id, version, published_at, withdrawn_at, publisher, content, contents, contained in releases:
        row_id = release_row_id(organization_id, release_id)
        said = (
            f'{{"row_id":"{row_id}","course_id":"{course_id}","course_release_id":"{release_id}",'
            f'"version":{number(version)},"published_at":{quoted_instant(published_at)},'
            f'"publisher_id":{quoted_uuid(publisher)},"content_sha256":{quoted(content)},'
            f'"contents_sha256":{quoted(contents)},"source_kind":"%s","lessons":{_lessons(contained, lessons)}}}'
        )
        columns = Columns(begins_at=published_at)
        versions = [ProjectedVersion(published_at, said % SourceKind.COURSE_RELEASE, columns)]
        if withdrawn_at is not None:
            unavailable = ProjectedVersion(
                max(withdrawn_at, published_at), said % SourceKind.RELEASE_UNAVAILABLE, columns
            )
            versions = [*versions, unavailable] if withdrawn_at > published_at else [unavailable]
        projected[course_id].append(ProjectedTimeline(COURSES, row_id, None, course_id, versions))
    for course_id, lesson_release_id, opened_at in shared:
        row_id = lesson_row_id(organization_id, lesson_release_id)
        body = (
            f'{{"row_id":"{row_id}","course_id":"{course_id}","course_release_id":null,"version":null,'
            f'"published_at":null,"publisher_id":null,"content_sha256":null,"contents_sha256":null,'
            f'"source_kind":"{SourceKind.LESSON_SHARE_WITHOUT_COURSE_RELEASE}",'
            f'"lessons":{_lessons([lesson_release_id], lessons)}}}'
        )
        version = ProjectedVersion(opened_at, body, NO_COLUMNS)
        projected[course_id].append(ProjectedTimeline(COURSES, row_id, None, course_id, [version]))
    return projected


def _lessons(contained: Iterable[uuid.UUID], lessons: dict[uuid.UUID, tuple[int | None, str | None]]) -> str:
    said = []
    for lesson_release_id in contained:
        version, content_sha256 = lessons.get(lesson_release_id, (None, None))
        said.append(
            f'{{"release_id":"{lesson_release_id}","version":{version or 1},'
            f'"content_sha256":{quoted(content_sha256 or "")}}}'
        )
    return "[" + ",".join(said) + "]"
