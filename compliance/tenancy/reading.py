"""Statements on the paths that answer requests: prepared once per connection, sent by libpq itself.

The driver's cursors read a result in as many steps as packets arrive, and another thread may run between two of them;
for a page of 200 rows that adds half of the statement's own time. `PQexecPrepared` waits once, without holding the GIL.
`company` begins and ends its transaction without waiting for either.

If `company` is given how far the primary had written, a standby that has replayed as much may answer in its place
(`standbys`). Nothing waits for a standby that does not answer: the same is asked of the primary.
"""

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TypeVar

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import pq

from compliance.tenancy import cluster, context, prepared, standbys
from compliance.tenancy.arriving import Arriving
from compliance.tenancy.errors import BehindError, OtherCompanyError
from compliance.tenancy.postgresql.behind import nodes
from compliance.tenancy.prepared import Driver, Parameters, Prepared
from compliance.tenancy.sql import Row
from compliance.tenancy.standbys import Loan, Written

Found = TypeVar("Found")

_AT_REST = (pq.TransactionStatus.IDLE, pq.TransactionStatus.UNKNOWN)
_FORGET = b"SET LOCAL app.organization = ''"
# A page reads its indexes in their order. The statistics of a table that has few rows yet must not lead to another
# plan.
_PLANNING = "".join(
    f"; SET LOCAL {name} = {value}"
    for name, value in (("plan_cache_mode", cluster.PLANS), ("enable_seqscan", "off"), ("enable_sort", "off"))
)


class _Asked:
    """A transaction of a `company` block. `unsettled`: a command was sent whose answer has not been read yet.

    A `condition` is asked when the transaction begins; BehindError is raised before anything is read if it is false.
    """

    __slots__ = ("asking", "condition", "opened", "opening", "standby", "unsettled")

    def __init__(self, organization_id: uuid.UUID, timeout_milliseconds: int, condition: str = "") -> None:
        self.opening = (
            f"SET LOCAL app.organization = '{organization_id}';"
            f" SET LOCAL statement_timeout = {int(timeout_milliseconds)}{_PLANNING}"
            f"{condition and f'; SELECT {condition}'}"
        ).encode()
        self.condition = condition
        self.opened = self.unsettled = self.asking = False
        self.standby: _OnStandby | None = None

    def send(self, driver: Driver, command: bytes) -> None:
        """Sends a command without waiting for its answer."""
        self.settle(driver)
        driver.pgconn.send_query(command)
        driver.pgconn.flush()
        self.unsettled = True

    def settle(self, driver: Driver) -> None:
        """Reads the answers to what was sent. Raises the first error."""
        if not self.unsettled:
            return
        self.unsettled, failed, last = False, None, None
        while prepared.wait(driver, whole=bool(self.condition)) and (result := driver.pgconn.get_result()) is not None:
            last = result
            if result.status not in prepared.DONE:
                failed = failed or prepared.error(driver, result)
                if driver.pgconn.status != pq.ConnStatus.OK:
                    break
        if failed is not None:
            raise failed
        if self.asking:
            self.asking = False
            if last is None or last.get_value(0, 0) != b"t":
                raise BehindError("The standby has not replayed what the primary had written.")

    def open(self, driver: Driver, inside: bool) -> None:
        """Begins our own transaction, without waiting; `inside` one of Django's, only applies the settings to it."""
        if not self.opened:
            self.opened = True
            if inside:
                prepared.command(driver, self.opening)
            else:
                self.send(driver, b"BEGIN READ ONLY; " + self.opening)
                self.asking = bool(self.condition)


class _OnStandby:
    """The transaction of a block on a standby; one on the primary is begun in addition only if it is needed."""

    __slots__ = ("asked", "given_up", "loan")

    def __init__(self, loan: Loan, asked: _Asked) -> None:
        self.loan, self.asked, self.given_up = loan, asked, False

    def run(self, work: Callable[[Driver, _Asked], Found]) -> Found | None:
        """What `work` returns on the standby; None if the standby cannot answer, which is then not asked again."""
        if self.given_up:
            return None
        try:
            with self.loan.working():
                return work(self.loan.driver, self.asked)
        except (psycopg.Error, BehindError) as error:
            self.given_up = True
            self.loan.failed(error)
            return None

    def end(self) -> None:
        """Ends the transaction and gives the connection back."""
        with contextlib.suppress(psycopg.Error, BehindError), self.loan.working():
            self.asked.settle(self.loan.driver)
        with contextlib.suppress(psycopg.Error), self.loan.working():
            if self.loan.driver.pgconn.transaction_status not in _AT_REST:
                prepared.command(self.loan.driver, b"ROLLBACK")
        self.loan.end()


_asked: ContextVar[_Asked | None] = ContextVar("reading", default=None)


@contextlib.contextmanager
def company(organization_id: uuid.UUID, *, timeout_milliseconds: int, written: Written | None = None) -> Iterator[None]:
    """A read-only transaction in which `fetch` sees the rows of `organization_id`; no statement exceeds the timeout.

    PostgreSQL begins it while the caller goes on. Within `context.company` it uses that transaction. The block uses the
    connection through `fetch` only. A standby may answer where `written` is given: how far the primary had written when
    the question was pinned. Raises OtherCompanyError.
    """
    around = context.current_company()
    if around is not None:
        if around != organization_id:
            raise OtherCompanyError("A transaction serves one company; finish it before the next one.")
        yield
        return
    asked = _Asked(organization_id, timeout_milliseconds)
    django = connections[DEFAULT_DB_ALIAS]
    token = _asked.set(asked)
    standby = None
    try:
        context.close_unfinished(django)
        if written is not None and not django.in_atomic_block:
            standby = asked.standby = _standby(organization_id, timeout_milliseconds, written)
        if standby is None:
            django.ensure_connection()
            if settings.CLUSTER:
                nodes.concern(django, organization_id)
            _open(asked, django)
        yield
    except BaseException:
        # The connection itself may have failed, and a transaction around this block may have ended already.
        with contextlib.suppress(psycopg.Error):
            asked.settle(django.connection)
        with contextlib.suppress(psycopg.Error):
            if asked.opened:
                prepared.command(django.connection, _FORGET if django.in_atomic_block else b"ROLLBACK")
        raise
    else:
        with django.wrap_database_errors:
            finish()
            asked.settle(django.connection)
    finally:
        if standby is not None:
            standby.end()
        context.close_unfinished(django)
        if settings.CLUSTER:
            nodes.forget(django)
        _asked.reset(token)


def _standby(organization_id: uuid.UUID, timeout_milliseconds: int, written: Written) -> _OnStandby | None:
    """A transaction begun on a standby; None where no standby is available at once."""
    loan = standbys.borrow(written)
    if loan is None:
        return None
    timeout = min(timeout_milliseconds, standbys.STATEMENT_MILLISECONDS)
    standby = _OnStandby(loan, _Asked(organization_id, timeout, written.condition))
    standby.run(lambda driver, asked: asked.open(driver, False))
    return standby


def _open(asked: _Asked, django: BaseDatabaseWrapper) -> None:
    django.ensure_connection()
    with django.wrap_database_errors:
        if django.in_atomic_block:
            _begin_as_django_would(django.connection)
        asked.open(django.connection, django.in_atomic_block)


def finish() -> None:
    """Ends the transaction while the caller goes on; called when the block will read nothing more."""
    asked = _asked.get()
    if asked is None:
        return
    if asked.standby is not None and asked.standby.asked.opened:
        asked.standby.run(lambda driver, there: there.send(driver, b"COMMIT"))
        asked.standby.asked.opened = False
    if not asked.opened:
        return
    django = connections[DEFAULT_DB_ALIAS]
    driver = django.connection
    if django.in_atomic_block:
        # A transaction that was opened around this block (the suite does so) is left without a company.
        prepared.command(driver, _FORGET)
    else:
        asked.send(driver, b"COMMIT")
    asked.opened = False


def use_primary() -> None:
    """Puts Django's connection into the block's transaction, for statements that do not go through `fetch`."""
    asked = _asked.get()
    if asked is not None:
        django = connections[DEFAULT_DB_ALIAS]
        _open(asked, django)
        with django.wrap_database_errors:
            asked.settle(django.connection)


def fetch(statement: str, parameters: Parameters = (), *, raw: bool = False, at_primary: bool = False) -> list[Row]:
    """Runs one statement and returns all its rows; within `company`, in its transaction.

    Each connection keeps the text prepared, so it must not vary with its parameters. With `raw`, instants are numbers
    as PostgreSQL keeps them (`arrays.in_microseconds`) and identifiers are 16 bytes: objects for these cost ten times
    that. `at_primary` asks no standby: for what the history's pin does not cover, such as what waits for the writer.
    """
    django = connections[DEFAULT_DB_ALIAS]  # looked up once: `connection` would do so for each attribute
    asked = _asked.get()
    started = time.monotonic()
    try:
        if asked is not None and asked.standby is not None and not at_primary:
            found = asked.standby.run(lambda driver, there: _fetch(driver, False, there, statement, parameters, raw))
            if found is not None:
                return found
            asked.standby = None
        django.ensure_connection()
        with django.wrap_database_errors:
            if django.in_atomic_block:
                _begin_as_django_would(django.connection)
            return _fetch(django.connection, django.in_atomic_block, asked, statement, parameters, raw)
    finally:
        if django.queries_logged:
            django.queries_log.append({"sql": statement, "time": f"{time.monotonic() - started:.3f}"})


def ask(statement: str, parameters: Parameters = (), *, raw: bool = False) -> Callable[[], list[Row]]:
    """Sends a statement as `fetch` does, and returns a function that gives its rows; the caller goes on meanwhile.

    For use within `company`, after a `fetch`. The rows must be taken before the next statement.
    """
    django = connections[DEFAULT_DB_ALIAS]
    asked = _asked.get()
    standby = None if asked is None else asked.standby
    here = asked if standby is None else standby.asked
    driver: Driver = django.connection if standby is None else standby.loan.driver
    known = None
    if here is not None and here.opened and not here.unsettled and not django.in_atomic_block:
        known = prepared.known(driver, statement)
    if known is None:  # no transaction of ours, or not prepared yet
        rows = fetch(statement, parameters, raw=raw)
        return lambda: rows
    if standby is not None:
        return _ask_standby(standby, known, statement, parameters, raw)
    if django.queries_logged:
        django.queries_log.append({"sql": statement, "time": "0"})
    with django.wrap_database_errors:
        prepared.send(driver, known, statement, parameters)

    def take() -> list[Row]:
        with django.wrap_database_errors:
            result = prepared.answer(driver)
            if not prepared.is_forgotten(result):
                return prepared.rows(driver, result, raw)
            _begin_anew(driver, here)
            return _fetch(driver, False, here, statement, parameters, raw)

    return take


def arriving(statement: str, parameters: Parameters = (), *, raw: bool = False) -> Sequence[Row]:
    """As `fetch`, but the rows may be used while PostgreSQL looks for the next ones (`arriving.portions`).

    All rows must be taken before the next statement. They are fetched whole outside of `company`, within a transaction
    of Django's, from a standby, and the first time on a connection.
    """
    django = connections[DEFAULT_DB_ALIAS]
    asked = _asked.get()
    known = None
    if asked is not None and asked.standby is None and not django.in_atomic_block and django.connection is not None:
        known = prepared.known(django.connection, statement)
    if asked is None or known is None:
        return fetch(statement, parameters, raw=raw)
    if django.queries_logged:
        django.queries_log.append({"sql": statement, "time": "0"})
    driver: Driver = django.connection
    with django.wrap_database_errors:
        asked.open(driver, False)
        asked.settle(driver)
        prepared.send_for_portions(driver, known, statement, parameters)

    taken = False

    def take() -> tuple[list[Row], bool]:
        nonlocal taken
        with django.wrap_database_errors:
            try:
                portion = prepared.portion(driver, raw)
            except psycopg.Error as error:
                # A forgotten statement fails before the first row. Later the same state means something else, and rows
                # that were handed out must not come twice.
                if taken or error.sqlstate not in prepared.FORGOTTEN:
                    raise
                _begin_anew(driver, asked)
                portion = _fetch(driver, False, asked, statement, parameters, raw), True
        taken = True
        return portion

    return Arriving(take)


def _ask_standby(
    standby: _OnStandby, known: Prepared, statement: str, parameters: Parameters, raw: bool
) -> Callable[[], list[Row]]:
    """As `ask`, on a standby; if that does not answer, the rows are fetched from the primary."""

    def send(driver: Driver, _: _Asked) -> bool:
        prepared.send(driver, known, statement, parameters)
        return True

    sent = standby.run(send)

    def take() -> list[Row]:
        found = None
        if sent:
            found = standby.run(lambda driver, _: prepared.rows(driver, prepared.answer(driver, whole=True), raw))
        return fetch(statement, parameters, raw=raw, at_primary=True) if found is None else found

    return take


def _fetch(
    driver: Driver, inside: bool, asked: _Asked | None, statement: str, parameters: Parameters, raw: bool
) -> list[Row]:
    if asked is not None:
        asked.open(driver, inside)
        asked.settle(driver)
    result = prepared.execute(driver, statement, parameters, named=not inside)
    if not inside and prepared.is_forgotten(result):
        _begin_anew(driver, asked)
        result = prepared.execute(driver, statement, parameters, named=True)
    return prepared.rows(driver, result, raw)


def _begin_anew(driver: Driver, asked: _Asked | None) -> None:
    """Begins the transaction again after a forgotten statement: it only reads, so nothing is lost."""
    prepared.forget(driver)
    if asked is not None:
        prepared.command(driver, b"ROLLBACK")
        asked.opened = False
        asked.open(driver, False)
        asked.settle(driver)


def _begin_as_django_would(driver: Driver) -> None:
    """Sends BEGIN within a transaction of Django's: the driver sends it only before statements of its own."""
    if driver.pgconn.transaction_status == pq.TransactionStatus.IDLE:
        prepared.command(driver, b"BEGIN")
