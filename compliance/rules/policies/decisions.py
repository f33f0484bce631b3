"""The output of the policy rule: timelines of records, as the history stores them.

A content holds exactly what is stored of a row: no personal data (`company` is joined when a row is read: the one on
the receipt, else the person's as a contact through `door`), and nothing that depends on the clock, which
`state.state_at` adds then.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.timeline import Timeline
from compliance.rules.vocabulary import Door, ReceiptAct


class RecordContent(NamedTuple):
    """One version of what a person owes for a policy, in the contract's fields."""

    record_id: UUID
    course_id: UUID
    course_release_id: UUID
    policy_title: str
    version: int
    learner_profile_id: UUID
    door: Door
    assignment_id: UUID
    due_at: datetime | None
    signed_at: datetime | None
    receipt_id: UUID | None
    act: ReceiptAct | None


RecordTimeline = Timeline[RecordContent]
