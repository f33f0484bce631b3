"""Limits: exact among parallel clients, nothing consumed by a refusal, leases that end, and no need of Redis."""

import re
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from django.conf import settings
from django.test import override_settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from compliance import redis_client
from compliance.access.models import ApiKey
from compliance.access.sources import SourceCaller, issue_source
from compliance.access.tokens import digest
from compliance.interfaces.api.exchange import Exchange
from compliance.interfaces.api.limits import (
    LEASE_SECONDS,
    WINDOW_SECONDS,
    AtOnce,
    Limiter,
    Policy,
    ProcessCounter,
    RedisCounter,
    limiter,
)
from compliance.interfaces.api.problems import Code, Problem
from compliance.redis_client import client, connection_of_this_thread
from tests.interfaces.api.conftest import Caller


class Clock:
    """A clock that moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _policies(key=60, company=90):
    return Policy("key", uuid.uuid4().hex, key), Policy("company", uuid.uuid4().hex, company)


def _shared():
    return RedisCounter(redis.Redis.from_url(settings.REDIS_URL), prefix=f"svc:test:{uuid.uuid4().hex}")


@pytest.fixture(params=["redis", "process"])
def counter(request):
    return _shared() if request.param == "redis" else ProcessCounter(clock=Clock())


def test_eight_parallel_clients_get_exactly_the_quota_and_each_remaining_count_once(counter):
    first_key, company = _policies()
    second_key = Policy("key", uuid.uuid4().hex, 60)

    def client(number):
        key = first_key if number % 2 == 0 else second_key
        return [(key, counter.acquire((key, company), ())) for _ in range(40)]

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for found in pool.map(client, range(8)) for answer in found]
    passed = [(key, verdict) for key, verdict in answers if verdict.refused_by is None]
    assert len(passed) == 90
    assert sorted(verdict.quotas[1].remaining for _, verdict in passed) == list(range(90))
    for key in (first_key, second_key):
        remaining = sorted(verdict.quotas[0].remaining for mine, verdict in passed if mine is key)
        assert remaining == list(range(60 - len(remaining), 60))
    assert all(1 <= verdict.retry_after <= WINDOW_SECONDS for _, verdict in answers if verdict.refused_by)


def test_a_key_s_quota_refuses_at_its_number_and_the_company_s_is_not_consumed(counter):
    key, company = _policies(key=3)
    other = Policy("key", uuid.uuid4().hex, 60)
    verdicts = [counter.acquire((key, company), ()) for _ in range(10)]
    assert [verdict.refused_by for verdict in verdicts] == [None] * 3 + ["rate"] * 7
    assert counter.acquire((other, company), ()).quotas[1].remaining == 90 - 4


def test_leases_bound_what_runs_at_once_and_a_refusal_consumes_nothing(counter):
    policies = _policies()
    subject = policies[0].subject
    held = [counter.acquire(policies, (AtOnce(subject, 2),)) for _ in range(2)]
    refused = counter.acquire(policies, (AtOnce(subject, 2),))
    assert (refused.refused_by, refused.retry_after, refused.lease) == ("concurrency", 1, None)
    counter.release(held[0].lease)
    assert counter.acquire(policies, (AtOnce(subject, 2),)).quotas[0].remaining == 57


def test_the_keys_of_a_company_share_its_bound_and_a_refusal_takes_no_lease_of_either(counter):
    company = uuid.uuid4().hex
    first, second = (AtOnce(uuid.uuid4().hex, 2) for _ in range(2))
    whole = AtOnce(company, 3)
    held = [counter.acquire(_policies(), (bound, whole)) for bound in (first, first, second)]
    assert [verdict.refused_by for verdict in held] == [None] * 3
    assert counter.acquire(_policies(), (second, whole)).refused_by == "concurrency"
    assert counter.acquire(_policies(), (second, AtOnce(uuid.uuid4().hex, 3))).refused_by is None
    counter.release(held[0].lease)
    assert counter.acquire(_policies(), (AtOnce(uuid.uuid4().hex, 1), whole)).refused_by is None
    assert counter.acquire(_policies(), (AtOnce(uuid.uuid4().hex, 1), whole)).refused_by == "concurrency"


def test_a_window_lasts_a_minute_from_its_first_call():
    clock = Clock()
    counter = ProcessCounter(clock=clock)
    policies = _policies(key=1)
    assert counter.acquire(policies, ()).quotas[0].seconds == WINDOW_SECONDS
    clock.now += 59.5
    refused = counter.acquire(policies, ())
    assert (refused.refused_by, refused.retry_after) == ("rate", 1)
    clock.now += 0.5
    assert counter.acquire(policies, ()).refused_by is None


def test_the_lease_of_a_process_that_died_ends_by_itself():
    clock = Clock()
    counter = ProcessCounter(clock=clock)
    policies = _policies()
    assert counter.acquire(policies, (AtOnce("key", 1),)).lease is not None
    assert counter.acquire(policies, (AtOnce("key", 1),)).refused_by == "concurrency"
    clock.now += LEASE_SECONDS
    assert counter.acquire(policies, (AtOnce("key", 1),)).refused_by is None


def test_the_lease_of_a_process_that_died_ends_in_redis_too():
    client = redis.Redis.from_url(settings.REDIS_URL)
    prefix = f"svc:test:{uuid.uuid4().hex}"
    counter = RedisCounter(client, prefix)
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).lease is not None
    name = f"{prefix}:leases:key"
    assert 0 < client.pttl(name) <= LEASE_SECONDS * 1000
    leases: Any = client.zrange(name, 0, -1, withscores=True)
    for member, ends in leases:
        client.zadd(name, {member: ends - LEASE_SECONDS * 1000})
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).refused_by is None


def id_of_own_connection():
    connection = connection_of_this_thread()
    connection.send_command("CLIENT", "ID")
    return connection.read_response()


@pytest.mark.parametrize(
    ("used", "more"), [(lambda: client().client_id(), {}), (id_of_own_connection, {"run": redis_client.run})]
)
def test_a_connection_that_went_stale_is_replaced(used, more):
    administration = redis.Redis.from_url(settings.REDIS_URL)
    counter = RedisCounter(client(), f"svc:test:{uuid.uuid4().hex}", **more)
    lease = counter.acquire(_policies(), (AtOnce("key", 1),)).lease
    administration.client_kill_filter(_id=str(used()))
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).refused_by == "concurrency"
    administration.client_kill_filter(_id=str(used()))
    counter.release(lease)
    administration.client_kill_filter(_id=str(used()))
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).refused_by is None


@pytest.mark.parametrize("more", [{}, {"run": redis_client.run}])
def test_a_redis_that_has_forgotten_the_scripts_gets_them_again(more):
    administration = redis.Redis.from_url(settings.REDIS_URL)
    counter = RedisCounter(client(), f"svc:test:{uuid.uuid4().hex}", **more)
    administration.script_flush()
    lease = counter.acquire(_policies(), (AtOnce("key", 1),)).lease
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).refused_by == "concurrency"
    administration.script_flush()
    counter.release(lease)
    assert counter.acquire(_policies(), (AtOnce("key", 1),)).refused_by is None


def test_each_thread_has_a_connection_of_its_own_and_keeps_it():
    with ThreadPoolExecutor(2) as threads:
        barrier = threading.Barrier(2)

        def asked():
            barrier.wait()
            return id_of_own_connection(), id_of_own_connection()

        (one, again), (other, _) = [each.result() for each in [threads.submit(asked) for _ in range(2)]]
    assert one == again
    assert one != other
    administration, deadline = redis.Redis.from_url(settings.REDIS_URL), time.monotonic() + 10
    while {one, other} & {int(each["id"]) for each in administration.client_list()}:
        assert time.monotonic() < deadline, "they do not end with their threads"
        time.sleep(0.01)


def test_without_redis_the_process_counts_by_itself_and_comes_back_to_redis_later():
    clock = Clock()
    away = RedisCounter(redis.Redis(port=1, retry=Retry(NoBackoff(), 0)))
    limiter = Limiter(away, clock=clock)
    policies = _policies(key=2)
    verdicts = [limiter.acquire(policies, (AtOnce("key", 8),)) for _ in range(3)]
    assert [verdict.refused_by for verdict in verdicts] == [None, None, "rate"]
    for verdict in verdicts[:2]:
        limiter.release(verdict.lease)
    limiter._shared = _shared()
    clock.now += 10
    assert limiter.acquire(policies, ()).quotas[0].remaining == 1


@pytest.mark.django_db
@override_settings(RATE_LIMIT_KEY_PER_MINUTE=3, RATE_LIMIT_COMPANY_PER_MINUTE=4)
def test_calls_beyond_the_quota_learn_how_long_to_wait(stored, key_of):
    one, other = Caller(key_of(stored)), Caller(key_of(stored))
    answers = [one("/v1/snapshot") for _ in range(4)] + [other("/v1/snapshot") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 200, 429]
    assert answers[3].json()["code"] == "rate_limited"
    assert re.fullmatch(r'"key";r=0;t=\d+, "company";r=1;t=\d+', answers[3]["RateLimit"])
    assert re.fullmatch(r'"key";r=2;t=\d+, "company";r=0;t=\d+', answers[5]["RateLimit"])
    assert answers[5]["RateLimit-Policy"] == '"key";q=3;w=60, "company";q=4;w=60'
    assert 1 <= int(answers[3]["Retry-After"]) <= 60


@pytest.mark.django_db
@override_settings(RATE_LIMIT_KEY_PER_MINUTE=1, RATE_LIMIT_COMPANY_PER_MINUTE=1, RATE_LIMIT_SOURCE_PER_MINUTE=2)
def test_what_sources_send_is_counted_apart_from_what_keys_read(stored, key_of, now):
    _, source = issue_source(
        organization_id=stored.organization_id, name="HR", kinds=["scim"], environment="test", at=now, actor="a test"
    )
    caller = SourceCaller(source.source_id, source.organization_id, "HR", frozenset(), (), "left", now, None)
    assert Caller(key_of(stored))("/v1/snapshot").status_code == 200
    sent = [Exchange(None), Exchange(None)]
    for each in sent:
        each.count_for_caller(caller)
        each.end()
    with pytest.raises(Problem) as refusal:
        Exchange(None).count_for_caller(caller)
    assert refusal.value.code is Code.RATE_LIMITED
    assert sent[1].verdict is not None
    assert sent[1].verdict.headers()["RateLimit-Policy"] == '"source";q=2;w=60'


@pytest.mark.django_db
@override_settings(RATE_LIMIT_ADDRESS_PER_MINUTE=2)
def test_without_a_valid_key_the_address_is_counted_and_refuses_first(stored, key_of):
    stranger, friend = Caller(None), Caller(key_of(stored))
    friend.address = stranger.address
    answers = [stranger("/v1/snapshot"), stranger("/v1/none"), stranger("/v1/snapshot"), stranger("/v1/none")]
    assert [answer.status_code for answer in answers] == [401, 404, 429, 429]
    assert re.fullmatch(r'"address";r=0;t=\d+', answers[2]["RateLimit"])
    assert friend("/v1/snapshot").status_code == 200  # a valid key is not limited by the calls of strangers
    in_url = stranger(f"/v1/snapshot?x={friend.token}")
    assert (in_url.status_code, in_url.json()["code"]) == (400, "key_in_url")


@pytest.mark.django_db
@override_settings(CONCURRENT_LIMIT=1)
def test_a_request_gives_its_lease_back_however_it_ends(stored, call):
    for target in ("/v1/snapshot", "/v1/training-records?limit=0", "/v1/training-records?as_at=2020-01-01"):
        assert call(target).status_code in (200, 400, 422)
    shared = limiter()._shared
    for subject in (_key_id(call), str(stored.organization_id)):
        assert client().zcard(shared._leases(subject)) == 0


def _key_id(call):
    return str(ApiKey.objects.get(digest=digest(call.token)).key_id)
