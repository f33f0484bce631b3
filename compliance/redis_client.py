"""The one Redis client of a process. Redis keeps only what can be made anew: limits, leases, numbers, progress."""

from functools import lru_cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE_SECONDS = 0.5
"""How long anything waits for Redis. Whoever asks does without it then, so nobody waits long."""


def client() -> redis.Redis:
    """The client of the Redis that the settings name; one command is tried twice, since a connection may be stale."""
    return _client(settings.REDIS_URL)


@lru_cache(maxsize=4)
def _client(address: str) -> redis.Redis:
    return redis.Redis.from_url(
        address,
        socket_timeout=PATIENCE_SECONDS,
        socket_connect_timeout=PATIENCE_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )
