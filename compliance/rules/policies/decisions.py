"""What the policy rule answers: timelines of policy records, as the history stores them (design 4, Policies).

A content holds exactly what is stored of a row: nothing personal (`company` is joined at read: the one on the receipt,
else the person's as a contact through `door`), nothing that the clock decides (`state`, which comes from `standing` at
read).
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.timeline import Timeline
from compliance.rules.vocabulary import Door, ReceiptAct


class PolicyRecordContent(NamedTuple):
    """One version of a policy record, in the contract's fields; `signed_at` is formatted as hashed in the row."""

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


PolicyRecordTimeline = Timeline[PolicyRecordContent]
