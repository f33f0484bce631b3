"""Tidies what is over: expired keys and sources, sessions and personal links, letters settled and
webhooks tried long ago."""

import logging
import uuid
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session
from django.db.models import Q

from compliance.access import sources
from compliance.access.actions import EXPIRED, revoke_key
from compliance.access.models import ApiKey
from compliance.learning import sessions
from compliance.letters.actions import forget_settled
from compliance.tenancy import context
from compliance.webhooks import actions as webhooks

log = logging.getLogger(__name__)

WARN_BEFORE = timedelta(days=14)


def expire_keys(now: datetime) -> int:
    """Revokes expired keys for good, and logs those that expire soon. Returns how many were revoked."""
    over = list(ApiKey.objects.filter(revoked_at=None, expires_at__lte=now).values_list("key_id", flat=True))
    for key_id in over:
        revoke_key(key_id=key_id, at=now, actor="tidy", reason=EXPIRED)
    soon = ApiKey.objects.filter(Q(revoked_at=None) & Q(expires_at__lte=now + WARN_BEFORE))
    for key_id, organization_id, expires_at in soon.values_list("key_id", "organization_id", "expires_at"):
        log.warning(
            "api_key_expires_soon",
            extra={"key_id": str(key_id), "organization_id": str(organization_id), "expires_at": str(expires_at)},
        )
    return len(over)


def expire_sources(now: datetime) -> int:
    """Closes sources whose token has expired, and logs those that expire soon. Returns how many were closed."""
    return sources.expire_sources(now, WARN_BEFORE)


def clear_sessions(now: datetime) -> int:
    """Removes sessions of the console that have ended."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]


def tidy_company(organization_id: uuid.UUID, now: datetime) -> int:
    """Removes a company's letters settled and webhooks tried long ago, and links and sessions that ended a month ago.

    Returns how many rows it removed.
    """
    with context.company(organization_id):
        removed = forget_settled(organization_id, now) + webhooks.forget_attempts(organization_id, now)
        return removed + sessions.tidy(organization_id, now)
