"""What depends on the clock and is added when a stored row is read: a record's outcome, a certificate's status.

Arguments and results are plain values, because this runs for every row of every page. At exactly `due_at` nothing is
late, and at exactly `valid_until` nothing has expired.
"""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from compliance.rules.vocabulary import CertificateStatus, Outcome, Requirement

ONE_DAY = timedelta(days=1)
DAY_IN_MICROSECONDS = 86_400_000_000
Instant = TypeVar("Instant", datetime, int)

# Complete answers for rows that are not late, made once: this runs for every row of every page.
_BEFORE_REQUIREMENT = Outcome.COMPLETED_BEFORE_REQUIREMENT, None
_ON_TIME = Outcome.COMPLETED_ON_TIME, None
_WAIVED = Outcome.WAIVED, None
_OPTIONAL_NOT_DONE = Outcome.OPTIONAL_NOT_DONE, None
_EXCUSED = Outcome.EXCUSED, None
_NOT_DUE_YET = Outcome.NOT_DUE_YET, None


def outcome_at(
    moment: Instant,
    *,
    requirement_before_end: str,
    assigned_at: Instant,
    due_at: Instant | None,
    completed_at: Instant | None,
    ended_at: Instant | None,
    waived_at: Instant | None,
    one_day: Any = ONE_DAY,
) -> tuple[Outcome, int | None]:
    """The outcome of a stored training record at `moment`, and by how many days, rounded up, it is late (or None).

    The stored version must be the one in force at `moment`; for the period register, `moment` is the period's end or,
    if earlier, `ended_at`. Instants are datetimes, or all of them microseconds; then `one_day` is DAY_IN_MICROSECONDS.
    """
    if completed_at is not None:
        if completed_at < assigned_at:
            return _BEFORE_REQUIREMENT
        if due_at is None or completed_at <= due_at:
            return _ON_TIME
        return Outcome.COMPLETED_LATE, -((due_at - completed_at) // one_day)
    if waived_at is not None:
        return _WAIVED
    if requirement_before_end == Requirement.OPTIONAL:
        return _OPTIONAL_NOT_DONE if ended_at is None else _EXCUSED
    if ended_at is not None:
        if due_at is not None and ended_at > due_at:
            return Outcome.MISSED, -((due_at - ended_at) // one_day)
        return _EXCUSED
    if due_at is not None and moment > due_at:
        return Outcome.OVERDUE, -((due_at - moment) // one_day)
    return _NOT_DUE_YET


def certificate_status(decided: str, valid_until: datetime | None, moment: datetime) -> CertificateStatus:
    """The status at `moment` of a certificate whose status by facts alone is `decided` (valid, revoked or replaced)."""
    if decided == CertificateStatus.VALID and valid_until is not None and moment > valid_until:
        return CertificateStatus.EXPIRED
    return CertificateStatus(decided)
