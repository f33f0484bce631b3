"""Records `trainer_named`, `live_session_held` and `attendance_marked`."""

import uuid
from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses.resolving import releases
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import AttendanceMarked, LiveSessionHeld, TrainerNamed
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch, Staged
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import append, keep, lookup
from compliance.facts.training.models import AttendanceMark, LiveSession
from compliance.rules.vocabulary import Attendance
from compliance.tenancy import sql


class _Session(NamedTuple):
    """What recording a mark requires of its session."""

    course_id: uuid.UUID
    starts_at: datetime
    ends_at: datetime


class _Mark(NamedTuple):
    """A mark of one person in one session."""

    at: datetime
    attended: str


def record_trainer_named(batch: Batch[TrainerNamed]) -> None:
    """Keep each trainer's current name: the one of the latest fact; of equal moments, the greater name."""
    people = resolving.profiles(
        batch.organization_id, {staged.line.trainer_profile_id for staged in batch.lines}, resolving.WRITING
    )
    latest: dict[uuid.UUID, tuple[datetime, str]] = {}
    for staged in batch.lines:
        if people.get(staged.line.trainer_profile_id):  # a trainer need not be a person of the company
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
        elif staged.line.trainer_profile_id in people:
            batch.refuse_after_erasure(staged, staged.line.trainer_profile_id)
    for line in batch.accepted_lines():
        named = (line.at, line.trainer_name)
        latest[line.trainer_profile_id] = max(latest.get(line.trainer_profile_id, named), named)
    append(
        "training_trainer",
        batch.organization_id,
        {"trainer_profile_id": "uuid", "trainer_name": "text", "named_at": "timestamptz"},
        [(trainer_id, name, at) for trainer_id, (at, name) in latest.items()],
        ending="ON CONFLICT (organization_id, trainer_profile_id) DO UPDATE SET trainer_name = excluded.trainer_name,"
        " named_at = excluded.named_at WHERE (training_trainer.named_at, training_trainer.trainer_name)"
        " < (excluded.named_at, excluded.trainer_name)",
    )
    # No row is decided differently, but certificates display the name: a capture lets readers see that it changed.
    batch.subjects_of(SubjectKind.PERSON, latest)


def record_live_session_held(batch: Batch[LiveSessionHeld]) -> None:
    """Keep each session with the course of its release."""
    known = releases(batch.organization_id, {staged.line.course_release_id for staged in batch.lines})
    taken = set(
        lookup(
            "SELECT live_session_id, at FROM training_livesession"
            " WHERE organization_id = %s AND live_session_id = ANY(%s)",
            batch.organization_id,
            [staged.line.live_session_id for staged in batch.lines],
        )
    )
    for staged in batch.accepted():
        line = staged.line
        if line.live_session_id in taken:
            batch.refuse(
                staged, RefusalReason.EXISTS, f"live_session_id: a session {line.live_session_id} exists already."
            )
        elif line.course_release_id not in known:
            reason = f"course_release_id: no release {line.course_release_id} is known."
            batch.refuse(staged, RefusalReason.UNRESOLVED, reason)
        else:
            taken.add(line.live_session_id)
    lines = batch.accepted_lines()
    course_ids = [known[line.course_release_id].course_id for line in lines]
    keep(LiveSession, batch.organization_id, lines, course_id=course_ids)
    batch.subjects_of(SubjectKind.COURSE, course_ids)


def record_attendance_marked(batch: Batch[AttendanceMarked]) -> None:
    """Keep each mark. Refuses marks of unknown or erased people, two marks at one moment, attendance in two places."""
    organization_id = batch.organization_id
    profile_ids = list({staged.line.learner_profile_id for staged in batch.lines})
    people = resolving.profiles(organization_id, profile_ids, resolving.VALIDATED)
    sessions = {
        session_id: _Session(*rest)
        for session_id, *rest in sql.fetch(
            "SELECT live_session_id, course_id, starts_at, ends_at FROM training_livesession WHERE organization_id = %s"
            " AND (live_session_id = ANY(%s) OR live_session_id IN (SELECT live_session_id FROM training_attendancemark"
            " WHERE organization_id = %s AND learner_profile_id = ANY(%s)))",
            [organization_id, [staged.line.live_session_id for staged in batch.lines], organization_id, profile_ids],
        )
    }
    marks: dict[uuid.UUID, dict[uuid.UUID, list[_Mark]]] = defaultdict(lambda: defaultdict(list))
    for profile_id, session_id, at, attended in sql.fetch(
        "SELECT learner_profile_id, live_session_id, at, attended FROM training_attendancemark"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s) ORDER BY at, id",
        [organization_id, profile_ids],
    ):
        marks[profile_id][session_id].append(_Mark(at, attended))
    for staged in batch.accepted():
        line = staged.line
        if line.learner_profile_id not in people:
            batch.refuse(staged, RefusalReason.UNRESOLVED, resolving.NO_SUCH_PERSON)
        elif people[line.learner_profile_id]:
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
        elif line.live_session_id not in sessions:
            batch.refuse(
                staged, RefusalReason.UNRESOLVED, f"live_session_id: no session {line.live_session_id} is known."
            )
        else:
            own = marks[line.learner_profile_id]
            reason_against = _impossible(staged, sessions, own)
            if reason_against is not None:
                batch.refuse(staged, RefusalReason.RULE, reason_against)
                continue
            own[line.live_session_id].append(_Mark(line.at, line.attended))
    lines = batch.accepted_lines()
    course_ids = [sessions[line.live_session_id].course_id for line in lines]
    keep(AttendanceMark, organization_id, lines, course_id=course_ids)
    learners = (line.learner_profile_id for line in lines)
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, zip(learners, course_ids, strict=True))


def _impossible(
    staged: Staged[AttendanceMarked], sessions: dict[uuid.UUID, _Session], own: dict[uuid.UUID, list[_Mark]]
) -> str | None:
    """Return why a mark is impossible; None if it is possible."""
    line = staged.line
    session = sessions[line.live_session_id]
    if line.at < session.starts_at:
        return "at: the mark was made before the session started."
    if any(mark.at == line.at for mark in own.get(line.live_session_id, ())):
        return "at: the person has a mark in this session of that very moment; the newest could not be told."
    if line.attended != Attendance.FULL:
        return None
    for other_id, theirs in own.items():
        other = sessions.get(other_id)
        if other_id == line.live_session_id or other is None or not theirs:
            continue
        final = max(theirs, key=lambda mark: mark.at)
        overlap = other.starts_at < session.ends_at and session.starts_at < other.ends_at
        if overlap and final.attended == Attendance.FULL:
            return f"live_session_id: the person attended session {other_id} in full, which was held at the same time."
    return None
