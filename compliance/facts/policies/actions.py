"""Writes of this room that need more than one line: a person may sign only what is asked of them at that moment."""

import uuid
from datetime import datetime
from typing import Any

from compliance.facts.lines.kinds import PolicySigned, Signature
from compliance.facts.policies import chain
from compliance.facts.policies.errors import SigningRefusedError
from compliance.facts.policies.queries import signing_state, stored_version
from compliance.facts.policies.signatures import read_signature
from compliance.facts.recording.acting import act
from compliance.tenancy import context


def sign_policy(
    *,
    organization_id: uuid.UUID,
    share_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_release_id: uuid.UUID,
    signature: dict[str, Any] | None,
    sign_in_methods: str | None,
    at: datetime,
) -> uuid.UUID:
    """Sign or acknowledge what a share asks of a person now, and return the receipt's identifier.

    Signing again what is already signed returns the existing receipt. Raises SignatureError, and SigningRefusedError if
    the share asks nothing of the person, or by now asks for another version than `course_release_id`.
    """
    with context.company(organization_id):
        tail = chain.lock_chain(organization_id)
        # The receipt of a signer shortly before may have a later `signed_at` than our own moment.
        moment = at if tail.signed_at is None else max(at, tail.signed_at)
        state = signing_state(organization_id, share_id=share_id, learner_profile_id=learner_profile_id, moment=moment)
        if state is None or state.record is None:
            raise SigningRefusedError("The policy is not shared with this person at present.", "nothing_owed")
        if state.record.receipt_id is not None:
            return state.record.receipt_id
        if state.record.course_release_id != course_release_id:
            raise SigningRefusedError("Another version of the policy is asked for by now.", "other_version")
        if state.door is None:
            raise SigningRefusedError("The policy is not shared with this person through this link.", "not_shared")
        read_signature(stored_version(organization_id, course_release_id).act, signature)
        receipt_id = uuid.uuid4()
        act(
            PolicySigned,
            organization_id=organization_id,
            at=at,
            receipt_id=receipt_id,
            share_id=share_id,
            learner_profile_id=learner_profile_id,
            door=state.door,
            course_release_id=course_release_id,
            signature=_line_signature(signature),
            sign_in_methods=sign_in_methods,
        )
        return receipt_id


def _line_signature(raw: dict[str, Any] | None) -> Signature | None:
    if raw is None:
        return None
    if "typed" in raw:
        return Signature(typed=raw["typed"])
    return Signature(drawn=tuple(tuple(stroke) for stroke in raw["drawn"]))
