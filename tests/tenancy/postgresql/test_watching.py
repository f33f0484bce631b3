"""A server whose processes hang is detected, given up soon, and used again once it goes on."""

import contextlib
import signal
import threading
import time
from pathlib import Path

import psutil
import psycopg
import pytest
from django.db import Error, connections

from compliance.tenancy import lost
from config.databases import database
from development.embedded import binaries, ports, postgresql

PATIENCE = 2
ALIAS = "frozen"
REPLICATED = {"wal_level": "replica", "max_wal_senders": "2"}


class Frozen:
    """A PostgreSQL server of its own, which can be frozen as by a debugger or a dying disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._passwords = postgresql.new_passwords()
        self.port = postgresql.start(
            folder, ports.free_port(), self._passwords, binaries.postgresql_tree(18), False, REPLICATED
        )

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to every process of the server."""
        postmaster = psutil.Process(
            int((postgresql.data_folder(self._folder) / "postmaster.pid").read_text().split("\n", 1)[0])
        )
        for process in [postmaster, *postmaster.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                process.send_signal(number)

    def end(self) -> None:
        self.signal(signal.SIGCONT)
        postgresql.stop(self._folder)

    @property
    def superuser(self) -> str:
        return postgresql.url(self.port, postgresql.SUPERUSER, self._passwords[postgresql.SUPERUSER])


@pytest.fixture
def frozen(tmp_path_factory, django_db_blocker):
    """The server, and a connection of Django's to it that has been used already."""
    server = Frozen(tmp_path_factory.mktemp("frozen"))
    connections.databases[ALIAS] = connections["default"].settings_dict | database(
        server.superuser, 600, patience_seconds=PATIENCE
    )
    try:
        with django_db_blocker.unblock():
            asked("SELECT 1")
            yield server
    finally:
        server.signal(signal.SIGCONT)
        connections[ALIAS].close()
        del connections[ALIAS], connections.databases[ALIAS]
        server.end()


def asked(statement):
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


def answers():
    """Whether the server is used again; until then every error says that it is away."""
    try:
        return asked("SELECT 1") == (1,)
    except Error as error:
        if not lost.is_lost(error):
            raise
    return False


def given_up(statement):
    """How long it took until a statement was given up because its server is away."""
    started = time.monotonic()
    with pytest.raises(Error) as raised:
        asked(statement)
    assert lost.is_lost(raised.value)
    return time.monotonic() - started


def test_a_frozen_server_is_given_up_within_the_patience_and_used_again_once_it_goes_on(frozen):
    frozen.signal(signal.SIGSTOP)
    assert given_up("SELECT 1") < PATIENCE + 1
    connections[ALIAS].close()
    assert given_up("SELECT 1") < 0.5  # it is known by now
    frozen.signal(signal.SIGCONT)
    connections[ALIAS].close()
    deadline = time.monotonic() + 3 * PATIENCE
    while not answers():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_statement_that_takes_long_at_a_server_that_answers_is_waited_for(frozen):
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SELECT pg_sleep(%s)", [PATIENCE * 0.8])


def test_a_commit_that_waits_for_a_standby_that_is_gone_is_given_up_a_little_after_a_statement_would_be(frozen):
    """The server's own limit, 0.6 seconds here, does not apply to it: the server would wait for ever."""
    with psycopg.connect(frozen.superuser, autocommit=True) as administration:
        administration.execute("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
        administration.execute("SELECT pg_reload_conf()")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SET synchronous_commit = on")  # as PostgreSQL's default is
        cursor.execute("SELECT pg_sleep(0.2)")  # the settings of the server are read between statements
    assert PATIENCE < given_up("CREATE TABLE noted ()") < PATIENCE + 2
    connections[ALIAS].close()
    assert asked("SELECT 1") == (1,)  # reads go on
    assert [each.name for each in threading.enumerate()].count("watches connections") <= 1
