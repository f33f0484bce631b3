"""The Redis clients of a process. Redis keeps only what can be computed again: limits, leases, numbers, progress."""

import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.connection import Connection
from redis.retry import Retry

PATIENCE_SECONDS = 0.5
"""How long a command waits for Redis. After that the caller goes on without it, so nobody waits long."""


_own = threading.local()


def client() -> redis.Redis:
    """The client of the Redis that the settings name. It sends a command twice, because a connection may be stale."""
    return _client(settings.REDIS_URL)


def run(script: Script, keys: Sequence[str], arguments: Sequence[str | int]) -> Any:
    """Runs a script and returns its answer; for scripts that every call of an API runs. Raises redis.RedisError.

    It uses this thread's own connection, without redis-py's pool and its layers around a command: together they take
    as long as Redis itself. A connection may be stale, so the command is sent twice.
    """
    connection = connection_of_this_thread()
    command = ("EVALSHA", script.sha, len(keys), *keys, *arguments)
    try:
        connection.send_command(*command)
        return connection.read_response()
    except redis.exceptions.NoScriptError:
        connection.send_command("SCRIPT", "LOAD", script.script)
        connection.read_response()
    except (redis.ConnectionError, redis.TimeoutError):
        connection.disconnect()
    connection.send_command(*command)
    return connection.read_response()


def connection_of_this_thread() -> Connection:
    """The connection that only this thread uses; it ends with the thread. Raises redis.RedisError."""
    asked_for = (settings.REDIS_URL, os.getpid())
    held: Any = getattr(_own, "held", None)
    if held is None or held[0] != asked_for:
        held = _own.held = (asked_for, _made(settings.REDIS_URL, alone=True))
    connection: Connection = held[1].connection
    return connection


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
