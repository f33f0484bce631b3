"""A record's versions, and what happened to the person and course it speaks of."""

import uuid
from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.tenancy import sql

VERSIONS_AT_MOST = 400
FACTS_AT_MOST = 300


class Record(NamedTuple):
    """A record of a register."""

    register: int
    birth: int
    record_id: uuid.UUID
    learner_profile_id: uuid.UUID | None
    course_id: uuid.UUID | None
    person_name: str | None
    course_title: str | None


class Version(NamedTuple):
    """A version: from when it holds, since when it is known, why it came about, what it says."""

    sequence: int
    capture_sequence: int
    valid_from: datetime
    recorded_at: datetime
    cause: str
    logic_version: int
    body: str
    why: str


class Change(NamedTuple):
    """A field that a version says otherwise than what stood there before."""

    name: str
    before: Any
    after: Any


class Told(NamedTuple):
    """A version with what it changed, compared with what was known to hold at its moment before."""

    version: Version
    changes: list[Change]
    appears: bool
    gone: bool
    late: bool
    in_force: bool
    why: list[str]

    @property
    def fields(self) -> dict[str, Any]:
        """Every field of the version with its value."""
        return orjson.loads(self.version.body) if self.version.body else {}

    @property
    def says(self) -> list[tuple[str, Any]]:
        """The fields that say something."""
        return [(name, value) for name, value in self.fields.items() if value not in (None, "", [])]

    @property
    def silent(self) -> list[str]:
        """The fields that say nothing."""
        return [name.replace("_", " ") for name, value in self.fields.items() if value in (None, "", [])]


class Fact(NamedTuple):
    """Something that happened: when it took effect, what it was, and the identifier it came with."""

    at: datetime
    what: str
    detail: str


def record(organization_id: uuid.UUID, register: int, record_id: uuid.UUID) -> Record | None:
    """The record, with today's name and title beside it."""
    rows = sql.fetch(
        "SELECT r.register, r.birth, r.record_id, r.learner_profile_id, r.course_id,"
        " CASE WHEN p.erased_at IS NOT NULL THEN 'Erased person' ELSE p.person_name END, c.title"
        " FROM history_historyrecord r"
        " LEFT JOIN people_profile p ON p.organization_id = r.organization_id"
        " AND p.learner_profile_id = r.learner_profile_id"
        " LEFT JOIN courses_course c ON c.organization_id = r.organization_id AND c.course_id = r.course_id"
        " WHERE r.organization_id = %s AND r.record_id = %s AND r.register = %s",
        [organization_id, record_id, register],
    )
    return Record(*rows[0]) if rows else None


def versions(organization_id: uuid.UUID, birth: int) -> list[Version]:
    """The versions of a record in the order they were written."""
    rows = sql.fetch(
        "SELECT v.sequence, v.capture_sequence, v.valid_from, v.recorded_at, v.cause, v.logic_version, v.body, c.why"
        " FROM history_historyrow v JOIN history_capture c"
        " ON c.organization_id = v.organization_id AND c.capture_sequence = v.capture_sequence"
        " WHERE v.organization_id = (SELECT %s::uuid) AND v.birth = %s ORDER BY v.sequence + 0 LIMIT %s",
        [organization_id, birth, VERSIONS_AT_MOST],
    )
    return [Version(*row) for row in rows]


def told(found: list[Version], happened: list[Fact], now: datetime) -> list[Told]:
    """What each version changed, and the facts that took effect when it does; in force is what answers for `now`."""
    current = _in_force(found, now)
    at_once: dict[datetime, list[str]] = defaultdict(list)
    for fact in happened:
        if fact.what not in at_once[fact.at]:
            at_once[fact.at].append(fact.what)
    story = []
    for number, version in enumerate(found):
        before = _in_force(found[:number], version.valid_from)
        old = orjson.loads(before.body) if before and before.body else {}
        new = orjson.loads(version.body) if version.body else {}
        names = [*new, *(name for name in old if name not in new)]
        changes = [
            Change(name, old.get(name), new.get(name))
            for name in names
            if old.get(name) != new.get(name) and old and new
        ]
        late = any(earlier.valid_from > version.valid_from for earlier in found[:number])
        story.append(
            Told(
                version,
                changes,
                bool(new and not old),
                bool(old and not new),
                late,
                version is current,
                at_once.get(version.valid_from, []),
            )
        )
    return story


def _in_force(found: list[Version], moment: datetime) -> Version | None:
    """The greatest `valid_from` at or before the moment, then the greatest sequence (design 5)."""
    standing = [version for version in found if version.valid_from <= moment]
    return max(standing, key=lambda version: (version.valid_from, version.sequence), default=None)


_OF_PERSON = """
SELECT joined_at AS at, 'Joined the company' AS what,
    CASE WHEN staff_practice THEN 'staff practice' ELSE '' END AS detail
  FROM people_employment WHERE organization_id = %(company)s AND learner_profile_id = %(person)s
UNION ALL SELECT left_at, 'Left the company', '' FROM people_employment
  WHERE organization_id = %(company)s AND learner_profile_id = %(person)s AND left_at IS NOT NULL
UNION ALL SELECT s.at, CASE WHEN s.suspended THEN 'Suspended' ELSE 'Resumed' END, '' FROM people_suspension s
  JOIN people_employment e ON e.organization_id = s.organization_id AND e.person_id = s.person_id
  WHERE s.organization_id = %(company)s AND e.learner_profile_id = %(person)s
UNION ALL SELECT m.at, CASE WHEN m.joined THEN 'Joined the team' ELSE 'Left the team' END, coalesce(t.name, '')
  FROM people_teammembership m
  LEFT JOIN people_team t ON t.organization_id = m.organization_id AND t.team_id = m.team_id
  WHERE m.organization_id = %(company)s AND m.learner_profile_id = %(person)s
UNION ALL SELECT at, CASE WHEN joined THEN 'Came as ' ELSE 'Went as ' END || door, '' FROM people_contact
  WHERE organization_id = %(company)s AND learner_profile_id = %(person)s
UNION ALL SELECT at, 'Erased at the company''s instruction', '' FROM people_erasure
  WHERE organization_id = %(company)s AND learner_profile_id = %(person)s
"""
_OF_PERSON_AND_COURSE = """
UNION ALL SELECT t.at, 'Completed', CASE WHEN t.assessed THEN 'assessed' ELSE '' END FROM training_completion t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.voided_at, 'Completion voided', '' FROM training_completion t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course} AND t.voided_at IS NOT NULL
UNION ALL SELECT t.at, CASE t.change WHEN 'waive' THEN 'Waived' WHEN 'reinstate' THEN 'Reinstated'
      ELSE 'Deadline set' END,
    coalesce(replace(t.reason_code, '_', ' '), to_char(t.due_at AT TIME ZONE %(zone)s, 'DD Mon YYYY, HH24:MI'), '')
  FROM training_obligationchange t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.at, 'Reminder sent', '' FROM training_reminder t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.at, 'Marked in a live session', t.attended || ', by ' || t.marked_by FROM training_attendancemark t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.at, 'Certificate revoked', '' FROM certificates_certificaterevocation t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.at, 'Certificate corrected', '' FROM certificates_certificatecorrection t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
UNION ALL SELECT t.signed_at, initcap(t.act) || ' version ' || t.version, 'by the door ' || t.door
  FROM policies_receipt t
  WHERE t.organization_id = %(company)s AND t.learner_profile_id = %(person)s AND {course}
"""
_OF_COURSE = """
UNION ALL SELECT published_at, 'Version ' || version || ' published', CASE WHEN retake THEN 'retake' ELSE '' END
  FROM courses_release WHERE organization_id = %(company)s AND course_id = %(course)s
UNION ALL SELECT withdrawn_at, 'Version ' || version || ' withdrawn', '' FROM courses_release
  WHERE organization_id = %(company)s AND course_id = %(course)s AND withdrawn_at IS NOT NULL
UNION ALL SELECT published_at, 'Policy version ' || version || ' published', replace(change_kind, '_', ' ')
  FROM policies_policyversion WHERE organization_id = %(company)s AND course_id = %(course)s
UNION ALL SELECT s.at, CASE WHEN s.at = h.opened_at THEN 'Shared' ELSE 'Share changed' END,
    concat_ws(', ', CASE s.audience WHEN 'everyone' THEN 'with everyone' WHEN 'teams' THEN 'with teams'
      WHEN 'people' THEN 'with some people' END, s.requirement, replace(s.deadline_basis, '_', ' '), s.days || ' days')
  FROM shares_sharestep s JOIN shares_share h ON h.organization_id = s.organization_id AND h.share_id = s.share_id
  WHERE s.organization_id = %(company)s AND h.course_id = %(course)s
UNION ALL SELECT ended_at, 'Share ended', '' FROM shares_share
  WHERE organization_id = %(company)s AND course_id = %(course)s AND ended_at IS NOT NULL
"""


def facts(organization_id: uuid.UUID, zone: str, person: uuid.UUID | None, course: uuid.UUID | None) -> list[Fact]:
    """What happened to the person, the course, and between them, oldest first. One statement."""
    parts = []
    if person is not None:
        parts.append(_OF_PERSON)
        parts.append(_OF_PERSON_AND_COURSE.format(course="t.course_id = %(course)s" if course else "true"))
    if course is not None:
        parts.append(_OF_COURSE if parts else _OF_COURSE.replace("UNION ALL ", "", 1))
    if not parts:
        return []
    rows = sql.fetch(
        f"SELECT at, what, detail FROM ({''.join(parts)}) f ORDER BY at DESC LIMIT %(limit)s",  # noqa: S608
        {"company": organization_id, "person": person, "course": course, "zone": zone, "limit": FACTS_AT_MOST},
    )
    return [Fact(*row) for row in reversed(rows)]
