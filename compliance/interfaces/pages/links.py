"""Personal links to `/sign/<token>`: each is for one person and one share, signed by us, and runs out.

A token carries identifiers and its end, nothing personal, under an HMAC of SECRET_KEY. Whoever holds a link may sign
with it, so links are sent to the person alone, and logs leave them out (`private_paths.py`).
"""

import base64
import binascii
import struct
import uuid
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing

from compliance.interfaces.pages.errors import LinkError, LinkExpiredError

LINK_LIFE = timedelta(days=30)
_FORM = struct.Struct("!16s16s16sQ")


class SigningLink(NamedTuple):
    """What a link says: who may sign which share of which company, until when."""

    organization_id: uuid.UUID
    share_id: uuid.UUID
    learner_profile_id: uuid.UUID
    expires_at: datetime


def signing_link(link: SigningLink) -> str:
    """Return the absolute address of the link."""
    return f"{settings.BASE_URL}/sign/{make_token(link)}"


def make_token(link: SigningLink) -> str:
    """Return the token of a link; its end counts in whole seconds."""
    packed = _FORM.pack(
        link.organization_id.bytes, link.share_id.bytes, link.learner_profile_id.bytes, int(link.expires_at.timestamp())
    )
    return _signer().sign(base64.urlsafe_b64encode(packed).decode().rstrip("="))


def read_token(token: str, now: datetime) -> SigningLink:
    """Return what a token says. Raises LinkError when it is not ours, LinkExpiredError when it has run out."""
    try:
        text = _signer().unsign(token)
        organization, share, profile, expires = _FORM.unpack(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (signing.BadSignature, binascii.Error, struct.error, ValueError) as error:
        raise LinkError("The link is not one of ours.") from error
    expires_at = datetime.fromtimestamp(expires, UTC)
    if now >= expires_at:
        raise LinkExpiredError(expires_at)
    return SigningLink(uuid.UUID(bytes=organization), uuid.UUID(bytes=share), uuid.UUID(bytes=profile), expires_at)


def _signer() -> signing.Signer:
    return signing.Signer(salt="compliance.interfaces.pages.links", sep=".")
