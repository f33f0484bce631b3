"""The history's background tasks: each may run twice, none fails for a company that does not exist, and one company's
tasks leave the workers to others without losing a fact.
"""

import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from kombu.simple import SimpleQueue

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.ledger import queries as ledger
from compliance.facts.ledger import sealing
from compliance.facts.lines.kinds import Certificate
from compliance.history import actions, subjects, tasks
from compliance.history.models import HistoryHead
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from config.celery import app
from tests.companies import day, make_company, make_present_company
from tests.history.reading import captures, rows
from tests.registers.recording_elsewhere import until_somebody_waits

TRAINING = TRAINING_RECORDS.number


def in_company(company):
    company.share(company.course())
    company.join("Anna")
    return company


@pytest.fixture
def waiting(db):
    return in_company(make_company())


@pytest.fixture
def sent(committed):
    """The tasks that were sent."""
    with app.connection_for_read() as broker, broker.SimpleQueue("celery") as queue:
        queue.clear()
        yield queue


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def elsewhere(threads: ThreadPoolExecutor, do: Callable[..., None], *arguments: object) -> "Future[None]":
    """Does something in another thread, on a connection of its own."""

    def run() -> None:
        try:
            do(*arguments)
        finally:
            connection.close()

    return threads.submit(run)


def take(queue: SimpleQueue) -> list[str]:
    """The arguments of the capture tasks that wait, which are taken out of the queue."""
    found = []
    while queue.qsize():
        message = queue.get(timeout=1)
        message.ack()
        assert message.headers["task"] == tasks.capture.name
        found.append(message.payload[0][0])
    return found


def test_a_capture_task_captures_once_however_often_it_comes(waiting):
    for _ in range(3):
        tasks.capture(str(waiting.organization_id))
    assert len(rows(waiting.organization_id, TRAINING)) == 1
    assert len(captures(waiting.organization_id)) == 2


@pytest.mark.django_db
def test_a_company_that_is_gone_fails_no_task():
    nobody = str(uuid.uuid4())
    tasks.capture(nobody)
    tasks.sweep_company(nobody)


def test_a_company_that_is_being_captured_occupies_no_second_worker(sent, threads):
    company = in_company(make_company()).organization_id
    with context.company(company):
        HistoryHead.objects.select_for_update().get(organization_id=company)  # as another capture would
        first = elsewhere(threads, tasks.capture, str(company))
        until_somebody_waits()
        for task in (tasks.capture, tasks.sweep_company):
            elsewhere(threads, task, str(company)).result(60)
        assert not first.done()
    first.result(60)
    assert len(rows(company, TRAINING)) == 1


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(milliseconds=1)], ids=["at once", "ahead of time"])
def test_a_fact_whose_task_came_during_a_capture_is_captured_by_a_task_after_it(sent, threads, ahead):
    """The moment of one ahead of time comes after the capture has begun, and its task then."""
    company = make_present_company()
    course, anna = company.course(), company.join("Anna")
    company.share(course)
    argument = str(company.organization_id)

    def record_another() -> None:
        recorded_at = datetime.now(UTC)
        replace(company, now=recorded_at).complete(anna, course, recorded_at + ahead)
        tasks.capture(argument)

    def at_the_end(execute, sql, *rest):
        if "pg_advisory_unlock" in sql:
            take(sent)
            elsewhere(threads, record_another).result(60)
            assert take(sent) == [argument]  # of the fact: the one that has come and gone
        return execute(sql, *rest)

    with connection.execute_wrapper(at_the_end):
        tasks.capture(argument)
    assert len(rows(company.organization_id, TRAINING)) == 1
    assert take(sent) == [argument]
    tasks.capture(argument)
    assert len(rows(company.organization_id, TRAINING)) == 2
    assert take(sent) == []


def test_a_backlog_is_captured_in_turn_with_other_companies(sent, monkeypatch):
    monkeypatch.setattr(subjects, "NARROW_LIMIT", 2)
    company = make_company()
    organization_id = company.organization_id
    for number in range(6):
        company.join(f"Person {number}")
    take(sent)
    tasks.sweep_company(str(organization_id))
    assert len(captures(organization_id)) == 1 + tasks.CAPTURES_AT_ONCE
    again = 0
    while take(sent):  # behind what others have sent meanwhile
        again += 1
        tasks.capture(str(organization_id))
    assert 0 < again < 10
    with context.company(organization_id):
        assert ledger.waiting(organization_id).waiting == 0
        assert not sealing.any_wait(organization_id)


def test_a_backlog_of_lines_is_sealed_in_turn_with_other_companies(sent, monkeypatch):
    monkeypatch.setattr(sealing, "SEALED_AT_ONCE", 2)
    company = make_company()
    organization_id = company.organization_id
    for number in range(20):
        company.join(f"Person {number}")
    take(sent)
    tasks.capture(str(organization_id))
    with context.company(organization_id):
        assert ledger.waiting(organization_id).waiting == 0
        assert sealing.any_wait(organization_id)
    turns = 0
    while take(sent):
        turns += 1
        tasks.capture(str(organization_id))
    assert turns > 1
    with context.company(organization_id):
        assert not sealing.any_wait(organization_id)
    assert sealing.verify_ledger(organization_id).fault == ""


@pytest.mark.django_db
def test_a_capture_task_captures_what_the_clock_has_changed_too():
    """The sweep's own task may find the turn taken at every tick, while facts keep coming."""
    company = replace(make_company(), now=day(200))
    course = company.course(
        certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12, renew_days_before=30)
    )
    company.share(course, due_at=day(30))
    company.complete(company.join("Anna"), course, day(1))
    actions.capture_all(company.organization_id, day(200))
    tasks.capture(str(company.organization_id))
    assert [row.cause for row in rows(company.organization_id, TRAINING)][-1] == "sweep"
