"""What the clock adds to a stored row when it is read: a record's outcome, a certificate's status (tables of design 4).

Plain values in and out, because this runs for every row of every page. At exactly `due_at` nothing is late, and at
exactly `valid_until` nothing has expired.
"""

from datetime import datetime, timedelta

from compliance.rules.vocabulary import CertificateStatus, Outcome, Requirement

ONE_DAY = timedelta(days=1)


def outcome_at(
    moment: datetime,
    *,
    requirement_before_end: str,
    assigned_at: datetime,
    due_at: datetime | None,
    completed_at: datetime | None,
    ended_at: datetime | None,
    waived_at: datetime | None,
) -> tuple[Outcome, int | None]:
    """The outcome of a stored training record at `moment`, and by how many days, rounded up, it is late (or None).

    The stored version must be the one in force at `moment`; for the period register, `moment` is the period's end or,
    if earlier, `ended_at`.
    """
    if completed_at is not None:
        if completed_at < assigned_at:
            return Outcome.COMPLETED_BEFORE_REQUIREMENT, None
        if due_at is None or completed_at <= due_at:
            return Outcome.COMPLETED_ON_TIME, None
        return Outcome.COMPLETED_LATE, -((due_at - completed_at) // ONE_DAY)
    if waived_at is not None:
        return Outcome.WAIVED, None
    if requirement_before_end == Requirement.OPTIONAL:
        return (Outcome.OPTIONAL_NOT_DONE if ended_at is None else Outcome.EXCUSED), None
    if ended_at is not None:
        if due_at is not None and ended_at > due_at:
            return Outcome.MISSED, -((due_at - ended_at) // ONE_DAY)
        return Outcome.EXCUSED, None
    if due_at is not None and moment > due_at:
        return Outcome.OVERDUE, -((due_at - moment) // ONE_DAY)
    return Outcome.NOT_DUE_YET, None


def certificate_status(standing: str, valid_until: datetime | None, moment: datetime) -> CertificateStatus:
    """The status at `moment` of a certificate whose stored standing in force then is `standing`."""
    if standing == CertificateStatus.VALID and valid_until is not None and moment > valid_until:
        return CertificateStatus.EXPIRED
    return CertificateStatus(standing)
