"""Small posts stay cheap, and what cannot be recorded soon is refused for now instead of holding a thread."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from compliance.access.models import Source
from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.ingest import pressure, views
from compliance.tenancy import context, sql
from tests.companies import make_present_company
from tests.facts.files import joined, team
from tests.interfaces.ingest.test_views import answered, known_facts, refused


@pytest.mark.django_db
def test_the_number_of_statements_is_small_and_does_not_grow_with_the_lines(post):
    answered(post([team("first")]), 1)
    with CaptureQueriesContext(connection) as one:
        answered(post([joined("anna")]), 1)
    with CaptureQueriesContext(connection) as many:
        answered(post([joined(f"person-{number}") for number in range(300)]), 300)
    assert len(one) <= 22, [query["sql"] for query in one]
    assert len(many) <= len(one) + 1


def test_a_post_waits_briefly_for_another_import_of_its_company_and_then_is_told_to_come_back(
    committed, sender_of, monkeypatch
):
    monkeypatch.setattr(pressure, "PATIENCE", timedelta(seconds=0.3))
    organization_id, other = (make_present_company().organization_id for _ in range(2))
    try:
        post, elsewhere = sender_of(organization_id), sender_of(other)
        with ThreadPoolExecutor(1) as pool, context.company(organization_id):  # a long file is being imported
            sql.fetch("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"import {organization_id}",))
            answer = pool.submit(_in_thread, post, [team("blue")]).result()
            refused(answer, 429, "recording_busy")
            assert int(answer["Retry-After"]) == pressure.RETRY_AFTER_SECONDS
            answered(pool.submit(_in_thread, elsewhere, [team("blue")]).result(), 1)
        assert not known_facts(organization_id)
        answered(post([team("blue")]), 1)
    finally:
        Source.objects.filter(organization_id__in=[organization_id, other]).delete()


def _in_thread(post, facts):
    try:
        return post(facts)
    finally:
        connection.close()


def test_few_large_bodies_are_held_at_once_and_small_ones_go_past_them(monkeypatch):
    monkeypatch.setattr(pressure, "PATIENCE", timedelta(seconds=0.05))
    held = [pressure.room_for(pressure.LARGE_BYTES + 1) for _ in range(pressure.LARGE_AT_ONCE)]
    for room in held:
        room.__enter__()
    with pressure.room_for(pressure.LARGE_BYTES):
        pass
    with pytest.raises(Problem) as raised, pressure.room_for(pressure.LARGE_BYTES + 1):
        pass
    assert raised.value.code is Code.RECORDING_BUSY
    for room in held:
        room.__exit__(None, None, None)
    with pressure.room_for(pressure.LARGE_BYTES + 1):
        pass


@pytest.mark.django_db
def test_what_nobody_foresaw_is_500_and_a_database_that_fails_503_and_neither_records(
    post, organization_id, monkeypatch
):
    for error, status, code in (
        (ValueError(str(uuid.uuid4())), 500, "recording_failed"),
        (OperationalError("gone"), 503, "not_recorded"),
    ):

        def fail(*_: object, raised: Exception = error, **__: object) -> None:
            raise raised

        monkeypatch.setattr(views, "import_lines", fail)
        problem = refused(post([team("blue")]), status, code)
        assert str(error) not in str(problem)
    assert not known_facts(organization_id)
