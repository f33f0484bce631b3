"""A connection is never left in a company's transaction, however that ends: attacks on the moment of COMMIT."""

import signal
import uuid

import pytest
from django.db import Error, connection

from compliance.facts.people.models import Team
from compliance.tenancy import context, reading, sql
from compliance.tenancy.postgresql import behind

ALL = "SELECT name FROM people_team"
SLOW_COMMIT = (
    """CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.name = 'Slow' THEN PERFORM pg_sleep(3); END IF;
    IF NEW.name = 'Refused' THEN RAISE EXCEPTION 'no'; END IF;
    RETURN NULL; END $$""",
    "CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON people_team DEFERRABLE INITIALLY DEFERRED"
    " FOR EACH ROW EXECUTE FUNCTION slow_commit()",
)


class CutShort(BaseException):
    """What a time limit or a supervisor throws into a process, wherever it is."""


@pytest.fixture
def organization_id(committed, administration):
    """A company whose COMMIT takes three seconds, or fails, by the name of the team that was written."""
    for statement in SLOW_COMMIT:
        administration.execute(statement)
    yield uuid.uuid4()
    administration.execute("DROP TRIGGER slow_commit ON people_team")
    administration.execute("DROP FUNCTION slow_commit()")


def write(organization_id, now, name):
    with context.company(organization_id):
        Team.objects.create(
            organization_id=organization_id, team_id=uuid.uuid4(), created_at=now, name=name, name_at=now
        )


def nobody_is_entered():
    return sql.fetch(ALL) == [] and sql.fetch("SELECT coalesce(current_setting('app.organization', true), '')") == [
        ("",)
    ]


def test_a_signal_amid_commit_leaves_no_company_behind(organization_id, now):
    write(organization_id, now, "Sales")

    def cut_short(*_):
        raise CutShort

    before = signal.signal(signal.SIGALRM, cut_short)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises((CutShort, Error)):
            write(organization_id, now, "Slow")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert nobody_is_entered()
    # The connection commits as before, too: nothing recorded next is lost.
    write(organization_id, now, "Marketing")
    connection.close()
    with context.company(organization_id):
        assert ("Marketing",) in sql.fetch(ALL)


def test_a_commit_that_the_database_refuses_leaves_no_company_behind(organization_id, now):
    with pytest.raises(Error):
        write(organization_id, now, "Refused")
    assert nobody_is_entered()


def test_a_backend_that_dies_before_commit_leaves_no_company_behind(organization_id, now, administration):
    def read():
        with context.company(organization_id):
            administration.execute(
                "SELECT pg_terminate_backend(%s::int, 5000::bigint)", *sql.fetch("SELECT pg_backend_pid()")
            )

    with pytest.raises(Error):
        read()
    assert nobody_is_entered()


def test_a_transaction_that_somebody_left_open_is_never_taken_over(organization_id, now):
    """Whatever left the transaction open, the next company begins on a connection of its own."""
    write(organization_id, now, "Sales")
    connection.connection.execute("BEGIN; SELECT set_config('app.organization', '%s', true)" % organization_id)  # noqa: UP031
    with context.company(uuid.uuid4()):
        assert sql.fetch(ALL) == []
    assert nobody_is_entered()


def test_what_is_asked_after_a_companys_transaction_does_not_wait_for_its_node(committed, settings):
    settings.CLUSTER = True
    organization_id = uuid.uuid4()
    for opened in (context.company(organization_id), reading.company(organization_id, timeout_milliseconds=1_000)):
        with opened:
            assert behind.nodes.concerned(connection.connection) == organization_id
        assert behind.nodes.concerned(connection.connection) is None
    with pytest.raises(CutShort), context.company(organization_id):
        raise CutShort
    assert behind.nodes.concerned(connection.connection) is None
