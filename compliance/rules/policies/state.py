"""What depends on the clock in a policy record, computed from stored columns when it is read: its state."""

from datetime import datetime
from uuid import UUID

from compliance.rules.vocabulary import PolicyRecordState

STATES = tuple(PolicyRecordState)


def state_at(receipt_id: UUID | str | None, due_at: datetime | None, moment: datetime) -> PolicyRecordState:
    """Return `state` at `moment` of a record in force then. At exactly `due_at` nothing is late."""
    if receipt_id is not None:
        return PolicyRecordState.SIGNED
    if due_at is not None and moment > due_at:
        return PolicyRecordState.OVERDUE
    return PolicyRecordState.TO_DO
