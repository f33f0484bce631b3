"""Reads of a company in a transaction of their own, as requests make them: outside of any other transaction."""

import gc
import threading
import time
import uuid
import weakref
from collections.abc import Sequence

import pytest
from django.db import (
    DataError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)

from compliance.facts.people.models import Team
from compliance.tenancy import arrays, arriving, context, reading
from compliance.tenancy.errors import OtherCompanyError
from compliance.tenancy.sql import Row

TEAMS = "SELECT team_id, created_at FROM people_team WHERE organization_id = %(organization)s"
ALL = "SELECT name FROM people_team"


@pytest.fixture
def stored(committed, now):
    organization_id = uuid.uuid4()
    with context.company(organization_id):
        return Team.objects.create(
            organization_id=organization_id, team_id=uuid.uuid4(), created_at=now, name="Sales", name_at=now
        )


def _company(organization_id, timeout_milliseconds=10_000):
    return reading.company(organization_id, timeout_milliseconds=timeout_milliseconds)


def test_a_read_shows_the_rows_of_its_company_and_nothing_shows_rows_after_it(stored, now):
    with _company(stored.organization_id):
        found = reading.fetch(TEAMS, {"organization": stored.organization_id})
    assert found == [(stored.team_id, now)]
    assert reading.fetch(ALL) == []
    with _company(uuid.uuid4()):
        assert reading.fetch(ALL) == []
    assert connection.get_autocommit()
    assert connection.connection.info.transaction_status == 0


def test_raw_columns_are_microseconds_and_bytes(stored, now):
    with _company(stored.organization_id):
        found = reading.fetch(TEAMS, {"organization": stored.organization_id}, raw=True)
    assert found == [(stored.team_id.bytes, arrays.in_microseconds(now))]


def test_a_read_that_called_finish_may_go_on(stored):
    with _company(stored.organization_id):
        for _ in range(2):
            assert reading.fetch(ALL) == [("Sales",)]
            reading.finish()
            reading.finish()
    assert reading.fetch(ALL) == []
    assert connection.connection.info.transaction_status == 0


def test_a_read_cannot_write(stored):
    with pytest.raises(InternalError, match="read-only"), _company(stored.organization_id):
        reading.fetch("DELETE FROM people_team RETURNING name")
    assert connection.connection.info.transaction_status == 0


def test_a_statement_ends_at_the_timeout_and_the_connection_goes_on(stored):
    with pytest.raises(OperationalError, match="statement timeout"), _company(stored.organization_id, 20):
        reading.fetch("SELECT pg_sleep(20)")
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


MANY = "SELECT n, n::text FROM generate_series(1, %(last)s) n"
LOCK = 20_261_128
DIVIDED = "SELECT repeat('x', 500), 1 / (%(last)s - n) FROM generate_series(1, 1000) n"


def _twice(organization_id, work):
    """What `work` returns once the connection has prepared its statement: the first time it is fetched whole."""
    for _ in range(2):
        with _company(organization_id):
            found = work()
    return found


@pytest.mark.parametrize("last", [0, 1, 49, 50, 51, 1000])
def test_rows_that_arrive_are_those_that_are_fetched(stored, last):
    def taken():
        rows = reading.arriving(MANY, {"last": last})
        parts = list(arriving.portions(rows))
        return rows, parts, reading.fetch(MANY, {"last": last})

    rows, parts, fetched = _twice(stored.organization_id, taken)
    assert isinstance(rows, arriving.Arriving)
    assert [row for part, _ in parts for row in part] == list(rows) == rows[:] == fetched
    assert len(rows) == last
    assert [ended for _, ended in parts] == [False] * (len(parts) - 1) + [True]
    assert list(arriving.portions(rows)) == ([(fetched, True)] if last else [])


def test_the_first_rows_are_used_before_the_last_ones_are_there(stored, administration):
    """The last row waits for a lock that is released only after the first rows have been taken."""
    held = """SELECT repeat('x', 500), CASE WHEN n > 100 THEN pg_advisory_xact_lock(%(lock)s)::text END
        FROM generate_series(1, 101) n"""
    with _company(stored.organization_id):
        reading.arriving(held, {"lock": LOCK})
    administration.execute("SELECT pg_advisory_lock(%s::bigint)", [LOCK])
    with _company(stored.organization_id):
        parts = arriving.portions(reading.arriving(held, {"lock": LOCK}))
        first, ended = next(parts)
        assert len(first) >= 50
        assert not ended
        administration.execute("SELECT pg_advisory_unlock(%s::bigint)", [LOCK])
        assert len(first) + sum(len(part) for part, _ in parts) == 101


def test_an_error_after_the_first_rows_never_brings_rows_twice(stored):
    """Its SQLSTATE is that of a plan that no longer fits, and it would not occur a second time."""
    once = """SELECT repeat('x', 500), CASE WHEN n = %(last)s AND pg_advisory_unlock(%(lock)s)
        THEN extract(timezone FROM date '2026-01-01' + n) END FROM generate_series(1, 1000) n"""
    _twice(stored.organization_id, lambda: list(reading.arriving(once, {"last": 0, "lock": LOCK})))
    reading.fetch("SELECT pg_advisory_lock(%(lock)s::bigint)::text", {"lock": LOCK})
    with pytest.raises(NotSupportedError, match="timezone"), _company(stored.organization_id):
        list(reading.arriving(once, {"last": 700, "lock": LOCK}))
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_raw_rows_arrive_as_microseconds_and_bytes(stored, now):
    asked = {"organization": stored.organization_id}
    found = _twice(stored.organization_id, lambda: list(reading.arriving(TEAMS, asked, raw=True)))
    assert found == [(stored.team_id.bytes, arrays.in_microseconds(now))]


def test_an_error_among_rows_that_arrive_ends_the_read_and_the_connection_goes_on(stored):
    _twice(stored.organization_id, lambda: list(reading.arriving(DIVIDED, {"last": 2000})))
    seen: list[Sequence[Row]] = []
    with pytest.raises(DataError, match="division by zero"), _company(stored.organization_id):
        seen.extend(part for part, _ in arriving.portions(reading.arriving(DIVIDED, {"last": 700})))
    assert len(seen[0]) >= 50
    assert connection.connection.info.transaction_status == 0
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_rows_that_arrive_end_at_the_timeout_too(stored):
    slow = "SELECT n, pg_sleep(0.01)::text FROM generate_series(1, %(last)s) n"
    _twice(stored.organization_id, lambda: list(reading.arriving(slow, {"last": 1})))
    with pytest.raises(OperationalError, match="statement timeout"), _company(stored.organization_id, 200):
        list(reading.arriving(slow, {"last": 1000}))
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_who_stops_among_rows_that_arrive_leaves_the_connection_as_it_was(stored):
    with pytest.raises(ZeroDivisionError):
        _twice(stored.organization_id, lambda: 1 / 0 if next(_parts(100_000))[1] is False else None)
    assert connection.connection.info.transaction_status == 0
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def _parts(last):
    return arriving.portions(reading.arriving(MANY, {"last": last}))


def test_rows_that_arrive_by_a_forgotten_statement_are_fetched_anew(stored):
    _twice(stored.organization_id, lambda: list(reading.arriving(MANY, {"last": 60})))
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with _company(stored.organization_id):
        assert len(reading.arriving(MANY, {"last": 60})) == 60
        assert reading.fetch(ALL) == [("Sales",)]


def test_a_connection_that_is_lost_among_rows_that_arrive_is_an_operational_error(stored, administration):
    _twice(stored.organization_id, lambda: list(reading.arriving(MANY, {"last": 60})))

    def end(part):
        number = connection.connection.info.backend_pid
        administration.execute("SELECT pg_terminate_backend(%s::int, 5000::bigint)", [number])
        return part

    with pytest.raises(OperationalError), _company(stored.organization_id):
        list(map(end, _parts(1_000_000)))
    connection.close()
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_within_a_transaction_of_djangos_rows_are_fetched_whole(stored):
    with transaction.atomic(), _company(stored.organization_id):
        for _ in range(2):
            assert reading.arriving(ALL) == [("Sales",)]


def test_statements_that_the_connection_has_forgotten_are_prepared_anew(stored):
    for _ in range(2):
        with _company(stored.organization_id):
            assert reading.fetch(ALL) == [("Sales",)]
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
    with _company(stored.organization_id):
        reading.fetch("SELECT 1")
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
        assert reading.fetch(ALL) == [("Sales",)]


def test_what_was_asked_comes_when_it_is_taken(stored, now):
    with _company(stored.organization_id):
        for _ in range(3):  # prepared on the way the first time
            reading.fetch("SELECT 1")
            take = reading.ask(TEAMS, {"organization": stored.organization_id}, raw=True)
            assert take() == [(stored.team_id.bytes, arrays.in_microseconds(now))]
            take = reading.ask(ALL)
            assert take() == [("Sales",)]
    with context.company(stored.organization_id), _company(stored.organization_id):
        assert reading.ask(ALL)() == [("Sales",)]
    assert reading.fetch(ALL) == []
    assert connection.connection.info.transaction_status == 0


def test_what_was_asked_by_a_forgotten_name_is_prepared_anew(stored):
    with _company(stored.organization_id):
        assert reading.ask(ALL)() == [("Sales",)]
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
        assert reading.ask(ALL)() == [("Sales",)]
        assert reading.ask(ALL)() == [("Sales",)]


def test_what_was_asked_ends_at_the_timeout_and_when_nobody_takes_it(stored):
    slow = "SELECT pg_sleep(%(seconds)s::bigint)"
    with _company(stored.organization_id):
        reading.fetch(slow, {"seconds": 0})

    def ask(seconds, timeout_milliseconds, then):
        with _company(stored.organization_id, timeout_milliseconds):
            reading.fetch("SELECT 1")
            then(reading.ask(slow, {"seconds": seconds}))

    with pytest.raises(OperationalError, match="statement timeout"):
        ask(20, 50, lambda take: take())
    with _company(stored.organization_id):
        reading.fetch(slow, {"seconds": 0})
    with pytest.raises(ZeroDivisionError):
        ask(1, 10_000, lambda take: 1 / 0)
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_in_somebody_s_transaction_a_read_leaves_no_company_behind(stored):
    with transaction.atomic():
        with _company(stored.organization_id):
            assert reading.fetch(ALL) == [("Sales",)]
        assert reading.fetch(ALL) == []
    with context.company(stored.organization_id), _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_a_transaction_of_one_company_reads_no_other(stored):
    with context.company(stored.organization_id), pytest.raises(OtherCompanyError), _company(uuid.uuid4()):
        pass


def test_a_failure_is_django_s(stored):
    with pytest.raises(ProgrammingError), _company(stored.organization_id):
        reading.fetch("SELECT nothing FROM people_team")


def test_a_connection_that_was_closed_is_let_go(stored):
    with _company(stored.organization_id):
        reading.fetch(ALL)
    kept = weakref.ref(connection.connection)
    connection.close()
    gc.collect()
    assert kept() is None


def test_what_was_asked_and_never_taken_leaves_no_company_behind(stored):
    """COMMIT cannot even be sent, because the answer has not been read."""
    with _company(stored.organization_id):
        reading.fetch(ALL)

    def ask():
        with _company(stored.organization_id):
            reading.fetch("SELECT 1")
            reading.ask(ALL)

    with pytest.raises(OperationalError):
        ask()
    assert reading.fetch(ALL) == []


def test_a_backend_that_dies_as_a_read_ends_leaves_no_company_and_no_dead_connection_behind(stored, administration):
    def read():
        with _company(stored.organization_id):
            administration.execute(
                "SELECT pg_terminate_backend(%s::int, 5000::bigint)", *reading.fetch("SELECT pg_backend_pid()")
            )

    with pytest.raises(OperationalError):
        read()
    assert reading.fetch(ALL) == []
    with _company(stored.organization_id):
        assert reading.fetch(ALL) == [("Sales",)]


def test_other_threads_run_while_an_answer_is_waited_for(committed, new_organization_id):
    """Otherwise a database that hangs would block every thread of the process, including those that watch it."""
    slow, ran = "SELECT pg_sleep(1)", []

    def elsewhere() -> None:
        time.sleep(0.05)
        ran.append(time.monotonic())

    with reading.company(new_organization_id(), timeout_milliseconds=5_000):
        reading.fetch(slow)  # from now on the connection has it prepared
        rows = reading.ask(slow)
        other = threading.Thread(target=elsewhere)
        other.start()
        rows()
        ended = time.monotonic()
    other.join()
    assert ended - ran[0] > 0.5
