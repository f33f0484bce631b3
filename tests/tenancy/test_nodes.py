"""Statements about all companies, and about one, while a node of the cluster is away."""

import contextlib
import os
import signal
import socket
import threading
import time
import uuid
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import InternalError, OperationalError, connection
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from compliance.facts.certificates.queries import certificate_of_code
from compliance.facts.people.erasing import FORGET_TASK
from compliance.facts.people.queries import people_with_address
from compliance.history import actions as history
from compliance.history import queries
from compliance.interfaces.console.acting import jobs
from compliance.interfaces.console.evidence.tasks import forget
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.tasks import send_waiting
from compliance.interfaces.operations import metrics
from compliance.interfaces.operations.tasks import look_at_letters
from compliance.letters.actions import Kind, ask
from compliance.log import acceptance, refusals
from compliance.log.errors import NotAcceptableError
from compliance.log.refusals import SignedEnd
from compliance.tenancy import checks, nodes, shards, sql
from compliance.tenancy.context import company as context_of
from compliance.tenancy.lost import is_lost
from compliance.tenancy.postgresql import behind
from compliance.webhooks import actions as webhooks
from compliance.webhooks import claims
from development.embedded import ports
from tests import verbs
from tests.companies import Company, make_company, make_present_company, noon
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.webhooks.conftest import change, made, present, send
from tests.webhooks.receiver import Request, receiver

pytestmark = pytest.mark.cluster
PEOPLE = f"/v1/people?from={noon(200):%Y-%m-%d}&to={noon(1):%Y-%m-%d}"

SLEEP = "SELECT pg_sleep(20) FROM history_historyhead WHERE organization_id = %s::uuid"
_ADDRESSES = "SELECT nodeid, nodename, nodeport FROM pg_dist_node WHERE groupid <> 0"


@pytest.fixture
def companies(committed, administration):
    """A company on each of two nodes, by the number of the node."""
    found: dict[int, Company] = {}
    while len(found) < 2:
        company = make_present_company()
        ((node,),) = administration.execute(
            "SELECT n.nodeid FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)"
            " WHERE p.shardid = get_shard_id_for_distribution_column('history_historyhead', %s::uuid)",
            [company.organization_id],
        ).fetchall()
        found.setdefault(node, company)
    return found


@contextlib.contextmanager
def away(administration, node):
    """Nobody answers at the address where the coordinator looks for the node."""
    (port,) = administration.execute("SELECT nodeport FROM pg_dist_node WHERE nodeid = %s", [node]).fetchone()
    move = "UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s"
    administration.execute(move, [ports.free_port(), node])
    try:
        yield
    finally:
        administration.execute(move, [port, node])


@contextlib.contextmanager
def silent(administration, node):
    """At the address where the coordinator looks for the node, connections are taken and never answered."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        (port,) = administration.execute("SELECT nodeport FROM pg_dist_node WHERE nodeid = %s", [node]).fetchone()
        move = "UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s"
        administration.execute(move, [listening.getsockname()[1], node])
        try:
            yield
        finally:
            administration.execute(move, [port, node])


def pid_asleep_on(administration, node):
    """Waits until SLEEP is under way on the node."""
    (port,) = administration.execute("SELECT nodeport FROM pg_dist_node WHERE nodeid = %s", [node]).fetchone()
    known = administration.info
    address = {"host": known.host, "port": port, "user": known.user, "password": known.password, "dbname": known.dbname}
    asleep = (
        "SELECT pid FROM pg_stat_activity"
        " WHERE wait_event = 'PgSleep' AND datname = current_database() AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(**address, autocommit=True) as of_node:
        while (found := of_node.execute(asleep).fetchone()) is None:
            time.sleep(0.05)
    return found[0]


def test_what_is_due_and_where_histories_end_is_known_of_the_companies_whose_node_answers(companies, administration):
    for company in companies.values():
        company.join()
    (dead, lost), (_, well) = companies.items()
    both = {lost.organization_id, well.organization_id}
    assert both <= set(queries.companies_with_work(well.now))
    assert both <= set(queries.capture_ends())
    with away(administration, dead):
        assert both & set(queries.companies_with_work(well.now)) == {well.organization_id}
        assert both & set(queries.capture_ends()) == {well.organization_id}
        assert both & set(queries.sequences()) == {well.organization_id}
        assert queries.captured_beyond(dict.fromkeys(both, 0)).keys() == {well.organization_id}
        history.capture_all(well.organization_id, well.now)
    assert both <= set(queries.companies())


def test_the_history_of_a_company_whose_node_is_away_contradicts_nothing_that_was_signed(companies, administration):
    (dead, lost), (_, well) = companies.items()
    ends = queries.capture_ends()
    both = [lost.organization_id, well.organization_id]
    true, further = (
        [SignedEnd(each, ends[each].capture_sequence + more, ends[each].chain_hash) for each in both] for more in (0, 1)
    )
    assert refusals.contradictions(true) == []
    assert len(refusals.contradictions(further)) == 2
    with away(administration, dead):
        assert refusals.contradictions(true) == []
        assert [each.organization_id for each in refusals.contradictions(further)] == [well.organization_id]
        with pytest.raises(NotAcceptableError, match="is away"):
            acceptance._recomputed(lost.organization_id)
    assert len(refusals.contradictions(further)) == 2


def test_hourly_and_minutely_tasks_go_on_for_the_companies_whose_node_answers(companies, administration, monkeypatch):
    (dead, lost), (_, well) = companies.items()
    now = datetime.now(UTC)
    for company in (lost, well):
        company.join()
        history.capture_all(company.organization_id, now)
        with context_of(company.organization_id):
            asked = {"user_id": 1, "username": "staff", "asked_at": now - jobs.PATIENCE}
            Job.objects.create(organization_id=company.organization_id, act="import", state=Job.State.WAITING, **asked)
    with context_of(well.organization_id):
        learner = well.join().learner_profile_id
        ask(well.organization_id, Kind.LINK, now=now, learner_profile_id=learner)
    sent = set()
    monkeypatch.setattr("celery.current_app.send_task", lambda task, args=(), **_: sent.add((task, args[0])))
    with away(administration, dead):
        forget()
        send_waiting()
        look_at_letters()
    both = [str(lost.organization_id), str(well.organization_id)]
    tasks = [FORGET_TASK, jobs.TASK, "compliance.letters.look"]
    assert {each for each in sent if each[1] in both} == {(task, str(well.organization_id)) for task in tasks}


def test_webhooks_of_companies_whose_node_answers_are_sent_and_a_test_of_the_others_waits(
    companies, administration, settings
):
    settings.WEBHOOK_ALLOW_PRIVATE = True
    (dead, lost), (_, well) = companies.items()
    with receiver() as of_lost, receiver() as of_well:
        for company, found in ((lost, of_lost), (well, of_well)):
            _, webhook = made(company, found)
            webhooks.ask_test(webhook_id=webhook.webhook_id, at=present(), actor="test")
        with away(administration, dead):
            assert send() == (1, 0, False)
            assert not claims.any_due(present())
        assert (len(of_lost.requests), len(of_well.requests)) == (0, 1)
        assert send() == (1, 0, False)
        assert len(of_lost.requests) == 1


def answers_slowly(_: Request) -> int:
    time.sleep(2)
    return 204


def test_a_try_during_which_the_node_is_lost_is_made_again_and_delays_nobody_else(companies, administration, settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True
    (dead, lost), (_, well) = companies.items()
    with receiver() as of_lost, receiver() as of_well, contextlib.ExitStack() as gone:
        of_lost.answers = lambda request: gone.enter_context(away(administration, dead)) or 204
        of_well.answers = answers_slowly
        for company, found in ((lost, of_lost), (well, of_well)):
            made(company, found)
            change(company, "Anna")
        assert send().sent == 2
        assert not claims.any_due(present())
        gone.close()
        of_lost.answers = lambda request: 204
        assert send(lambda: present() + claims.LEASE) == (1, 0, False)
        assert (len(of_lost.requests), len(of_well.requests)) == (2, 1)


def test_codes_and_addresses_of_other_nodes_are_found(companies, administration):
    (dead, lost), (_, well) = companies.items()
    for company in (lost, well):
        company.join("Anna")
    with away(administration, dead):
        assert {each.organization_id for each in people_with_address("anna@example.org")} & {
            lost.organization_id,
            well.organization_id,
        } == {well.organization_id}
        with pytest.raises(OperationalError, match="does not answer") as refused:
            certificate_of_code("ABCDE-FGHJK-MNPQR-STVWX")
        assert is_lost(refused.value)
    assert certificate_of_code("ABCDE-FGHJK-MNPQR-STVWX") is None


def test_companies_are_made_on_nodes_that_answer(companies, administration):
    dead = next(iter(companies))
    with away(administration, dead):
        made = [make_company().organization_id for _ in range(6)]
        assert set(made) <= set(queries.companies())


def test_readers_of_a_company_are_unaffected_by_another_node_and_are_asked_to_retry_for_their_own(
    companies, administration
):
    (dead, lost), (_, well) = companies.items()
    callers = []
    for company in (lost, well):
        verbs.join_employee(**company._when(None), account_email=f"{uuid.uuid4().hex}@example.org", person_name="Anna")
        history.capture_all(company.organization_id, company.now)
        callers.append(Caller(issue_everything(company.organization_id, company.start)))
    of_lost, of_well = callers
    first = [caller(PEOPLE) for caller in callers]
    assert [each.status_code for each in first] == [200, 200], first[0].content
    before = [each.json()["data"] for each in first]
    assert all(before)
    with away(administration, dead):
        coordinator = connection.connection
        answer = of_lost(PEOPLE)
        assert connection.connection is coordinator  # it works, so nobody connects again because of a node
        assert (answer.status_code, answer.json()["code"]) == (503, "upstream_unavailable")
        assert answer["Retry-After"]
        assert of_well(PEOPLE).json()["data"] == before[1]
    assert of_lost(PEOPLE).json()["data"] == before[0]


def test_who_waits_for_a_node_that_falls_silent_is_cut_off_and_nobody_is_sent_there_until_it_answers(
    companies, administration
):
    (dead, lost), (_, well) = companies.items()
    given_up = []

    def wait():
        try:
            with context_of(lost.organization_id):
                sql.fetch(SLEEP, [lost.organization_id])
        except OperationalError as error:
            given_up.append(error)
        finally:
            connection.close()

    waiting = threading.Thread(target=wait)
    waiting.start()
    pid_asleep_on(administration, dead)  # before, the coordinator might notice the silence itself, when it connects
    with silent(administration, dead):
        waiting.join(15)
        assert not waiting.is_alive()
        assert is_lost(given_up[0])
        with pytest.raises(OperationalError, match="does not answer") as refused, context_of(lost.organization_id):
            pass
        assert is_lost(refused.value)
        with context_of(well.organization_id):
            assert queries.head(well.organization_id).sequence == 0
        assert well.organization_id in queries.capture_ends()
    deadline = time.monotonic() + 30
    while behind.nodes.is_silent(lost.organization_id):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with context_of(lost.organization_id):
        assert queries.head(lost.organization_id).sequence == 0


def test_a_node_whose_process_dies_under_a_statement_is_away_and_nothing_is_wrong_with_the_statement(
    companies, administration
):
    node, company = next(iter(companies.items()))
    killing = threading.Thread(target=lambda: os.kill(pid_asleep_on(administration, node), signal.SIGKILL))
    killing.start()
    with pytest.raises((OperationalError, InternalError)) as ended, context_of(company.organization_id):
        sql.fetch(SLEEP, [company.organization_id])
    killing.join(30)
    assert is_lost(ended.value)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:  # the node starts again by itself; the suite's servers keep no last moments
        with contextlib.suppress(OperationalError), context_of(company.organization_id):
            sql.fetch("SELECT 1 FROM history_historyhead WHERE organization_id = %s::uuid", [company.organization_id])
            break
        time.sleep(0.1)
    else:
        pytest.fail("the node did not come back")


def test_what_a_node_kept_of_a_commit_when_it_died_is_committed_or_undone_within_seconds(companies, administration):
    """Does by hand what Citus does between the two phases: prepares on the node, records at the coordinator."""
    company = next(iter(companies.values()))
    group, port, table = administration.execute(
        "SELECT n.groupid, n.nodeport, 'history_historyhead_' || p.shardid"
        " FROM pg_dist_placement p JOIN pg_dist_node n USING (groupid)"
        " WHERE p.shardid = get_shard_id_for_distribution_column('history_historyhead', %s::uuid)",
        [company.organization_id],
    ).fetchone()
    known = administration.info
    address = {"host": known.host, "port": port, "user": known.user, "password": known.password, "dbname": known.dbname}
    change = f"UPDATE public.{table} SET unavailable_reason = %s WHERE organization_id = %s"
    for number, reason in enumerate(("noted", "not noted")):
        name = f"citus_0_1_{uuid.uuid4().int % 10**9}_{number}"
        with psycopg.connect(**address) as of_node:
            of_node.execute(change, [reason, company.organization_id])
            of_node.execute(f"PREPARE TRANSACTION '{name}'")
        if reason == "noted":
            administration.execute("INSERT INTO pg_dist_transaction (groupid, gid) VALUES (%s, %s)", [group, name])
        begun = time.monotonic()
        with context_of(company.organization_id):
            found = sql.fetch(
                "SELECT unavailable_reason FROM history_historyhead WHERE organization_id = %s::uuid FOR UPDATE",
                [company.organization_id],
            )
        assert found == [("noted",)]
        assert time.monotonic() - begun < 10


def test_nodes_are_asked_by_no_connection_that_the_coordinator_has_kept(companies, administration):
    for company in companies.values():
        with context_of(company.organization_id):
            queries.head(company.organization_id)  # from now on the coordinator keeps a connection to its node
    known, kept = administration.info, []
    for (port,) in administration.execute("SELECT nodeport FROM pg_dist_node WHERE groupid <> 0").fetchall():
        address = {"host": known.host, "port": port, "user": known.user, "password": known.password}
        with psycopg.connect(**address, dbname=known.dbname) as of_node:
            kept += of_node.execute(
                "SELECT pid FROM pg_stat_activity"
                " WHERE application_name LIKE 'citus_internal%' AND datname = current_database()"
            ).fetchall()
    assert len(kept) >= 2
    awake = threading.Event()

    def wake():
        awake.set()
        for (pid,) in kept:
            with contextlib.suppress(ProcessLookupError):  # the coordinator has closed the connection since
                os.kill(pid, signal.SIGCONT)

    for (pid,) in kept:
        os.kill(pid, signal.SIGSTOP)
    waking = threading.Timer(10, wake)
    waking.start()
    try:
        found = shards.states()
        assert not awake.is_set()
    finally:
        waking.cancel()
        wake()
    assert [each.answers for each in found] == [True, True]


@pytest.mark.parametrize("gone", [away, silent])
def test_a_process_starts_while_a_node_is_away_whose_protections_nobody_can_know(committed, administration, gone):
    (node, *_) = shards.nodes()
    with gone(administration, node.number), capture_logs() as lines:
        ((name,),) = administration.execute(
            "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE nodeid = %s", [node.number]
        ).fetchall()
        begun = time.monotonic()
        checks.refuse_unprotected_tables()
        assert time.monotonic() - begun < 15  # half of the patience, which is long in the suite, and what is asked
    assert [(line["event"], line["node"]) for line in lines] == [("database_node_away", name)]


def test_a_connection_that_is_cut_off_for_one_node_costs_no_company_of_another(companies):
    ends = "CASE WHEN o.organization_id = %(ended)s::uuid THEN pg_terminate_backend(pg_backend_pid()) END"
    statement = f"SELECT o.organization_id, {ends} FROM tenancy_organization o WHERE {nodes.of('o.organization_id')}"
    both = {each.organization_id for each in companies.values()}
    for ended in both:
        away_now: set[uuid.UUID] = set()
        found = {organization_id for organization_id, _ in nodes.fetch(statement, {"ended": ended}, away=away_now)}
        assert (both & found, both & away_now) == (both - {ended}, {ended})


def test_a_cluster_is_asked_once_a_node(companies, django_assert_num_queries):
    with django_assert_num_queries(3):
        nodes.fetch(f"SELECT h.organization_id FROM history_historyhead h WHERE {nodes.of('h.organization_id')}")


def test_health_and_metrics_name_the_node_that_is_away_and_the_service_is_as_ready_as_before(
    companies, administration, client
):
    dead, well = companies
    names = {node: f"{host}:{port}" for node, host, port in administration.execute(_ADDRESSES).fetchall()}
    before = client.get("/readyz")
    reported = {each["node"]: each for each in before.json()["nodes"]}
    assert reported.keys() == set(names.values())
    assert all(each["answers"] and each["companies"] for each in reported.values())
    with away(administration, dead):
        ((_, host, port),) = (each for each in administration.execute(_ADDRESSES).fetchall() if each[0] == dead)
        away_name = f"{host}:{port}"
        after = client.get("/readyz")
        text = generate_latest(metrics.registry(lambda: datetime.now(UTC))).decode()
    assert after.status_code == before.status_code
    reported = {each["node"]: each["answers"] for each in after.json()["nodes"]}
    assert reported == {away_name: False, names[well]: True}
    assert f'svc_node_up{{node="{away_name}"}} 0.0' in text
    assert f'svc_node_up{{node="{names[well]}"}} 1.0' in text
    assert f'svc_node_companies{{node="{away_name}"}}' in text
    assert "svc_database_up 1.0" in text
