"""Rate and concurrency limits, counted by one atomic script in Redis (contract, Limits; design 7).

A window begins with the first call that it counts and lasts a minute. A refused call consumes nothing. Concurrency is
a lease for each request, given back when it ends and by itself when its process died. When Redis is away, each process
counts by itself and the API keeps answering. Header fields follow draft-ietf-httpapi-ratelimit-headers-10.
"""

import contextlib
import hashlib
import logging
import math
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

WINDOW_SECONDS = 60
LEASE_SECONDS = 60
"""Longer than any request may take, so a lease is only taken back from a process that died."""

REDIS_PATIENCE_SECONDS = 0.5
REDIS_PAUSE_SECONDS = 2.0
"""After Redis failed, how long the process counts by itself before it tries again."""


class Policy(NamedTuple):
    """One quota: `name` as in the header fields, `subject` whose calls are counted."""

    name: str
    subject: str
    quota: int


class Standing(NamedTuple):
    """Where one quota stands after a call: what remains, and in how many seconds it starts anew."""

    policy: Policy
    remaining: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may go on. `refused_by` is null, `rate` or `concurrency`."""

    standings: tuple[Standing, ...]
    refused_by: str | None = None
    retry_after: int = 0
    lease: "Lease | None" = None

    def headers(self) -> dict[str, str]:
        """`RateLimit-Policy` and `RateLimit`, for every answer."""
        return {
            "RateLimit-Policy": ", ".join(
                f'"{each.policy.name}";q={each.policy.quota};w={WINDOW_SECONDS}' for each in self.standings
            ),
            "RateLimit": ", ".join(
                f'"{each.policy.name}";r={each.remaining};t={each.seconds}' for each in self.standings
            ),
        }


class Lease(NamedTuple):
    """One of the calls that a subject may have at the same time. `counter` is who gave it."""

    counter: "Counter"
    subject: str
    identifier: str


class Counter(Protocol):
    """Counts calls. `lease` names whose calls at the same time are bounded, and by how many."""

    def acquire(self, policies: tuple[Policy, ...], lease: tuple[str, int] | None) -> Verdict: ...

    def release(self, lease: Lease) -> None: ...


# KEYS: one counter a policy, then the leases (if any). ARGV: window in ms; concurrency limit (0: none); lease in ms;
# lease id; then one quota a policy. Answer: verdict (0 go on, 1 rate, 2 concurrency), then used and ms left of each.
_SCRIPT = """
local window, at_once, lease_ms, lease_id = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local policies = #ARGV - 4
local answer = {0}
for i = 1, policies do
  local used = tonumber(redis.call('GET', KEYS[i]) or '0')
  local left = redis.call('PTTL', KEYS[i])
  if left < 0 then used = 0 left = window end
  answer[2 * i] = used
  answer[2 * i + 1] = left
  if used >= tonumber(ARGV[4 + i]) then answer[1] = 1 end
end
local now = 0
if answer[1] == 0 and at_once > 0 then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[policies + 1], '-inf', now)
  if redis.call('ZCARD', KEYS[policies + 1]) >= at_once then answer[1] = 2 end
end
if answer[1] == 0 then
  for i = 1, policies do
    if answer[2 * i] == 0 then
      redis.call('SET', KEYS[i], 1, 'PX', window)
    else
      redis.call('INCR', KEYS[i])
    end
    answer[2 * i] = answer[2 * i] + 1
  end
  if at_once > 0 then
    redis.call('ZADD', KEYS[policies + 1], now + lease_ms, lease_id)
    redis.call('PEXPIRE', KEYS[policies + 1], lease_ms)
  end
end
return answer
"""
_SCRIPT_NAME = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
_REFUSED_BY = {0: None, 1: "rate", 2: "concurrency"}


class _Line(threading.local):
    """A thread's own connection to Redis: a pool's bookkeeping costs several times what the commands do."""

    def __init__(self, pool: Any) -> None:
        self._connection = pool.connection_class(**pool.connection_kwargs)
        self._owed = 0

    def ask(self, *command: Any) -> Any:
        """Sends a command and returns its answer; over a new connection when this one went stale."""
        try:
            return self._ask(command)
        except (redis.ConnectionError, redis.TimeoutError):
            self._drop()
        try:
            return self._ask(command)
        except (redis.ConnectionError, redis.TimeoutError):
            self._drop()
            raise

    def tell(self, *command: Any) -> None:
        """Sends a command whose answer nobody waits for; Redis takes it before anything that is sent later."""
        try:
            self._connection.send_command(*command, check_health=False)
            self._owed += 1
        except (redis.ConnectionError, redis.TimeoutError):
            self._drop()
            raise

    def _ask(self, command: tuple[Any, ...]) -> Any:
        # An answer that nobody waited for has long arrived.
        while self._owed:
            self._owed -= 1
            with contextlib.suppress(redis.ResponseError):
                self._connection.read_response()
        self._connection.send_command(*command, check_health=False)
        return self._connection.read_response()

    def _drop(self) -> None:
        self._connection.disconnect()
        self._owed = 0


class RedisCounter:
    """Counts in Redis, for all processes together."""

    def __init__(self, client: redis.Redis, prefix: str = "svc:limits") -> None:
        self._client = client
        self._line = _Line(client.connection_pool)
        self._prefix = prefix

    def acquire(self, policies: tuple[Policy, ...], lease: tuple[str, int] | None) -> Verdict:
        """Counts the call or refuses it. Raises redis.RedisError."""
        keys = [f"{self._prefix}:{policy.name}:{policy.subject}" for policy in policies]
        identifier = uuid.uuid4().hex
        if lease is not None:
            keys.append(self._leases(lease[0]))
        words = (
            len(keys),
            *keys,
            WINDOW_SECONDS * 1000,
            0 if lease is None else lease[1],
            LEASE_SECONDS * 1000,
            identifier,
            *(policy.quota for policy in policies),
        )
        try:
            answer = self._line.ask("EVALSHA", _SCRIPT_NAME, *words)
        except redis.exceptions.NoScriptError:
            answer = self._line.ask("EVAL", _SCRIPT, *words)
        held = None if lease is None or answer[0] != 0 else Lease(self, lease[0], identifier)
        stands = [(int(answer[2 * i + 1]), int(answer[2 * i + 2]) / 1000) for i in range(len(policies))]
        return _verdict(policies, _REFUSED_BY[int(answer[0])], stands, held)

    def release(self, lease: Lease) -> None:
        """Gives a lease back. Raises redis.RedisError."""
        self._line.tell("ZREM", self._leases(lease.subject), lease.identifier)

    def _leases(self, subject: str) -> str:
        return f"{self._prefix}:leases:{subject}"


@dataclass(slots=True)
class _Window:
    used: int
    ends: float


@dataclass(slots=True)
class ProcessCounter:
    """Counts in this process alone, by the same rules, while Redis is away."""

    clock: Any = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _windows: dict[tuple[str, str], _Window] = field(default_factory=dict)
    _leases: dict[str, dict[str, float]] = field(default_factory=dict)

    def acquire(self, policies: tuple[Policy, ...], lease: tuple[str, int] | None) -> Verdict:
        """Counts the call or refuses it."""
        with self._lock:
            now = self.clock()
            self._forget(now)
            windows = [
                self._windows.get((policy.name, policy.subject)) or _Window(0, now + WINDOW_SECONDS)
                for policy in policies
            ]
            stands = [(window.used, window.ends - now) for window in windows]
            if any(window.used >= policy.quota for window, policy in zip(windows, policies, strict=True)):
                return _verdict(policies, "rate", stands, None)
            held = None
            if lease is not None:
                subject, at_once = lease
                leases = self._leases.setdefault(subject, {})
                if len(leases) >= at_once:
                    return _verdict(policies, "concurrency", stands, None)
                held = Lease(self, subject, uuid.uuid4().hex)
                leases[held.identifier] = now + LEASE_SECONDS
            for policy, window in zip(policies, windows, strict=True):
                window.used += 1
                self._windows[(policy.name, policy.subject)] = window
            return _verdict(policies, None, [(window.used, window.ends - now) for window in windows], held)

    def release(self, lease: Lease) -> None:
        """Gives a lease back."""
        with self._lock:
            self._leases.get(lease.subject, {}).pop(lease.identifier, None)

    def _forget(self, now: float) -> None:
        for name in [name for name, window in self._windows.items() if window.ends <= now]:
            del self._windows[name]
        for subject, leases in list(self._leases.items()):
            for identifier in [identifier for identifier, ends in leases.items() if ends <= now]:
                del leases[identifier]
            if not leases:
                del self._leases[subject]


class Limiter:
    """Counts in Redis, or in the process while Redis is away."""

    def __init__(self, shared: RedisCounter, own: ProcessCounter | None = None, clock: Any = time.monotonic) -> None:
        self._shared = shared
        self._own = own or ProcessCounter()
        self._clock = clock
        self._paused_until = 0.0

    def acquire(self, policies: tuple[Policy, ...], lease: tuple[str, int] | None = None) -> Verdict:
        """Counts a call under every policy and takes a lease, or refuses it and consumes nothing."""
        if self._clock() >= self._paused_until:
            try:
                return self._shared.acquire(policies, lease)
            except redis.RedisError as error:
                self._pause(error)
        return self._own.acquire(policies, lease)

    def release(self, lease: Lease) -> None:
        """Gives a lease back to who gave it; one that Redis cannot take back ends by itself."""
        try:
            lease.counter.release(lease)
        except redis.RedisError as error:
            self._pause(error)

    def _pause(self, error: Exception) -> None:
        self._paused_until = self._clock() + REDIS_PAUSE_SECONDS
        log.warning("limits_without_redis", extra={"error": type(error).__name__})


def limiter_for(address: str) -> Limiter:
    """The limiter of a process, which counts in the Redis at `address`."""
    client = redis.Redis.from_url(
        address,
        socket_timeout=REDIS_PATIENCE_SECONDS,
        socket_connect_timeout=REDIS_PATIENCE_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )
    return Limiter(RedisCounter(client))


def _verdict(
    policies: tuple[Policy, ...], refused_by: str | None, stands: list[tuple[int, float]], lease: Lease | None
) -> Verdict:
    standings = tuple(
        Standing(policy, max(policy.quota - used, 0), max(math.ceil(left), 1))
        for policy, (used, left) in zip(policies, stands, strict=True)
    )
    waits = [each.seconds for each in standings if each.remaining == 0]
    retry_after = {"rate": max(waits, default=1), "concurrency": 1}.get(refused_by or "", 0)
    return Verdict(standings, refused_by, retry_after, lease)
