"""What a learner has done: completion receipts, and live sessions attended in full."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.owed_learning.facts import Completion, SessionAttendance
from compliance.rules.owed_learning.identity import attendance_receipt_id
from compliance.rules.vocabulary import Attendance, MarkedBy


class Done(NamedTuple):
    """A completion, by receipt or by attending a live session in full.

    `completed_at` is the receipt's moment and `at` the moment from which it counts: they differ only if the release was
    published later. A session's completion takes effect with the mark `full`; `lowered_at` is when a later mark takes
    it back, which only revokes its certificate.
    """

    at: datetime
    completed_at: datetime
    receipt_id: UUID
    course_release_id: UUID | None
    lesson_release_id: UUID | None
    assessed: bool
    voided_at: datetime | None = None
    voided_by: UUID | None = None
    session: SessionAttendance | None = None
    lowered_at: datetime | None = None
    lowered_by: UUID | None = None

    @property
    def order(self) -> tuple[datetime, datetime, UUID]:
        """Sort key: the moment from which it counts, then the receipt's moment, then its identifier."""
        return (self.at, self.completed_at, self.receipt_id)


def done_by_receipt(completion: Completion) -> Done:
    """Turn a completion receipt into a `Done`."""
    return Done(
        completion.at,
        completion.at,
        completion.completion_receipt_id,
        completion.course_release_id,
        completion.lesson_release_id,
        completion.assessed,
        completion.voided_at,
        completion.voided_by,
    )


def done_by_attendance(organization_id: UUID, learner_profile_id: UUID, session: SessionAttendance) -> list[Done]:
    """One `Done` for each time the mark rose to `full`; a mark lowered and raised again is a new completion."""
    found: list[Done] = []
    full = False
    for mark in sorted(session.marks):
        if mark.attended == Attendance.FULL and not full:
            full = True
            receipt_id = attendance_receipt_id(
                organization_id, session.live_session_id, learner_profile_id, len(found) + 1
            )
            found.append(
                Done(mark.at, mark.at, receipt_id, session.course_release_id, None, assessed=False, session=session)
            )
        elif mark.attended != Attendance.FULL and full:
            full = False
            lowered_by = session.trainer_profile_id if mark.marked_by == MarkedBy.TRAINER else None
            found[-1] = found[-1]._replace(lowered_at=mark.at, lowered_by=lowered_by)
    return found
