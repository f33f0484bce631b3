"""The input of the rules about what learners did in courses. How facts are loaded: people/loading.py."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses.loading import load_courses
from compliance.facts.people.loading import Learners, Pair, load_learners
from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.owed_learning.facts import (
    AttendanceMark,
    CertificateCorrection,
    CertificateRevocation,
    Completion,
    CourseFacts,
    DoingFacts,
    ObligationChange,
    SessionAttendance,
)
from compliance.rules.vocabulary import (
    Attendance,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    WaiverReasonCode,
)
from compliance.tenancy import arrays, sql


class PersonCourseFacts(NamedTuple):
    """The facts that deciding (learner, course) pairs requires.

    `doings` is keyed by the index of the pair in the request, from 0; a pair without anything is missing.
    """

    courses: dict[uuid.UUID, CourseFacts]
    learners: Learners
    doings: dict[int, DoingFacts]


def load_person_courses(
    organization_id: uuid.UUID, pairs: Sequence[Pair], known: Learners | None = None, until: datetime = LAST_INSTANT
) -> PersonCourseFacts:
    """The facts of (learner_profile_id, course_id) pairs; `known` learners are not read again."""
    return PersonCourseFacts(
        load_courses(organization_id, {course_id for _, course_id in pairs}, until),
        load_learners(organization_id, {learner_profile_id for learner_profile_id, _ in pairs}, known, until),
        load_doings(organization_id, pairs, until),
    )


class _Doing:
    """The lists of one pair while they are loaded."""

    __slots__ = ("attendances", "changes", "completions", "corrections", "revocations")

    def __init__(self) -> None:
        self.completions: list[Completion] = []
        self.changes: list[ObligationChange] = []
        self.attendances: dict[tuple[Any, ...], list[AttendanceMark]] = {}
        self.revocations: list[CertificateRevocation] = []
        self.corrections: list[CertificateCorrection] = []


def load_doings(
    organization_id: uuid.UUID, pairs: Sequence[Pair], until: datetime = LAST_INSTANT
) -> dict[int, DoingFacts]:
    """What each learner did in each course, by the index of the pair in `pairs`; pairs without anything are missing."""
    learners = arrays.uuids([pair[0] for pair in pairs])
    courses = arrays.uuids([pair[1] for pair in pairs])
    doings: dict[int, _Doing] = defaultdict(_Doing)

    def rows(columns: str, table: str, more: str = "") -> list[tuple[Any, ...]]:
        # Indexes, not pairs: making and hashing twenty thousand pairs of UUIDs takes longer than reading their rows.
        return sql.fetch(
            f"SELECT w.place - 1, {columns}"  # noqa: S608
            " FROM unnest(%(learners)s::uuid[], %(courses)s::uuid[])"
            " WITH ORDINALITY AS w (learner_profile_id, course_id, place)"
            f" JOIN {table} f ON f.organization_id = (SELECT %(organization)s::uuid)"
            " AND f.learner_profile_id = w.learner_profile_id AND f.course_id = w.course_id"
            f" AND f.at <= %(until)s {more}",
            {"learners": learners, "courses": courses, "organization": organization_id, "until": until},
        )

    for place, *values in rows(
        "f.completion_receipt_id, f.at, f.course_release_id, f.lesson_release_id, f.assessed,"
        " CASE WHEN f.voided_at <= %(until)s THEN f.voided_at END,"
        " CASE WHEN f.voided_at <= %(until)s THEN f.voided_by END",
        "training_completion",
    ):
        doings[place].completions.append(Completion._make(values))
    for place, change_id, at, change, reason_code, due_at, actor_id in rows(
        "f.obligation_change_id, f.at, f.change, f.reason_code, f.due_at, f.actor_id", "training_obligationchange"
    ):
        doings[place].changes.append(
            ObligationChange(
                change_id,
                at,
                ObligationChangeKind(change),
                None if reason_code is None else WaiverReasonCode(reason_code),
                due_at,
                actor_id,
            )
        )
    for place, *session, at, attended, marked_by in rows(
        "s.live_session_id, s.course_release_id, s.format, s.starts_at, s.ends_at, s.minutes, s.trainer_profile_id,"
        " f.at, f.attended, f.marked_by",
        "training_attendancemark",
        "JOIN training_livesession s ON s.organization_id = f.organization_id AND s.live_session_id = f.live_session_id"
        " ORDER BY f.at, f.fact_id",
    ):
        doings[place].attendances.setdefault(tuple(session), []).append(
            AttendanceMark(at, Attendance(attended), MarkedBy(marked_by))
        )
    for place, *values in rows("f.certificate_id, f.at, f.actor_id", "certificates_certificaterevocation"):
        doings[place].revocations.append(CertificateRevocation._make(values))
    for place, *values in rows(
        "f.certificate_id, f.supersedes_id, f.at, f.actor_id", "certificates_certificatecorrection"
    ):
        doings[place].corrections.append(CertificateCorrection._make(values))
    return {place: _doing_facts(doing) for place, doing in doings.items()}


def _doing_facts(doing: _Doing) -> DoingFacts:
    return DoingFacts(
        tuple(doing.completions),
        tuple(doing.changes),
        tuple(
            [
                SessionAttendance(
                    session_id, release_id, LiveSessionFormat(form), starts_at, ends_at, minutes, trainer, tuple(marks)
                )
                for (session_id, release_id, form, starts_at, ends_at, minutes, trainer), marks in (
                    doing.attendances.items()
                )
            ]
        ),
        tuple(doing.revocations),
        tuple(doing.corrections),
    )
