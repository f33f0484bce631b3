"""Who may sign what at a moment, and the cycle of a new receipt."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from compliance.rules.policies.coverage import in_audience, person_doors, step_at
from compliance.rules.policies.decide import NO_RECEIPT
from compliance.rules.policies.decisions import RecordContent, RecordTimeline
from compliance.rules.policies.facts import PolicyFacts, ReceiptFacts, Signer
from compliance.rules.vocabulary import Door


class SigningRefusalCode(StrEnum):
    """Why a person may not sign."""

    PERSON_ERASED = "person_erased"
    NO_SUCH_VERSION = "no_such_version"
    NOT_PUBLISHED = "not_published"
    NO_SUCH_SHARE = "no_such_share"
    SHARE_NOT_OPEN = "share_not_open"
    DOOR_NOT_SHARED = "door_not_shared"
    PERSON_NOT_AT_DOOR = "person_not_at_door"
    NOT_IN_AUDIENCE = "not_in_audience"


class SigningRefusal(NamedTuple):
    """A code and one plain sentence without personal data."""

    code: SigningRefusalCode
    sentence: str


def refusal(
    policy: PolicyFacts, signer: Signer, *, course_release_id: UUID, share_id: UUID, door: Door, at: datetime
) -> SigningRefusal | None:
    """Return why the person may not sign that version through that share and door at `at`; None if they may.

    All known facts count, regardless of the order in which they arrived. An earlier version of the policy may be
    signed; `decide` determines whether the receipt settles anything.
    """
    if signer.learner.erased_at is not None:
        return SigningRefusal(SigningRefusalCode.PERSON_ERASED, "The person was erased and signs nothing any more.")
    version = next((each for each in policy.versions if each.course_release_id == course_release_id), None)
    if version is None:
        return SigningRefusal(
            SigningRefusalCode.NO_SUCH_VERSION,
            f"Release {course_release_id} is no version of policy {policy.course_id}.",
        )
    if version.published_at > at:
        return SigningRefusal(
            SigningRefusalCode.NOT_PUBLISHED, f"Release {course_release_id} was not published yet at that moment."
        )
    share = next((each for each in policy.shares if each.share_id == share_id), None)
    if share is None:
        return SigningRefusal(
            SigningRefusalCode.NO_SUCH_SHARE, f"Share {share_id} is no share of policy {policy.course_id}."
        )
    step = step_at(share, at)
    if step is None:
        return SigningRefusal(SigningRefusalCode.SHARE_NOT_OPEN, f"Share {share_id} was not open at that moment.")
    if door not in step.doors or door not in version.doors:
        return SigningRefusal(
            SigningRefusalCode.DOOR_NOT_SHARED, f"The {door} door was not open for share {share_id} at that moment."
        )
    if door not in person_doors(signer, at):
        return SigningRefusal(
            SigningRefusalCode.PERSON_NOT_AT_DOOR, f"The person did not come through the {door} door at that moment."
        )
    if not in_audience(step, signer, at):
        return SigningRefusal(
            SigningRefusalCode.NOT_IN_AUDIENCE, f"Share {share_id} did not reach the person at that moment."
        )
    return None


def cycle_id(earlier_receipts: Iterable[ReceiptFacts]) -> UUID:
    """Return a new receipt's `cycle_id`: the person's latest earlier receipt for this policy, or all zeros."""
    latest = max(earlier_receipts, key=lambda each: each.signed_at, default=None)
    return NO_RECEIPT if latest is None else latest.receipt_id


def record_at(timelines: Iterable[RecordTimeline], moment: datetime) -> RecordContent | None:
    """Return the person's record of the policy at `moment`, which a signing page asks for or displays as signed."""
    return next((content for timeline in timelines if (content := timeline.at(moment)) is not None), None)
