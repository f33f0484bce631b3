"""Real failures of the database during a read: each has its code, and the next call works."""

import threading
import uuid

import psycopg
import pytest
from django.db import connection, connections
from django.test import override_settings

from compliance.access.actions import issue_key
from tests.interfaces.api.conftest import ALL, Caller
from tests.registers.stored import StoredCompany

LOCKED = "people_profile"


@pytest.fixture
def committed_call(committed, now):
    """A caller of a company whose rows are committed, so that other connections see them."""
    stored = StoredCompany(now)
    learner = uuid.uuid4()
    stored.training(learner, now)
    token, _ = issue_key(organization_id=stored.organization_id, scopes=ALL, environment="test", at=now, actor="a test")
    return Caller(token)


@pytest.fixture
def lock():
    """A connection of the owner that holds a table which every page of training records reads."""
    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=connections["default"].settings_dict["NAME"],
    ) as owner:  # fmt: skip
        owner.execute(f"LOCK TABLE {LOCKED} IN ACCESS EXCLUSIVE MODE")
        yield owner
        owner.rollback()


def _pid():
    connection.ensure_connection()
    return connection.connection.info.backend_pid


def _app():
    values = connections["default"].settings_dict
    return psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    )  # fmt: skip


def _terminate_when_waiting(pid):
    """Ends the backend once it waits for a lock, which is in the middle of a read."""
    with _app() as app:
        while not app.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'", [pid]
        ).fetchone():
            pass


def test_a_read_that_takes_too_long_is_a_read_timeout(committed_call, lock):
    with override_settings(READ_TIMEOUT_MILLISECONDS=50):
        answer = committed_call("/v1/training-records")
    assert (answer.status_code, answer.json()["code"]) == (504, "read_timeout")
    lock.rollback()
    assert committed_call("/v1/training-records").json()["total"] == 1


def test_a_connection_that_is_lost_in_the_middle_of_a_read_is_upstream_unavailable_and_the_next_call_works(
    committed_call, lock
):
    assert committed_call("/v1/snapshot").status_code == 200
    killer = threading.Thread(target=_terminate_when_waiting, args=[_pid()])
    killer.start()
    answer = committed_call("/v1/training-records")
    killer.join()
    assert (answer.status_code, answer.json()["code"]) == (503, "upstream_unavailable")
    assert (answer["Content-Type"], answer["Retry-After"]) == ("application/problem+json", "5")
    lock.rollback()
    assert committed_call("/v1/training-records").json()["total"] == 1


def test_a_connection_that_went_stale_between_two_calls_is_replaced_unnoticed(committed_call):
    assert committed_call("/v1/snapshot").status_code == 200
    with _app() as app:
        app.execute("SELECT pg_terminate_backend(%s::int, 5000)", [_pid()])
    assert committed_call("/v1/training-records").json()["total"] == 1


def test_a_database_that_cannot_be_reached_is_upstream_unavailable(committed_call, monkeypatch):
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "PORT", "1")
        answer = committed_call("/v1/training-records")
        ready = committed_call("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "upstream_unavailable")
    assert answer["RateLimit"].startswith('"address"')
    assert answer["Retry-After"] == "5"
    assert (ready.status_code, ready.json()["checks"]["database"]) == (503, "unreachable")
    connection.close()
    assert committed_call("/v1/training-records").status_code == 200


def test_an_unforeseen_error_is_answered_as_a_problem_and_logged_without_its_message(committed_call, caplog):
    with override_settings(CURSOR_KEYS=[]):  # no key seals a cursor: an operator's mistake
        answer = committed_call("/v1/training-records?cursor=AQID")
        assert answer.status_code == 400
    with override_settings(READ_TIMEOUT_MILLISECONDS="secret words"):
        answer = committed_call("/v1/training-records")
    assert (answer.status_code, answer["Content-Type"]) == (502, "application/problem+json")
    assert answer.json()["code"] == "read_failed"
    assert answer.json()["request_id"] in str([vars(record) for record in caplog.records])
    assert "secret words" not in caplog.text
    with override_settings(READ_TIMEOUT_MILLISECONDS=10**12):  # more than PostgreSQL takes
        assert committed_call("/v1/training-records").status_code == 502
    states = [record.__dict__["sqlstate"] for record in caplog.records if record.msg == "api_failure"]
    assert states == [None, "22023"]
