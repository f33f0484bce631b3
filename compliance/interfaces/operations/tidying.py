"""What would otherwise lie about: expired keys, leases of dead processes, sessions, unfinished reminders."""

import logging
from datetime import datetime, timedelta

import redis
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q

from compliance.access.actions import revoke_key
from compliance.access.models import ApiKey

log = logging.getLogger(__name__)

EXPIRED = "expired"
WARN_BEFORE = timedelta(days=14)
LEASES = "svc:limits:leases:*"


def expire_keys(now: datetime) -> int:
    """Revokes keys whose life is over, for good, and says which end soon. Returns how many were revoked."""
    over = list(ApiKey.objects.filter(revoked_at=None, expires_at__lte=now).values_list("key_id", flat=True))
    for key_id in over:
        revoke_key(key_id=key_id, at=now, actor="the nightly run", reason=EXPIRED)
    soon = ApiKey.objects.filter(Q(revoked_at=None) & Q(expires_at__lte=now + WARN_BEFORE))
    for key_id, organization_id, expires_at in soon.values_list("key_id", "organization_id", "expires_at"):
        log.warning(
            "api_key_expires_soon",
            extra={"key_id": str(key_id), "organization_id": str(organization_id), "expires_at": str(expires_at)},
        )
    return len(over)


def prune_leases() -> int:
    """Takes back leases that outlived their process; each also ends by itself. Returns how many were taken back."""
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5, socket_connect_timeout=5)
    seconds, microseconds = client.time()
    now = seconds * 1000 + microseconds // 1000
    return sum(int(client.zremrangebyscore(key, "-inf", now)) for key in client.scan_iter(match=LEASES, count=500))


def clear_sessions(now: datetime) -> int:
    """Removes sessions of the console that have ended."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]
