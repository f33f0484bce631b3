"""Reads about courses and policies, their versions and the contents of versions."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import orjson
from django.db.models.functions import Lower

from compliance.facts.courses.models import Course
from compliance.tenancy import sql


class Title(NamedTuple):
    """The current title of a course or a policy (`kind`: training, policy)."""

    course_id: uuid.UUID
    title: str
    kind: str


class Readable(NamedTuple):
    """A version that can be read, because it has a content file. `languages` are those of its texts."""

    course_release_id: uuid.UUID
    title: str
    version: int
    published_at: datetime
    withdrawn_at: datetime | None
    languages: list[str]


class ReleaseState(NamedTuple):
    """A version of a course, or the version that holds a lesson, and whether it was withdrawn."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    published_at: datetime
    withdrawn_at: datetime | None


class LessonState(NamedTuple):
    """A lesson release, and the version of its course in which it is taken: None if no version with it has content."""

    lesson_release_id: uuid.UUID
    course_id: uuid.UUID
    content_sha256: str | None
    course_release_id: uuid.UUID | None


class Media(NamedTuple):
    """A media file of a version, without its content, and whether the content is kept."""

    media_id: str
    media_type: str
    sha256: str
    size: int
    kept: bool


class PackageContent(NamedTuple):
    """The texts (JSON) of a version's content file, manifest and words, and its media. None: without a package."""

    content: str
    manifest: str | None
    words: str | None
    media: list[Media]


HAPPENED = """
SELECT published_at, 'published', jsonb_build_object('version', version, 'retake', retake)
  FROM courses_release WHERE organization_id = %(organization)s AND course_id = %(course)s
UNION ALL SELECT withdrawn_at, 'withdrawn', jsonb_build_object('version', version) FROM courses_release
  WHERE organization_id = %(organization)s AND course_id = %(course)s AND withdrawn_at IS NOT NULL
"""
"""SQL of what happened to %(course)s by the facts of this room (see `facts.happenings`)."""

ABOUT = """
SELECT course_release_id FROM courses_release WHERE organization_id = %(organization)s AND course_id = %(course)s
"""
"""SQL of the identifiers under which the ledger keeps facts of this room about %(course)s, beside its own."""


LESSON_TITLES = """SELECT lesson_release_id, title FROM courses_lesson
WHERE organization_id = (SELECT %(organization)s::uuid) AND lesson_release_id = ANY(%(lessons)s)"""
"""SQL of the current title of each of %(lessons)s."""

_RELEASES_BY = """
SELECT course_id, course_release_id, version, published_at,
    CASE WHEN withdrawn_at <= %(until)s THEN withdrawn_at END, publisher_id, content_sha256,
    contents_sha256, lesson_release_ids
FROM courses_release
WHERE organization_id = (SELECT %(organization)s::uuid) AND course_id = ANY(%(courses)s::uuid[])
    AND published_at <= %(until)s
ORDER BY published_at, course_release_id
"""
_FINGERPRINTS = """
SELECT lesson_release_id, version, content_sha256 FROM courses_lesson
WHERE organization_id = (SELECT %s::uuid) AND lesson_release_id = ANY(%s::uuid[])
"""


def joined(alias: str, organization: str = "") -> str:
    """SQL that joins the course of `alias`.course_id as `c`: all null where there is none.

    `organization` is SQL of the company. It is required if `alias` is a sub-query: otherwise a cluster cannot plan the
    join.
    """
    return (
        f" LEFT JOIN courses_course c ON c.organization_id = {organization or f'{alias}.organization_id'}"
        f" AND c.course_id = {alias}.course_id"
    )


def looked_up(alias: str) -> str:
    """As `joined`, by one index lookup for each row: for a few rows of a large company."""
    return (
        " LEFT JOIN LATERAL (SELECT * FROM courses_course f WHERE f.organization_id = (SELECT %(organization)s::uuid)"  # noqa: S608
        f" AND f.course_id = {alias}.course_id LIMIT 1) c ON true"
    )


def published(course: str) -> str:
    """SQL of whether the course of the column has a version at %(at)s that is not withdrawn."""
    return f"""EXISTS (SELECT 1 FROM courses_release r WHERE r.organization_id = %(organization)s
    AND r.course_id = {course} AND r.withdrawn_at IS NULL AND r.published_at <= %(at)s)"""  # noqa: S608


def title(course: str) -> str:
    """SQL of the current title of the course of the column; null if there is none."""
    return (
        f"(SELECT c.title FROM courses_course c WHERE c.organization_id = %(organization)s"  # noqa: S608 - expressions of our own
        f" AND c.course_id = {course})"
    )


def lesson_title(lesson: str) -> str:
    """SQL of the current title of the lesson of the column."""
    return (
        f"(SELECT l.title FROM courses_lesson l WHERE l.organization_id = %(organization)s"  # noqa: S608 - expressions of our own
        f" AND l.lesson_release_id = {lesson})"
    )


def version_of(release: str) -> str:
    """SQL of the version number of the release of the column."""
    return (
        f"(SELECT r.version FROM courses_release r WHERE r.organization_id = %(organization)s"  # noqa: S608 - expressions of our own
        f" AND r.course_release_id = {release})"
    )


class Role(NamedTuple):
    """A role for which courses of the company have lessons, its title in a manifest, and those courses' titles."""

    role_id: str
    title: str
    courses: list[str]


def roles(organization_id: uuid.UUID) -> list[Role]:
    """The roles that the manifests of the latest versions name, by id; titles in English, else as the author wrote."""
    rows = sql.fetch(
        f"""
        SELECT role ->> 'id', min(coalesce(words -> 'en', words -> (manifest -> 'languages' ->> 0))
            ->> (role ->> 'title')), array_agg(DISTINCT title)
        FROM (SELECT DISTINCT ON (r.course_id) c.title, x.manifest, x.words FROM courses_release r
            JOIN courses_releasecontent x ON x.organization_id = r.organization_id
              AND x.course_release_id = r.course_release_id
            {joined("r")}
            WHERE r.organization_id = %s AND r.withdrawn_at IS NULL AND x.manifest IS NOT NULL
            ORDER BY r.course_id, r.version DESC) latest
        CROSS JOIN LATERAL jsonb_array_elements(manifest -> 'roles') role
        GROUP BY 1 ORDER BY 1""",  # noqa: S608 - an expression of our own
        [organization_id],
    )
    return [Role(role_id, title or role_id, courses) for role_id, title, courses in rows]


def titles(organization_id: uuid.UUID, kind: str | None, most: int | None) -> list[Title]:
    """The first `most` courses (None: all) of a kind, or of both kinds, by title."""
    found = Course.objects.filter(organization_id=organization_id).order_by(Lower("title"), "course_id")
    if kind is not None:
        found = found.filter(kind=kind)
    return [Title._make(row) for row in found.values_list(*Title._fields)[:most]]


def titles_of(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID | None]) -> dict[uuid.UUID, str]:
    """The current titles of those of the courses that the company has."""
    found = Course.objects.filter(organization_id=organization_id, course_id__in=set(course_ids))
    return dict(found.values_list("course_id", "title"))


def kinds_of(organization_id: uuid.UUID, course_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The kind (training, policy) of each of the courses that the company has."""
    found = Course.objects.filter(organization_id=organization_id, course_id__in=set(course_ids))
    return dict(found.values_list("course_id", "kind"))


def releases_in_use(organization_id: uuid.UUID, most: int) -> list[tuple[uuid.UUID, str, int]]:
    """The first `most` published versions that are not withdrawn: `course_release_id`, title of the course, version."""
    return sql.fetch(
        f"SELECT r.course_release_id, c.title, r.version FROM courses_release r {joined('r')}"  # noqa: S608
        " WHERE r.organization_id = %s AND r.withdrawn_at IS NULL"
        " ORDER BY lower(c.title), r.version DESC LIMIT %s",
        [organization_id, most],
    )


def readable(organization_id: uuid.UUID, most: int, course_release_id: uuid.UUID | None = None) -> list[Readable]:
    """The versions with content, newest first, at most `most`; only the named one, if one is named."""
    rows = sql.fetch(
        f"""
        SELECT r.course_release_id, c.title, r.version, r.published_at, r.withdrawn_at,
            coalesce((SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(coalesce(x.words, '{{}}')) k), '{{}}')
        FROM courses_releasecontent x
        JOIN courses_release r ON r.organization_id = x.organization_id AND r.course_release_id = x.course_release_id
        {joined("r")}
        WHERE x.organization_id = %(organization)s AND (%(release)s::uuid IS NULL OR r.course_release_id = %(release)s)
        ORDER BY r.published_at DESC, r.course_release_id LIMIT %(most)s""",  # noqa: S608 - an expression of our own
        {"organization": organization_id, "release": course_release_id, "most": most},
    )
    return [Readable(*row) for row in rows]


def release_states(
    organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, ReleaseState]:
    """The states of those of the versions that the company has."""
    rows = sql.fetch(
        "SELECT course_id, course_release_id, version, published_at, withdrawn_at FROM courses_release"
        " WHERE organization_id = (SELECT %s::uuid) AND course_release_id = ANY(%s::uuid[])",
        [organization_id, list(course_release_ids)],
    )
    return {row[1]: ReleaseState(*row) for row in rows}


class PublishedRelease(NamedTuple):
    """A version of a course as it was published; its withdrawal, if it happened by the requested moment."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    published_at: datetime
    withdrawn_at: datetime | None
    publisher_id: uuid.UUID | None
    content_sha256: str | None
    contents_sha256: str | None
    lesson_release_ids: list[uuid.UUID]


def releases_by(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime
) -> list[PublishedRelease]:
    """All versions of these courses that were published by `until`, oldest first. One statement."""
    asked = {"organization": organization_id, "courses": list(course_ids), "until": until}
    return [PublishedRelease(*row) for row in sql.fetch(_RELEASES_BY, asked)]


def fingerprints(
    organization_id: uuid.UUID, lesson_release_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, tuple[int | None, str | None]]:
    """Version and fingerprint of those of the lessons that the company has; None if none was recorded."""
    rows = sql.fetch(_FINGERPRINTS, [organization_id, list(lesson_release_ids)])
    return {lesson_release_id: (version, sha256) for lesson_release_id, version, sha256 in rows}


def lesson_states(
    organization_id: uuid.UUID, lesson_release_ids: Collection[uuid.UUID], at: datetime
) -> dict[uuid.UUID, LessonState]:
    """The lessons, each with the newest version of its course that has content and holds it: withdrawn ones last.

    A lesson that was shared alone is still owed after its course is withdrawn, so it must remain readable.
    """
    rows = sql.fetch(
        """
        SELECT l.lesson_release_id, l.course_id, l.content_sha256, (
            SELECT r.course_release_id FROM courses_release r
            JOIN courses_releasecontent x ON x.organization_id = r.organization_id
                AND x.course_release_id = r.course_release_id
            WHERE r.organization_id = (SELECT %(organization)s::uuid) AND r.course_id = l.course_id
                AND r.published_at <= %(at)s AND l.lesson_release_id = ANY(r.lesson_release_ids)
            ORDER BY coalesce(r.withdrawn_at <= %(at)s, false), r.published_at DESC, r.version DESC LIMIT 1)
        FROM courses_lesson l WHERE l.organization_id = (SELECT %(organization)s::uuid)
            AND l.lesson_release_id = ANY(%(lessons)s::uuid[])""",
        {"organization": organization_id, "lessons": list(lesson_release_ids), "at": at},
    )
    return {row[0]: LessonState(*row) for row in rows}


def packaged(organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """Those of the versions whose content came from a package, or was later published from one."""
    rows = sql.fetch(
        "SELECT course_release_id FROM courses_releasecontent WHERE organization_id = (SELECT %s::uuid)"
        " AND course_release_id = ANY(%s::uuid[]) AND manifest IS NOT NULL",
        [organization_id, list(course_release_ids)],
    )
    return [release_id for (release_id,) in rows]


def package_contents(
    organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, PackageContent]:
    """The content of those of the versions that have any: two statements, however many there are."""
    values = [organization_id, list(course_release_ids)]
    media: dict[uuid.UUID, list[Media]] = {}
    for release_id, *medium in sql.fetch(
        "SELECT course_release_id, media_id, media_type, sha256, size, kept_file_id IS NOT NULL OR content IS NOT NULL"
        " FROM courses_releasemedia"
        " WHERE organization_id = (SELECT %s::uuid) AND course_release_id = ANY(%s::uuid[]) ORDER BY media_id",
        values,
    ):
        media.setdefault(release_id, []).append(Media(*medium))
    rows = sql.fetch(
        "SELECT course_release_id, content::text, manifest::text, words::text FROM courses_releasecontent"
        " WHERE organization_id = (SELECT %s::uuid) AND course_release_id = ANY(%s::uuid[])",
        values,
    )
    return {row[0]: PackageContent(row[1], row[2], row[3], media.get(row[0], [])) for row in rows}


class Offered(NamedTuple):
    """The current title of a release or a lesson, and whether its content can be taken here. `sha256`: a lesson's."""

    title: str
    here: bool
    sha256: str | None


def offered(
    organization_id: uuid.UUID, release_ids: Collection[uuid.UUID], lesson_release_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, Offered]:
    """What is offered for each of the releases (with the title of its course) and lessons. One statement."""
    rows = sql.fetch(
        f"""
        SELECT r.course_release_id, c.title, x.course_release_id IS NOT NULL, NULL
        FROM courses_release r {joined("r")}
        LEFT JOIN courses_releasecontent x ON x.organization_id = r.organization_id
          AND x.course_release_id = r.course_release_id
        WHERE r.organization_id = %(organization)s AND r.course_release_id = ANY(%(releases)s)
        UNION ALL
        SELECT l.lesson_release_id, l.title, EXISTS (
          SELECT 1 FROM courses_release r JOIN courses_releasecontent x ON x.organization_id = r.organization_id
            AND x.course_release_id = r.course_release_id
          WHERE r.organization_id = %(organization)s AND r.course_id = l.course_id
            AND l.lesson_release_id = ANY(r.lesson_release_ids)), l.content_sha256
        FROM courses_lesson l WHERE l.organization_id = %(organization)s AND l.lesson_release_id = ANY(%(lessons)s)
        """,  # noqa: S608 - an expression of our own
        {"organization": organization_id, "releases": list(release_ids), "lessons": list(lesson_release_ids)},
    )
    return {identifier: Offered(*row) for identifier, *row in rows}


def titles_by_language(
    organization_id: uuid.UUID, course_release_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, dict[str, str]]:
    """The titles by language, the default first, of those of the releases that came from a package."""
    rows = sql.fetch(
        "SELECT x.course_release_id, ARRAY(SELECT jsonb_array_elements_text(x.manifest->'languages')),"
        " (SELECT jsonb_object_agg(w.key, w.value->>(x.manifest->>'title')) FROM jsonb_each(x.words) w)::text"
        " FROM courses_releasecontent x WHERE x.organization_id = (SELECT %s::uuid)"
        " AND x.course_release_id = ANY(%s::uuid[]) AND x.manifest IS NOT NULL AND x.words IS NOT NULL",
        [organization_id, list(course_release_ids)],
    )
    found: dict[uuid.UUID, dict[str, str]] = {}
    for release_id, languages, text in rows:
        titles = orjson.loads(text or "{}")
        found[release_id] = {each: titles[each] for each in languages if titles.get(each)}
    return found
