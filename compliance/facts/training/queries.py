"""Reads about training, and SQL about it for statements of other rooms."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses import queries as courses
from compliance.rules.vocabulary import Attendance
from compliance.tenancy import sql

NAMED = """
SELECT learner_profile_id FROM training_completion
  WHERE organization_id = %(organization)s AND completion_receipt_id = ANY(%(ids)s)
"""
"""SQL of the people whom identifiers of this room name: a completion."""

HAPPENED = """
SELECT t.at, 'completed', jsonb_build_object('assessed', t.assessed), t.course_id FROM training_completion t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
UNION ALL SELECT t.voided_at, 'completion_voided', jsonb_build_object(), t.course_id FROM training_completion t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
    AND t.voided_at IS NOT NULL
UNION ALL SELECT t.at, t.change, jsonb_build_object('reason', t.reason_code, 'due_at', t.due_at),
    t.course_id FROM training_obligationchange t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
UNION ALL SELECT t.at, 'reminder_sent', jsonb_build_object(), t.course_id FROM training_reminder t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
UNION ALL SELECT t.at, 'attendance_marked', jsonb_build_object('attended', t.attended, 'by', t.marked_by),
    t.course_id FROM training_attendancemark t
  WHERE t.organization_id = %(organization)s AND t.learner_profile_id = %(learner)s AND {course}
"""
"""SQL of what happened between %(learner)s and the courses that {course} selects, as `t`, with the course of each.

See `facts.happenings`."""

ABOUT = """
SELECT completion_receipt_id FROM training_completion
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
"""
"""SQL of the identifiers under which the ledger keeps facts of this room about %(learner)s."""


REMINDERS = """(SELECT s.learner_profile_id, s.course_id, s.at FROM training_reminder s
    WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.learner_profile_id = ANY(%(learners)s)
      AND s.capture_sequence <= %(capture_sequence)s)"""
"""SQL of the reminders to %(learners)s that captures up to %(capture_sequence)s processed (`facts.captured`)."""


def reminded(learner: str) -> str:
    """SQL of whether the person of the column was ever reminded of anything."""
    return f"""EXISTS (SELECT FROM training_reminder s WHERE s.organization_id = (SELECT %(organization)s::uuid)
        AND s.learner_profile_id = {learner})"""


def trainer_kept(live_session: str) -> str:
    """SQL, for a lateral join, of `trainer_profile_id` and `trainer_name` of the live session of the column."""
    return f"""(SELECT s.trainer_profile_id, t.trainer_name FROM training_livesession s
    LEFT JOIN training_trainer t ON t.organization_id = (SELECT %(organization)s::uuid)
      AND t.trainer_profile_id = s.trainer_profile_id
    WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.live_session_id = {live_session}
    LIMIT 1)"""  # noqa: S608 - names and SQL of our own


def trainer_of(organization_id: uuid.UUID, live_session_id: uuid.UUID) -> str | None:
    """The name of the trainer of the live session; None if there is none, or the name was erased."""
    rows = sql.fetch(
        "SELECT t.trainer_name FROM training_livesession s JOIN training_trainer t"
        " USING (organization_id, trainer_profile_id) WHERE s.organization_id = %s AND s.live_session_id = %s",
        [organization_id, live_session_id],
    )
    return rows[0][0] if rows else None


def reminded_since(
    organization_id: uuid.UUID, learners: Collection[uuid.UUID], courses_owed: Collection[uuid.UUID], since: datetime
) -> tuple[int, datetime | None]:
    """How many of the people were reminded of any of the courses after `since`, and when last. One statement."""
    ((people, last),) = sql.fetch(
        "SELECT count(DISTINCT learner_profile_id), max(at) FROM training_reminder"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])"
        " AND course_id = ANY(%s::uuid[]) AND at > %s",
        [organization_id, list(learners), list(courses_owed), since],
    )
    return int(people), last


def voided(receipt: str) -> str:
    """SQL of whether the completion of the receipt in the column had been declared void by %(at)s."""
    return f"""EXISTS (SELECT FROM training_completion v WHERE v.organization_id = (SELECT %(organization)s::uuid)
    AND v.completion_receipt_id = {receipt} AND v.voided_at <= %(at)s)"""


def is_void(organization_id: uuid.UUID, completion_receipt_id: uuid.UUID, at: datetime) -> bool:
    """Whether the completion of this receipt had been declared void by `at`."""
    rows = sql.fetch(
        "SELECT 1 FROM training_completion WHERE organization_id = %s AND completion_receipt_id = %s"
        " AND voided_at <= %s",
        [organization_id, completion_receipt_id, at],
    )
    return bool(rows)


def not_voided(organization_id: uuid.UUID, receipt_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Those of the completions that are recorded and not voided. One statement."""
    rows = sql.fetch(
        "SELECT completion_receipt_id FROM training_completion WHERE organization_id = %s"
        " AND completion_receipt_id = ANY(%s) AND voided_at IS NULL",
        [organization_id, list(receipt_ids)],
    )
    return {receipt_id for (receipt_id,) in rows}


class Completed(NamedTuple):
    """A completion that is not void: its course, moment, and version (None: of one lesson)."""

    completion_receipt_id: uuid.UUID
    course_id: uuid.UUID
    at: datetime
    version: int | None


def completions_of(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, course_id: uuid.UUID | None, most: int
) -> list[Completed]:
    """The newest `most` completions of a person that are not void, of one course if it is named. One statement."""
    rows = sql.fetch(
        f"SELECT t.completion_receipt_id, t.course_id, t.at, {courses.version_of('t.course_release_id')}"  # noqa: S608 - expressions of our own
        " FROM training_completion t WHERE t.organization_id = %(organization)s"
        " AND t.learner_profile_id = %(learner)s AND t.voided_at IS NULL"
        " AND (%(course)s::uuid IS NULL OR t.course_id = %(course)s)"
        " ORDER BY t.at DESC, t.completion_receipt_id LIMIT %(most)s",
        {"organization": organization_id, "learner": learner_profile_id, "course": course_id, "most": most},
    )
    return [Completed(*row) for row in rows]


def completed(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID] | None
) -> list[tuple[uuid.UUID, uuid.UUID, uuid.UUID]]:
    """Every completion of these people (None: of everybody), including void ones: receipt, learner and course."""
    return sql.fetch(
        "SELECT completion_receipt_id, learner_profile_id, course_id FROM training_completion"
        " WHERE organization_id = %(organization)s"
        " AND (%(profiles)s::uuid[] IS NULL OR learner_profile_id = ANY(%(profiles)s::uuid[]))",
        {"organization": organization_id, "profiles": None if profile_ids is None else list(profile_ids)},
    )


def attended_in_full(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID] | None
) -> list[tuple[uuid.UUID, uuid.UUID, uuid.UUID]]:
    """Every mark of full attendance of these people (None: of everybody): live session, learner and course."""
    return sql.fetch(
        "SELECT live_session_id, learner_profile_id, course_id FROM training_attendancemark"
        " WHERE organization_id = %(organization)s AND attended = %(full)s"
        " AND (%(profiles)s::uuid[] IS NULL OR learner_profile_id = ANY(%(profiles)s::uuid[]))",
        {
            "organization": organization_id,
            "full": Attendance.FULL.value,
            "profiles": None if profile_ids is None else list(profile_ids),
        },
    )
