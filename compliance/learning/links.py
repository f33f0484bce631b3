"""Personal links: each is one row, for one person or one invitation; it expires, and can be withdrawn.

Opening a link displays a button, because mail scanners open links too; pressing it uses the link. Anybody with the link
can sign in as its person, so links are sent only to that person, and logs leave them out (`pages/private_paths.py`).
"""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from compliance.learning import tokens
from compliance.learning.errors import LinkExpiredError, LinkRevokedError, LinkUsedError, UnknownTokenError
from compliance.learning.models import PersonalLink

ASKED_FOR = timedelta(minutes=15)
"""How long a link is valid that was requested by an address, or printed by an operator."""

IN_A_LETTER = timedelta(days=30)


def address_of(token: str) -> str:
    """The absolute address of a link."""
    return f"{settings.BASE_URL}/learn/in/{token}"


def make(
    organization_id: uuid.UUID,
    *,
    now: datetime,
    life: timedelta,
    learner_profile_id: uuid.UUID | None = None,
    invitation_id: uuid.UUID | None = None,
    leads_to: str = "",
    uses: int | None = 1,
) -> str:
    """Makes a link for a person or an invitation and returns its token, which is not stored.

    `uses` None: any number of uses until it expires. `leads_to` is the target's address after `/learn/`. Needs the
    company's context.
    """
    token = tokens.make(organization_id)
    PersonalLink.objects.create(
        organization_id=organization_id,
        token_sha256=tokens.digest(token),
        learner_profile_id=learner_profile_id,
        invitation_id=invitation_id,
        leads_to=leads_to,
        made_at=now,
        expires_at=now + life,
        uses_left=uses,
    )
    return token


def find(organization_id: uuid.UUID, token: str) -> PersonalLink | None:
    """The row of a token, even if it can no longer be used. Needs the company's context."""
    return PersonalLink.objects.filter(organization_id=organization_id, token_sha256=tokens.digest(token)).first()


def look(organization_id: uuid.UUID, token: str, now: datetime, *, lock: bool = False) -> PersonalLink:
    """The row of a token that can still be used. Needs the company's context.

    Raises UnknownTokenError, LinkRevokedError, LinkUsedError and LinkExpiredError.
    """
    rows = PersonalLink.objects.select_for_update() if lock else PersonalLink.objects
    found = rows.filter(organization_id=organization_id, token_sha256=tokens.digest(token)).first()
    if found is None:
        raise UnknownTokenError("The link is not one of ours.")
    if found.revoked_at is not None:
        raise LinkRevokedError("The link was withdrawn.")
    if found.uses_left == 0:
        raise LinkUsedError("The link was used.")
    if now >= found.expires_at:
        raise LinkExpiredError(found.expires_at)
    return found


def use(organization_id: uuid.UUID, token: str, now: datetime) -> PersonalLink:
    """Uses a link once and returns its row. Needs the company's context; raises as `look` does."""
    found = look(organization_id, token, now, lock=True)
    if found.uses_left is not None:
        found.uses_left -= 1
    found.used_at = now
    found.save(update_fields=["uses_left", "used_at"])
    return found


def revoke(
    organization_id: uuid.UUID,
    now: datetime,
    *,
    learner_profile_id: uuid.UUID | None = None,
    invitation_id: uuid.UUID | None = None,
) -> int:
    """Withdraws the links of a person or an invitation; returns how many were usable. Needs the company's context."""
    whose = Q(learner_profile_id=learner_profile_id) if learner_profile_id else Q(invitation_id=invitation_id)
    return _usable(organization_id, now, whose).update(revoked_at=now)


def revoke_all(organization_id: uuid.UUID, now: datetime) -> int:
    """Withdraws every link of the company; returns how many were usable. Needs the company's context."""
    return _usable(organization_id, now, Q()).update(revoked_at=now)


def usable(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> int:
    """How many links of a person can still be used. Needs the company's context."""
    return _usable(organization_id, now, Q(learner_profile_id=learner_profile_id)).count()


def _usable(organization_id: uuid.UUID, now: datetime, whose: Q) -> QuerySet[PersonalLink]:
    found = PersonalLink.objects.filter(whose, organization_id=organization_id, revoked_at=None, expires_at__gt=now)
    return found.exclude(uses_left=0)
