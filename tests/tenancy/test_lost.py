"""Errors of a database that is away are recognized by PostgreSQL's messages; each error really happens."""

import pytest
from django.db import Error, IntegrityError, connection

from compliance.tenancy import lost


@pytest.fixture
def cursor(committed):
    """A cursor outside of any transaction, and a whole connection afterwards."""
    with connection.cursor() as made:
        yield made
    connection.close()


def error_of(cursor, *statements):
    """The error of the last of these statements."""
    *before, last = statements
    for statement in before:
        cursor.execute(statement)
    with pytest.raises(Error) as raised:
        cursor.execute(last)
    return raised.value


@pytest.mark.parametrize(
    "statements",
    [
        ["SELECT pg_terminate_backend(pg_backend_pid())"],
        ["SET default_transaction_read_only = on", "UPDATE django_session SET expire_date = now()"],
    ],
    ids=["ended by the server", "a standby by now"],
)
def test_a_server_that_went_away_is_known(cursor, statements):
    assert lost.is_lost(error_of(cursor, *statements))


@pytest.mark.parametrize(
    ("message", "stays"),
    [
        ("terminating connection due to unexpected postmaster exit", True),
        ("failure on connection marked as essential: node:1", True),
        ("postmaster was shut down, exiting", False),
    ],
    ids=["a node's server was killed", "a node is gone", "the coordinator was killed"],
)
def test_messages_of_citus_without_a_reason_of_their_own_are_recognized_by_their_words(cursor, message, stays):
    """Without an SQLSTATE and without the node's name. The connection to a working coordinator is kept."""
    cursor.execute("SELECT pg_backend_pid()")
    before = cursor.fetchone()
    error = error_of(cursor, f"DO $$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'XX000'; END $$")
    assert lost.is_lost(error)
    lost.let_go(error)
    with connection.cursor() as after:
        after.execute("SELECT pg_backend_pid()")
        assert (after.fetchone() == before) is stays


def test_what_is_wrong_with_a_statement_is_not_taken_for_a_server_that_is_away(cursor):
    assert not lost.is_lost(error_of(cursor, "SELECT 1 / 0"))
    assert not lost.is_lost(error_of(cursor, "SELECT nothing"))
    unknown = "DO $$ BEGIN RAISE EXCEPTION 'cache lookup failed' USING ERRCODE = 'XX000'; END $$"
    assert not lost.is_lost(error_of(cursor, unknown))
    assert not lost.is_lost(error_of(cursor, "SET statement_timeout = 1", "SELECT pg_sleep(1)"))
    assert not lost.is_lost(IntegrityError())
    assert not lost.is_lost(None)
    assert not lost.is_lost(ValueError())


def test_a_port_that_nobody_serves_is_a_server_that_is_away(committed, monkeypatch):
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "PORT", "1")
        with pytest.raises(Error) as raised:
            connection.ensure_connection()
    assert lost.is_lost(raised.value)


def test_a_connection_of_a_server_that_has_become_a_standby_is_let_go(cursor):
    assert lost.is_lost(error_of(cursor, "SET default_transaction_read_only = on", "DELETE FROM django_session"))
    lost.let_go(None)
    with connection.cursor() as anew:
        anew.execute("DELETE FROM django_session WHERE session_key = 'none'")
