"""Rate and concurrency limits, counted by one atomic script in Redis.

A window begins with the first call that it counts and lasts a minute. A refused call consumes nothing. Each request
holds a lease of its concurrency limit, which is given back when it ends, and expires if its process died. When Redis is
away, each process counts by itself and the API keeps answering. Header fields follow
draft-ietf-httpapi-ratelimit-headers-10.
"""

import logging
import math
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import redis
from redis.commands.core import Script

from compliance import redis_client

log = logging.getLogger(__name__)

WINDOW_SECONDS = 60
LEASE_SECONDS = 60
"""Longer than any request may take, so a lease is only taken back from a process that died."""

REDIS_PAUSE_SECONDS = 2.0
"""After Redis failed, how long the process counts by itself before it tries again."""


class Policy(NamedTuple):
    """One quota: `name` as in the header fields, `subject` whose calls are counted."""

    name: str
    subject: str
    quota: int


class QuotaState(NamedTuple):
    """The state of one quota after a call: how many calls remain, and in how many seconds its window ends."""

    policy: Policy
    remaining: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may go on. `refused_by` is None, `rate` or `concurrency`."""

    quotas: tuple[QuotaState, ...]
    refused_by: str | None = None
    retry_after: int = 0
    lease: "Lease | None" = None

    def headers(self) -> dict[str, str]:
        """`RateLimit-Policy` and `RateLimit`, for every answer."""
        return {
            "RateLimit-Policy": ", ".join(
                f'"{each.policy.name}";q={each.policy.quota};w={WINDOW_SECONDS}' for each in self.quotas
            ),
            "RateLimit": ", ".join(f'"{each.policy.name}";r={each.remaining};t={each.seconds}' for each in self.quotas),
        }


class AtOnce(NamedTuple):
    """How many calls of `subject` may be under way at the same time."""

    subject: str
    most: int


class Lease(NamedTuple):
    """One of the calls that each of `subjects` may have at the same time, granted by `counter`."""

    counter: "Counter"
    subjects: tuple[str, ...]
    identifier: str


class Counter(Protocol):
    """Counts calls. `bounds` names the subjects whose simultaneous calls are bounded, and the number for each."""

    def acquire(self, policies: tuple[Policy, ...], bounds: tuple[AtOnce, ...]) -> Verdict:
        """Count one call against the policies and bounds, and say whether it may go on."""
        ...

    def release(self, lease: Lease) -> None:
        """Give back the lease of a call."""
        ...


# KEYS: one counter per policy, then one set of leases per bound. ARGV: window in ms; lease in ms; lease id; number of
# policies; one quota per policy; one number per bound. Answer: verdict (0 go on, 1 rate, 2 concurrency), then used and
# ms left of each policy.
_SCRIPT = """
local window, lease_ms, lease_id, policies = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
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
if answer[1] == 0 and #KEYS > policies then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  for i = policies + 1, #KEYS do
    redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
    if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[4 + i]) then answer[1] = 2 end
  end
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
  for i = policies + 1, #KEYS do
    redis.call('ZADD', KEYS[i], now + lease_ms, lease_id)
    redis.call('PEXPIRE', KEYS[i], lease_ms)
  end
end
return answer
"""
# KEYS: one set of leases per bound. ARGV: lease id.
_GIVE_BACK = "for i = 1, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end"
_REFUSED_BY = {0: None, 1: "rate", 2: "concurrency"}


class RedisCounter:
    """Counts in Redis, for all processes together."""

    def __init__(
        self,
        client: redis.Redis,
        prefix: str = "svc:limits",
        window_seconds: int = WINDOW_SECONDS,
        run: Callable[[Script, Sequence[str], Sequence[str | int]], Any] = Script.__call__,
    ) -> None:
        """`run` runs a script in Redis, by default on `client` itself. Raises redis.RedisError."""
        self._run = run
        self._take = client.register_script(_SCRIPT)
        self._give_back = client.register_script(_GIVE_BACK)
        self._prefix = prefix
        self._window_seconds = window_seconds

    def acquire(self, policies: tuple[Policy, ...], bounds: tuple[AtOnce, ...]) -> Verdict:
        """Counts the call or refuses it. Raises redis.RedisError."""
        keys = [f"{self._prefix}:{policy.name}:{policy.subject}" for policy in policies]
        keys += [self._leases(bound.subject) for bound in bounds]
        identifier = uuid.uuid4().hex
        quotas = [policy.quota for policy in policies]
        most = [bound.most for bound in bounds]
        answer = self._run(
            self._take,
            keys,
            [self._window_seconds * 1000, LEASE_SECONDS * 1000, identifier, len(policies), *quotas, *most],
        )
        held = _lease(self, bounds, identifier) if answer[0] == 0 else None
        used = [(int(answer[2 * i + 1]), int(answer[2 * i + 2]) / 1000) for i in range(len(policies))]
        return _verdict(policies, _REFUSED_BY[int(answer[0])], used, held)

    def release(self, lease: Lease) -> None:
        """Gives a lease back. Raises redis.RedisError."""
        keys = [self._leases(subject) for subject in lease.subjects]
        self._run(self._give_back, keys, [lease.identifier])

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
    window_seconds: int = WINDOW_SECONDS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _windows: dict[tuple[str, str], _Window] = field(default_factory=dict)
    _leases: dict[str, dict[str, float]] = field(default_factory=dict)

    def acquire(self, policies: tuple[Policy, ...], bounds: tuple[AtOnce, ...]) -> Verdict:
        """Counts the call or refuses it."""
        with self._lock:
            now = self.clock()
            self._forget(now)
            windows = [
                self._windows.get((policy.name, policy.subject)) or _Window(0, now + self.window_seconds)
                for policy in policies
            ]
            used = [(window.used, window.ends - now) for window in windows]
            if any(window.used >= policy.quota for window, policy in zip(windows, policies, strict=True)):
                return _verdict(policies, "rate", used, None)
            if any(len(self._leases.get(bound.subject, ())) >= bound.most for bound in bounds):
                return _verdict(policies, "concurrency", used, None)
            identifier = uuid.uuid4().hex
            held = _lease(self, bounds, identifier)
            for bound in bounds:
                self._leases.setdefault(bound.subject, {})[identifier] = now + LEASE_SECONDS
            for policy, window in zip(policies, windows, strict=True):
                window.used += 1
                self._windows[(policy.name, policy.subject)] = window
            return _verdict(policies, None, [(window.used, window.ends - now) for window in windows], held)

    def release(self, lease: Lease) -> None:
        """Gives a lease back."""
        with self._lock:
            for subject in lease.subjects:
                self._leases.get(subject, {}).pop(lease.identifier, None)

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

    def acquire(self, policies: tuple[Policy, ...], bounds: tuple[AtOnce, ...] = ()) -> Verdict:
        """Counts a call under every policy and takes a lease of every bound, or refuses it and consumes nothing."""
        if self._clock() >= self._paused_until:
            try:
                return self._shared.acquire(policies, bounds)
            except redis.RedisError as error:
                self._pause(error)
        return self._own.acquire(policies, bounds)

    def release(self, lease: Lease) -> None:
        """Gives a lease back to the counter that granted it; one that Redis cannot take back expires."""
        try:
            lease.counter.release(lease)
        except redis.RedisError as error:
            self._pause(error)

    def _pause(self, error: Exception) -> None:
        self._paused_until = self._clock() + REDIS_PAUSE_SECONDS
        log.warning("limits_without_redis", extra={"error": type(error).__name__})


def limiter() -> Limiter:
    """The limiter of this process."""
    return _limiter(redis_client.client())


@lru_cache(maxsize=4)
def _limiter(shared: redis.Redis) -> Limiter:
    return Limiter(RedisCounter(shared, run=redis_client.run))


def _lease(counter: Counter, bounds: tuple[AtOnce, ...], identifier: str) -> Lease | None:
    return Lease(counter, tuple(bound.subject for bound in bounds), identifier) if bounds else None


def _verdict(
    policies: tuple[Policy, ...], refused_by: str | None, used: list[tuple[int, float]], lease: Lease | None
) -> Verdict:
    """The verdict on a call; `used` has, for each policy, the calls that its window counts and its seconds left."""
    quotas = tuple(
        QuotaState(policy, max(policy.quota - calls, 0), max(math.ceil(left), 1))
        for policy, (calls, left) in zip(policies, used, strict=True)
    )
    waits = [each.seconds for each in quotas if each.remaining == 0]
    retry_after = {"rate": max(waits, default=1), "concurrency": 1}.get(refused_by or "", 0)
    return Verdict(quotas, refused_by, retry_after, lease)
