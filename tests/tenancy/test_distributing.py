"""Where tables are on a cluster, and that nothing starts where they are elsewhere."""

import io

import psycopg
import pytest
from django.core.management import CommandError, call_command

from compliance.history import actions as history
from compliance.tenancy import checks, expected
from compliance.tenancy.directory import DIRECTORY_TABLES
from compliance.tenancy.errors import NotDistributedError
from compliance.tenancy.placement import Placement
from tests.companies import make_company


def test_every_table_of_companies_is_with_its_company_and_each_directory_table_says_where_it_is():
    tables = {each.name: each for each in expected.tables()}
    assert {each.placement for each in tables.values() if each.of_companies} == {Placement.WITH_COMPANY}
    assert {name: tables[name].placement for name in DIRECTORY_TABLES} == dict(DIRECTORY_TABLES)
    assert tables["auth_user"].placement is Placement.COORDINATOR


@pytest.mark.one_server("what a database without Citus answers")
@pytest.mark.django_db(databases=["default", "owner"])
def test_one_server_that_claims_to_be_a_cluster_is_refused(settings):
    checks.refuse_unprotected_tables()
    settings.CLUSTER = True
    with pytest.raises(NotDistributedError, match="not where they belong"):
        checks.refuse_unprotected_tables()
    with pytest.raises(CommandError, match="has no extension citus"):
        call_command("distribute")


@pytest.mark.one_server("what a database without Citus answers")
def test_one_server_has_nothing_to_distribute():
    with pytest.raises(CommandError, match="one PostgreSQL"):
        call_command("distribute")


@pytest.mark.cluster
@pytest.mark.django_db(databases=["default", "owner"])
def test_a_cluster_that_does_not_say_so_is_refused(settings):
    checks.refuse_unprotected_tables()
    settings.CLUSTER = False
    with pytest.raises(NotDistributedError, match="set CLUSTER=1"):
        checks.refuse_unprotected_tables()


@pytest.mark.cluster
@pytest.mark.django_db(databases=["default", "owner"])
def test_distributing_again_moves_nothing():
    said = io.StringIO()
    call_command("distribute", stdout=said)
    assert said.getvalue() == "Every table is in its place.\n"


@pytest.mark.cluster
def test_a_table_without_its_placement_is_refused_and_brought_to_its_place(administration, django_db_blocker):
    """As after a later migration that has made a table."""
    administration.execute("SELECT undistribute_table('history_subtree')")
    with django_db_blocker.unblock():
        try:
            with pytest.raises(NotDistributedError, match="table history_subtree: placement is missing"):
                checks.refuse_unprotected_tables()
        finally:
            said = io.StringIO()
            call_command("distribute", stdout=said)
        assert "table history_subtree: with its company\n" in said.getvalue()
        checks.refuse_unprotected_tables()


@pytest.mark.cluster
def test_filled_tables_are_moved_whole_and_nothing_stays_behind(administration, committed):
    """As when an installation of years becomes a cluster; final rows are moved too."""
    made = make_company()
    made.share(made.course())
    made.join()
    history.capture_all(made.organization_id, made.now)
    everything = "SELECT * FROM history_historyrow ORDER BY organization_id, sequence"
    rows = administration.execute(everything).fetchall()
    assert rows
    administration.execute("SELECT undistribute_table('history_historyrow')")
    assert administration.execute("SELECT pg_relation_size('history_historyrow')").fetchone() != (0,)
    call_command("distribute", stdout=io.StringIO())
    assert administration.execute(everything).fetchall() == rows
    assert administration.execute("SELECT pg_relation_size('history_historyrow')").fetchone() == (0,)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="never changed"):
        administration.execute("DELETE FROM history_historyrow")
