"""The Redis clients of a process. Redis keeps only what can be made anew: limits, leases, numbers, progress."""

import os
import threading
from functools import lru_cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

PATIENCE_SECONDS = 0.5
"""How long anything waits for Redis. Whoever asks does without it then, so nobody waits long."""


_own = threading.local()


def client() -> redis.Redis:
    """The client of the Redis that the settings name; one command is tried twice, since a connection may be stale."""
    return _client(settings.REDIS_URL)


def client_of_this_thread() -> redis.Redis:
    """As `client`, with one connection of this thread's own, for what every call of an API asks.

    A command through the pool takes half as long again. Raises redis.RedisError where Redis is away.
    """
    asked_for = (settings.REDIS_URL, os.getpid())
    held = getattr(_own, "held", None)
    if held is None or held[0] != asked_for:
        held = _own.held = (asked_for, _made(settings.REDIS_URL, alone=True))
    return held[1]


@lru_cache(maxsize=4)
def _client(address: str) -> redis.Redis:
    return _made(address)


def _made(address: str, *, alone: bool = False) -> redis.Redis:
    return redis.Redis.from_url(
        address,
        single_connection_client=alone,
        socket_timeout=PATIENCE_SECONDS,
        socket_connect_timeout=PATIENCE_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )
