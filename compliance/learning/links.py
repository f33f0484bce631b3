"""Personal links: each is one row, for one person or one invitation; it expires, and can be withdrawn.

Opening a link displays a button, because mail scanners open links too; pressing it uses the link. Anybody with the link
can sign in as its person, so links are sent only to that person, and logs leave them out (`pages/private_paths.py`).
A link that was sent to an address works only as long as it is one of the person's addresses: a corrected address ends
the links that were sent to the wrong one, by whichever way the correction came in. That is read when the link is used,
so that recording facts costs nothing for it.
"""

import hashlib
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from compliance.facts.people.queries import displayed_people
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
    address: str = "",
) -> str:
    """Makes a link for a person or an invitation and returns its token, which is not stored.

    `uses` None: any number of uses until it expires. `leads_to` is the target's address after `/learn/`. `address`: the
    e-mail address to which the link will be sent. Needs the company's context.
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
        address_sha256=_sent_to(token, address) if address else "",
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
    if not _is_still_theirs(found, token):
        raise LinkRevokedError("The link was sent to an address that is no longer the person's.")
    return found


def _is_still_theirs(link: PersonalLink, token: str) -> bool:
    """Whether the address to which the link was sent is one of the person's, if it was sent to any."""
    if not link.address_sha256 or link.learner_profile_id is None:
        return True
    person = displayed_people(link.organization_id, [link.learner_profile_id]).get(link.learner_profile_id)
    if person is None or person.erased:
        return True  # whoever was erased cannot come in anyway, and is given that reason
    addresses = (person.account_email, person.work_email)
    return any(each and _sent_to(token, each) == link.address_sha256 for each in addresses)


def _sent_to(token: str, address: str) -> str:
    """The digest of an address that is stored with a link. Its salt is the token, which is not stored."""
    return hashlib.sha256(f"{token} {address.lower()}".encode()).hexdigest()


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
    """How many links of a person are open, to whichever address they were sent. Needs the company's context."""
    return _usable(organization_id, now, Q(learner_profile_id=learner_profile_id)).count()


def _usable(organization_id: uuid.UUID, now: datetime, whose: Q) -> QuerySet[PersonalLink]:
    found = PersonalLink.objects.filter(whose, organization_id=organization_id, revoked_at=None, expires_at__gt=now)
    return found.exclude(uses_left=0)
