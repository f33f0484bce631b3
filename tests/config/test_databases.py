"""Addresses of databases: one server or several, and nothing that would be ignored."""

import socket
import time

import psycopg
import pytest
from django.db import connections

from config.databases import database
from development.embedded import ports


def test_one_server_is_written_as_ever():
    made = database("postgresql://app:p%40ss@[::1]:5433/compliance")
    assert (made["HOST"], made["PORT"], made["NAME"]) == ("::1", "5433", "compliance")
    assert (made["USER"], made["PASSWORD"]) == ("app", "p@ss")
    assert "target_session_attrs" not in made["OPTIONS"]
    assert (database("postgresql://app@one/compliance")["PORT"]) == ""


def test_of_several_servers_the_one_that_takes_writes_is_wanted():
    made = database("postgresql://app:secret@one.example:5433,two.example/compliance?sslmode=verify-full")
    assert (made["HOST"], made["PORT"]) == ("one.example,two.example", "5433,5432")
    assert made["OPTIONS"]["target_session_attrs"] == "read-write"
    assert made["OPTIONS"]["sslmode"] == "verify-full"


@pytest.mark.parametrize(
    "address",
    [
        "mysql://app@one/compliance",
        "postgresql://app@one",
        "postgresql://app@one:5432,/compliance",
        "postgresql://app@one:high,two/compliance",
        "postgresql://app@one,one:5432/compliance",
        "postgresql://app@one/compliance?sslmod=verify-full",
        "postgresql://app@one/compliance?sslmode=",
        "postgresql://app@one/compliance?sslmode",
    ],
)
def test_what_would_be_ignored_or_misread_is_refused(address):
    with pytest.raises(ValueError):
        database(address)


def test_a_server_that_is_gone_and_one_that_is_silent_are_passed_over(db):
    """One port that nobody serves, one that takes connections and never answers, then the real server."""
    values = connections["default"].settings_dict
    with socket.create_server(("127.0.0.1", 0)) as silent:
        gone, deaf = ports.free_port(), silent.getsockname()[1]
        made = database(
            f"postgresql://{values['USER']}:{values['PASSWORD']}@127.0.0.1:{gone},127.0.0.1:{deaf},"
            f"127.0.0.1:{values['PORT']}/{values['NAME']}",
            patience_seconds=2,
        )
        started = time.monotonic()
        with psycopg.connect(
            host=made["HOST"], port=made["PORT"], user=made["USER"], password=made["PASSWORD"],
            dbname=made["NAME"], **made["OPTIONS"],
        ) as connection:  # fmt: skip
            assert connection.info.port == int(values["PORT"])
        assert time.monotonic() - started < 6
