"""Prometheus metrics, served on a private port by a process of their own (`manage.py serve_metrics`).

Requests are counted where they are answered: each web process writes its counters to a file in METRICS_FOLDER
(prometheus_client's multiprocess mode), so several workers add up. Everything else is read from the database and Redis
when it is asked for, at most every few seconds. No label names a person, a key or a company.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import redis
from django.conf import settings
from django.db import Error, connection
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from compliance.access.models import ApiKey, Source
from compliance.catalogue import REGISTERS
from compliance.facts.ledger.queries import backlogs
from compliance.history.queries import capture_ends, captured_at
from compliance.interfaces.api.gate import ROUTES
from compliance.interfaces.operations import company_status
from compliance.interfaces.operations.tidying import WARN_BEFORE
from compliance.letters.queries import outbox
from compliance.log.queries import quorum_missing_since, signed_captures, witness_answers
from compliance.log.queries import size as log_size
from compliance.redis_client import client
from compliance.tenancy import shards, standbys
from compliance.tenancy.checks import differences
from compliance.webhooks.queries import figures

FRESH_SECONDS = 10.0
_LATELY = timedelta(days=1)
QUEUES = tuple(queue.name for queue in settings.CELERY_TASK_QUEUES)

REQUESTS = Counter("svc_requests", "Requests answered.", ["interface", "method", "status"])
SECONDS = Histogram(
    "svc_request_seconds", "How long answers took.", ["interface"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)  # fmt: skip

ENDPOINTS = frozenset({"snapshot", "openapi.json"} | {register.name for register in REGISTERS.values()})
INTERFACES = frozenset(address.split("/")[1] for address in ROUTES) | {
    "check", "console", "docs", "learn", "livez", "log", "problems", "readyz", "sign", "static", "tools",
}  # fmt: skip
"""The first parts of addresses that are counted by themselves; all others are `pages`."""
METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


def count_request(path: str, method: str, status: str, seconds: float) -> None:
    """Counts one answer. Labels come from short lists, whatever was asked for."""
    interface = _interface(path)
    REQUESTS.labels(interface, method if method in METHODS else "other", status).inc()
    SECONDS.labels(interface).observe(seconds)


def _interface(path: str) -> str:
    first, _, rest = path.lstrip("/").partition("/")
    if first == "v1":
        endpoint = rest.partition("/")[0]
        return f"v1/{endpoint}" if endpoint in ENDPOINTS else "v1"
    return first if first in INTERFACES else "pages"


class ServiceStatus(NamedTuple):
    """The status of all companies together, at one moment."""

    companies: int
    unavailable: int
    pending: int
    failing: int
    set_aside: int
    oldest_pending_seconds: float
    overdue_sweep_seconds: float
    verification_age_seconds: float
    verifications_failed: int
    log_entries: int
    unsigned_captures: int
    unsigned_capture_age_seconds: float
    quorum_missing_seconds: float
    keys_ending: int
    sources_ending: int
    reminders_unsettled: int
    letters_waiting: int
    letters_waiting_seconds: float
    letters_given_up: int
    webhooks_waiting: int
    webhooks_waiting_seconds: float
    webhooks_failing: int
    webhooks_paused: int
    protection_differences: int


class Collector:
    """Reads the status of the service when it is asked, and keeps the answer for a few seconds."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._read_at = 0.0
        self._kept: list[Metric] = []

    def collect(self) -> Iterator[Metric]:
        """The metrics that Prometheus gets."""
        if not self._kept or time.monotonic() - self._read_at > FRESH_SECONDS:
            self._kept = [*_database(self._clock()), *_redis()]
            self._read_at = time.monotonic()
        yield from self._kept


def registry(clock: Callable[[], datetime]) -> CollectorRegistry:
    """Everything that the private port serves."""
    found = CollectorRegistry()
    if settings.METRICS_FOLDER and Path(settings.METRICS_FOLDER).is_dir():
        MultiProcessCollector(found, path=settings.METRICS_FOLDER)
    found.register(Collector(clock))
    return found


def service_status(now: datetime) -> ServiceStatus:
    """The status of all companies together, in as many statements however many there are."""
    ends = capture_ends()
    waits = [each for company, each in backlogs().items() if company in ends]
    signed = {each.organization_id: each.capture_sequence for each in signed_captures()}
    unsigned = {each: end for each, end in ends.items() if end.capture_sequence > signed.get(each, 0)}
    waiting = captured_at({each: signed.get(each, 0) + 1 for each in unsigned})
    verified = [each for company, each in company_status.verified().items() if company in ends]
    letters = outbox(now - _LATELY)
    ending = {"revoked_at": None, "expires_at__lte": now + WARN_BEFORE}
    webhooks = figures()
    return ServiceStatus(
        companies=len(ends),
        unavailable=sum(not end.available for end in ends.values()),
        pending=sum(each.pending for each in waits),
        failing=sum(each.failing for each in waits),
        set_aside=sum(each.set_aside for each in waits),
        oldest_pending_seconds=_longest((each.untried_since for each in waits), now),
        overdue_sweep_seconds=_longest((end.next_change_at for end in ends.values()), now),
        verification_age_seconds=_longest((each.at for each in verified), now),
        verifications_failed=sum(not each.well for each in verified),
        log_entries=log_size(),
        unsigned_captures=sum(end.capture_sequence - signed.get(each, 0) for each, end in unsigned.items()),
        unsigned_capture_age_seconds=_longest(
            (waiting.get(each, end.captured_at) for each, end in unsigned.items()), now
        ),
        quorum_missing_seconds=_longest([quorum_missing_since()], now),
        keys_ending=ApiKey.objects.filter(**ending).count(),
        sources_ending=Source.objects.filter(**ending).count(),
        reminders_unsettled=company_status.reminders_unsettled(),
        letters_waiting=letters.waiting,
        letters_waiting_seconds=_longest([letters.waiting_since], now),
        letters_given_up=letters.failed,
        webhooks_waiting=webhooks.waiting,
        webhooks_waiting_seconds=_longest([webhooks.waiting_since], now),
        webhooks_failing=webhooks.failing,
        webhooks_paused=webhooks.paused,
        protection_differences=len(differences()),
    )


def _longest(moments: Iterable[datetime | None], now: datetime) -> float:
    """Seconds since the earliest of the moments; 0 when there is none, or all lie ahead."""
    earliest = min((each for each in moments if each is not None), default=now)
    return max((now - earliest).total_seconds(), 0.0)


_WORDS = {
    "companies": "Companies with a history.",
    "unavailable": "Companies closed to readers, whose captures are not signed either.",
    "pending": "Subjects that the writer has yet to decide.",
    "failing": "Subjects that could not be decided and are tried again.",
    "set_aside": "Subjects set aside after failing again and again.",
    "oldest_pending_seconds": "How long the oldest subject that was never tried has waited (capture lag).",
    "overdue_sweep_seconds": "How long the oldest change by the clock has been waiting for the sweep.",
    "verification_age_seconds": "Age of the oldest last verification of a company.",
    "verifications_failed": "Companies whose last verification failed.",
    "log_entries": "Entries of the log under its newest checkpoint.",
    "unsigned_captures": "Captures that are not in the log yet.",
    "unsigned_capture_age_seconds": "How long the oldest capture that is not in the log has waited for it.",
    "quorum_missing_seconds": "How long what was signed has lacked the cosignatures of LOG_QUORUM witnesses.",
    "keys_ending": "API keys that end within two weeks.",
    "sources_ending": "Sources whose token ends within two weeks.",
    "reminders_unsettled": "Reminders refused by the mail server or left unknown by a crash.",
    "letters_waiting": "Letters to learners that wait to be sent or tried again.",
    "letters_waiting_seconds": "How long the oldest letter that waits has waited.",
    "letters_given_up": "Letters to learners that were given up within a day.",
    "webhooks_waiting": "Events that webhooks have yet to send; those of paused ones do not count.",
    "webhooks_waiting_seconds": "How long the oldest of these events has waited.",
    "webhooks_failing": "Webhooks whose next event failed and is tried again.",
    "webhooks_paused": "Webhooks that were given up after 72 hours, or whose receiver wants no more.",
    "protection_differences": "Policies, triggers, privileges, functions and tables that are not as the code expects.",
}


def _database(now: datetime) -> list[Metric]:
    up = GaugeMetricFamily("svc_database_up", "Whether the database answers.")
    answers = CounterMetricFamily(
        "svc_witness_answers", "What witnesses answered to the signer.", labels=["witness", "outcome"]
    )
    try:
        values = service_status(now)
        for name, outcome, times in witness_answers():
            answers.add_metric([name, outcome], times)
        servers = [*_standbys(), *_nodes()]
    except Error:
        up.add_metric([], 0)
        return [up]
    finally:
        connection.close()  # each answer has a thread of its own, and with it a connection
    up.add_metric([], 1)
    found: list[Metric] = [up, answers, *servers]
    for name, value in values._asdict().items():
        gauge = GaugeMetricFamily(f"svc_{name}", _WORDS[name])
        gauge.add_metric([], value)
        found.append(gauge)
    return found


def _standbys() -> list[Metric]:
    """Metrics of the standbys of READ_DATABASE_URLS; empty where there are none."""
    states = standbys.states()
    if not states:
        return []
    well = GaugeMetricFamily("svc_standby_ok", "Whether a standby follows well enough to answer.", labels=["standby"])
    lag = GaugeMetricFamily("svc_standby_lag_bytes", "What a standby has yet to replay.", labels=["standby"])
    age = GaugeMetricFamily(
        "svc_standby_lag_seconds", "Age of the last transaction that a standby behind has replayed.", labels=["standby"]
    )
    for each in states:
        well.add_metric([each.standby], each.state == "ok")
        if each.lag_bytes is not None and each.lag_seconds is not None:
            lag.add_metric([each.standby], each.lag_bytes)
            age.add_metric([each.standby], each.lag_seconds)
    return [well, lag, age]


def _nodes() -> list[Metric]:
    """Metrics of the nodes of a cluster; empty where there is none."""
    states = shards.states()
    if not states:
        return []
    up = GaugeMetricFamily("svc_node_up", "Whether a node of the cluster answers.", labels=["node"])
    held = GaugeMetricFamily("svc_node_companies", "Companies whose rows are on a node.", labels=["node"])
    for each in states:
        up.add_metric([each.node], each.answers)
        held.add_metric([each.node], each.companies)
    return [up, held]


def _redis() -> list[Metric]:
    up = GaugeMetricFamily("svc_redis_up", "Whether Redis answers.")
    length = GaugeMetricFamily("svc_queue_length", "Tasks that wait for a worker.", labels=["queue"])
    try:
        for queue in QUEUES:
            length.add_metric([queue], float(client().llen(queue)))
    except redis.RedisError:
        up.add_metric([], 0)
        return [up]
    up.add_metric([], 1)
    return [up, length]
