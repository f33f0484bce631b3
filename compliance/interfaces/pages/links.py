"""Personal links to `/sign/<token>`. Each is one row for one person and one share; it signs once, expires, and can be
revoked.

Their tokens are made like those of `compliance.learning`. Whoever holds a link may sign with it, so links are sent only
to the person, logs leave them out (`private_paths.py`), and the person gets a letter when one was used (`letters`).
"""

import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import QuerySet

from compliance.interfaces.pages.models import Link
from compliance.learning import tokens
from compliance.learning.errors import LinkExpiredError, LinkRevokedError, UnknownTokenError
from compliance.tenancy import context

LINK_LIFE = timedelta(days=30)
RECEIPT_OPEN = timedelta(minutes=15)
"""How long a link shows the receipt; afterwards a new link does."""


class SigningLink(NamedTuple):
    """What a link is for: who may sign which share of which company, until when."""

    organization_id: uuid.UUID
    share_id: uuid.UUID
    learner_profile_id: uuid.UUID
    expires_at: datetime


def signing_link(link: SigningLink, now: datetime) -> str:
    """Makes a link and returns its absolute address, which is not stored."""
    return address_of(make_token(link, now))


def address_of(token: str) -> str:
    """The absolute address of a token."""
    return f"{settings.BASE_URL}/sign/{token}"


def make_token(link: SigningLink, now: datetime) -> str:
    """Makes a link and returns its token."""
    token = tokens.make(link.organization_id)
    with context.company(link.organization_id):
        Link.objects.create(
            organization_id=link.organization_id,
            token_sha256=tokens.digest(token),
            share_id=link.share_id,
            learner_profile_id=link.learner_profile_id,
            made_at=now,
            expires_at=link.expires_at,
        )
    return token


def read_token(organization_id: uuid.UUID, token: str, now: datetime, *, lock: bool = False) -> Link:
    """The row of a token, within the company's context.

    Raises UnknownTokenError, LinkExpiredError and LinkRevokedError.
    """
    rows = Link.objects.select_for_update() if lock else Link.objects
    found = rows.filter(organization_id=organization_id, token_sha256=tokens.digest(token)).first()
    if found is None:
        raise UnknownTokenError("The link is not one of ours.")
    if found.revoked_at is not None:
        raise LinkRevokedError("The link was withdrawn.")
    if now >= found.expires_at:
        raise LinkExpiredError(found.expires_at)
    return found


def revoke(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime, share_id: uuid.UUID | None = None
) -> int:
    """Withdraws a person's links, or those to one share; returns how many were valid. Within the company's context."""
    links = _open(organization_id, learner_profile_id, now)
    if share_id is not None:
        links = links.filter(share_id=share_id)
    return links.update(revoked_at=now)


def revoke_all(organization_id: uuid.UUID, now: datetime) -> int:
    """Withdraws every link of the company; returns how many were valid. Within the company's context."""
    links = Link.objects.filter(organization_id=organization_id, revoked_at=None, expires_at__gt=now)
    return links.update(revoked_at=now)


def open_links(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> int:
    """How many links of a person are still valid. Within the company's context."""
    return _open(organization_id, learner_profile_id, now).count()


def _open(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> QuerySet[Link]:
    return Link.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, revoked_at=None, expires_at__gt=now
    )
