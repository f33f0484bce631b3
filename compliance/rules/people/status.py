"""What depends on the clock in a row of the people register, computed when it is read: an invitation's expiry.

Expiry writes no version and no sequence. At exactly `invitation_expires_at` an invitation has expired. These functions
run once for each row the API serves, so they take plain columns and compare strings (members of a StrEnum are strings).
"""

from datetime import datetime

from compliance.rules.vocabulary import AccessState, InvitationState, InvitationStatus


def invitation_status_at(
    invitation_state: str | None, invitation_expires_at: datetime | None, moment: datetime
) -> InvitationStatus | None:
    """Return `invitation_status` at `moment`; null for an employee row."""
    if invitation_state is None:
        return None
    if _expired(invitation_state, invitation_expires_at, moment):
        return InvitationStatus.EXPIRED
    return InvitationStatus(invitation_state)


def access_state_at(
    access_state: str, invitation_state: str | None, invitation_expires_at: datetime | None, moment: datetime
) -> AccessState:
    """Return `access_state` at `moment`: the stored one, but `ended` instead of `invited` after the expiry."""
    if access_state == AccessState.INVITED and _expired(invitation_state or "", invitation_expires_at, moment):
        return AccessState.ENDED
    return AccessState(access_state)


def _expired(invitation_state: str, invitation_expires_at: datetime | None, moment: datetime) -> bool:
    return (
        invitation_state == InvitationState.PENDING
        and invitation_expires_at is not None
        and moment >= invitation_expires_at
    )
