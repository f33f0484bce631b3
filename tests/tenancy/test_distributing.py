"""Where tables are on a cluster, and that no process starts while they are elsewhere."""

import io

import psycopg
import pytest
from django.core.management import CommandError, call_command

from compliance.history import actions as history
from compliance.tenancy import checks, distributing, expected
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
    output = io.StringIO()
    call_command("distribute", stdout=output)
    assert output.getvalue() == "Every table is in its place.\n"


@pytest.mark.cluster
def test_a_table_without_its_placement_is_refused_and_brought_to_its_place(administration, django_db_blocker):
    """As after a later migration that has created a table."""
    administration.execute("SELECT undistribute_table('history_subtree')")
    administration.execute("ALTER TABLE history_subtree NO FORCE ROW LEVEL SECURITY")  # as a move cut off leaves it
    with django_db_blocker.unblock():
        try:
            with pytest.raises(NotDistributedError, match=r"Run `manage\.py distribute`.*history_subtree: placement"):
                checks.refuse_unprotected_tables()
        finally:
            output = io.StringIO()
            call_command("distribute", stdout=output)
        assert "table history_subtree: with its company\n" in output.getvalue()
        checks.refuse_unprotected_tables()


@pytest.mark.cluster
def test_filled_tables_are_moved_whole_and_nothing_stays_behind(administration, committed):
    """As when an installation with years of data becomes a cluster; final rows are moved too."""
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


@pytest.mark.cluster
def test_a_table_that_somebody_uses_is_named_and_nothing_is_half_moved(administration, django_db_blocker, monkeypatch):
    monkeypatch.setattr(distributing, "LOCK_SECONDS", 1)
    administration.execute("SELECT undistribute_table('history_subtree')")
    with django_db_blocker.unblock():
        try:
            with psycopg.connect(administration.info.dsn, password=administration.info.password) as reader:
                reader.execute("SELECT count(*) FROM history_subtree")
                with pytest.raises(
                    CommandError, match="history_subtree could not be moved: somebody has used it for 1 s"
                ):
                    call_command("distribute", stdout=io.StringIO())
        finally:
            call_command("distribute", stdout=io.StringIO())
        checks.refuse_unprotected_tables()


@pytest.mark.cluster
def test_nodes_that_are_not_ready_are_refused_before_anything_is_moved(administration, django_db_blocker):
    nodes = administration.execute("SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards").fetchall()
    administration.execute("SELECT undistribute_table('history_subtree')")
    take = "SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', %s)"
    with django_db_blocker.unblock():
        try:
            for node in nodes:
                administration.execute(take, [*node, False])
            with pytest.raises(CommandError, match="has no node yet"):
                call_command("distribute", stdout=io.StringIO())
        finally:
            for node in nodes:
                administration.execute(take, [*node, True])
            call_command("distribute", stdout=io.StringIO())


@pytest.mark.cluster
def test_a_password_that_a_server_refuses_is_named_before_anything_is_moved(administration, django_db_blocker):
    kept = administration.execute("SELECT authinfo, nodeid FROM pg_dist_authinfo WHERE rolename = 'owner'").fetchall()
    administration.execute("SELECT undistribute_table('history_subtree')")
    with django_db_blocker.unblock():
        try:
            administration.execute("UPDATE pg_dist_authinfo SET authinfo = 'password=wrong' WHERE rolename = 'owner'")
            with pytest.raises(CommandError, match=r'cannot ask 127.*password authentication failed for user "owner"'):
                call_command("distribute", stdout=io.StringIO())
        finally:
            for each in kept:
                administration.execute(
                    "UPDATE pg_dist_authinfo SET authinfo = %s WHERE rolename = 'owner' AND nodeid = %s", each
                )
            call_command("distribute", stdout=io.StringIO())
