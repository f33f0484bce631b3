"""Reads about courses for lists and pages: each course with its versions, their contents, and its certificate."""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.tenancy import sql


class CourseListed(NamedTuple):
    """A course in a list, with its newest version in use (all None if there is none) and the number of its versions."""

    course_id: uuid.UUID
    title: str
    version: int | None
    published_at: datetime | None
    course_release_id: uuid.UUID | None
    readable: bool  # whether its content is kept here, so that it can be taken and previewed
    versions: int


class Course(NamedTuple):
    """A course or policy (`kind`: training, policy), and what its certificates state from now on (title None: none)."""

    course_id: uuid.UUID
    title: str
    kind: str
    created_at: datetime
    certificate_title: str | None
    valid_months: int | None
    renew_days_before: int | None


class Version(NamedTuple):
    """A version of a course. `in_use`: it is the version that people are asked for today."""

    course_release_id: uuid.UUID
    version: int
    published_at: datetime
    withdrawn_at: datetime | None
    retake: bool
    content_sha256: str | None
    lessons: list[str]
    languages: list[str]
    readable: bool
    in_use: bool


_NEWEST = """
LEFT JOIN LATERAL (SELECT r.version, r.published_at, r.course_release_id, EXISTS (
      SELECT FROM courses_releasecontent x WHERE x.organization_id = %(organization)s
        AND x.course_release_id = r.course_release_id) AS readable
    FROM courses_release r WHERE r.organization_id = %(organization)s AND r.course_id = c.course_id
      AND r.withdrawn_at IS NULL AND r.published_at <= %(at)s ORDER BY r.version DESC LIMIT 1) n ON true
"""


def listed(
    organization_id: uuid.UUID, at: datetime, after: tuple[str, str] | None, most: int
) -> tuple[list[CourseListed], tuple[str, str] | None]:
    """A page of the company's courses by title, and the key after which the next page begins. One statement."""
    rows = sql.fetch(
        f"""
        SELECT c.course_id, c.title, n.version, n.published_at, n.course_release_id, coalesce(n.readable, false),
            (SELECT count(*) FROM courses_release r WHERE r.organization_id = %(organization)s
              AND r.course_id = c.course_id), lower(c.title)
        FROM courses_course c {_NEWEST}
        WHERE c.organization_id = %(organization)s AND c.kind = 'training' AND (%(title)s::text IS NULL
            OR (lower(c.title), c.course_id) > (%(title)s::text, %(id)s::text::uuid))
        ORDER BY lower(c.title), c.course_id LIMIT %(most)s""",  # noqa: S608 - an expression of our own
        {
            "organization": organization_id,
            "at": at,
            "title": after[0] if after else None,
            "id": after[1] if after else None,
            "most": most + 1,
        },
    )
    found = rows[:most]
    last = (found[-1][7], str(found[-1][0])) if len(rows) > most else None
    return [CourseListed(*row[:7]) for row in found], last


def course(organization_id: uuid.UUID, course_id: uuid.UUID, at: datetime) -> Course | None:
    """The course or policy with this identifier; None if the company has none. One statement."""
    rows = sql.fetch(
        """
        SELECT c.course_id, c.title, c.kind, c.created_at, e.title, e.valid_months, e.renew_days_before
        FROM courses_course c LEFT JOIN LATERAL (
            SELECT title, valid_months, renew_days_before FROM courses_certificateedition e
            WHERE e.organization_id = %(organization)s AND e.course_id = c.course_id AND e.at <= %(at)s
            ORDER BY e.at DESC, e.fact_id DESC LIMIT 1) e ON true
        WHERE c.organization_id = %(organization)s AND c.course_id = %(course)s""",
        {"organization": organization_id, "course": course_id, "at": at},
    )
    return Course(*rows[0]) if rows else None


def versions(organization_id: uuid.UUID, course_id: uuid.UUID, at: datetime, most: int) -> list[Version]:
    """The newest `most` versions of a course. One statement."""
    rows = sql.fetch(
        """
        SELECT r.course_release_id, r.version, r.published_at, r.withdrawn_at, r.retake, r.content_sha256,
            ARRAY(SELECT l.title FROM unnest(r.lesson_release_ids) WITH ORDINALITY AS o (lesson, place)
                JOIN courses_lesson l ON l.organization_id = %(organization)s AND l.lesson_release_id = o.lesson
                ORDER BY o.place),
            ARRAY(SELECT k FROM jsonb_object_keys(coalesce(x.words, '{}')) k ORDER BY k),
            x.course_release_id IS NOT NULL
        FROM courses_release r LEFT JOIN courses_releasecontent x
            ON x.organization_id = r.organization_id AND x.course_release_id = r.course_release_id
        WHERE r.organization_id = %(organization)s AND r.course_id = %(course)s ORDER BY r.version DESC
        LIMIT %(most)s""",
        {"organization": organization_id, "course": course_id, "most": most},
    )
    newest = next((row[0] for row in rows if row[3] is None and row[2] <= at), None)
    return [Version(*(*row, row[0] == newest)) for row in rows]


def version_at(organization_id: uuid.UUID, course_id: uuid.UUID, moment: datetime) -> tuple[uuid.UUID, int] | None:
    """The version that was in use at `moment`: its identifier and number. Before the first publication, the first.

    None if every version is withdrawn, or there is none. One statement.
    """
    rows = sql.fetch(
        """
        SELECT course_release_id, version FROM courses_release r
        WHERE r.organization_id = %(organization)s AND r.course_id = %(course)s
          AND (r.withdrawn_at IS NULL OR r.withdrawn_at > %(moment)s)
        ORDER BY r.published_at > %(moment)s,
          CASE WHEN r.published_at > %(moment)s THEN r.version ELSE -r.version END LIMIT 1""",
        {"organization": organization_id, "course": course_id, "moment": moment},
    )
    return (rows[0][0], rows[0][1]) if rows else None
