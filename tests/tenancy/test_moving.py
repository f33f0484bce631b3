"""Moving companies between the nodes of a cluster."""

import contextlib
import io
import json
import re
import signal
import subprocess
import sys
import threading
import time
import uuid

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from compliance.history import actions as history
from compliance.tenancy import administration as administering
from compliance.tenancy import checks, context, moving, shards, sql
from compliance.tenancy.errors import MoveBusyError, MoveFailedError, WritesWaitedError
from development.embedded import ports
from tests.companies import make_present_company, noon
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.tenancy.test_nodes import away

ORGANIZATION = str(uuid.UUID(int=7))
PEOPLE = f"/v1/people?from={noon(200):%Y-%m-%d}&to={noon(1):%Y-%m-%d}"
MOVING = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT citus_move_shard_placement%%'"


@pytest.mark.django_db
@pytest.mark.parametrize("command", [("drain_node", "127.0.0.1:5432"), ("nodes",)])
def test_one_server_has_no_companies_to_move(settings, command):
    settings.CLUSTER = False
    with pytest.raises(CommandError, match=r"one PostgreSQL|This database is a cluster"):
        call_command(*command)


def test_without_an_administrator_nothing_is_moved_and_the_setting_is_named(settings):
    settings.CLUSTER, settings.CLUSTER_ADMINISTRATOR_URL = True, ""
    with pytest.raises(CommandError, match="CLUSTER_ADMINISTRATOR_URL is not set"):
        call_command("drain_node", "127.0.0.1:5432")


@pytest.mark.django_db
def test_a_company_that_there_is_not_is_not_moved():
    with pytest.raises(CommandError, match="There is no organization"):
        call_command("move_company", ORGANIZATION, "--to=127.0.0.1:5432")


@pytest.fixture
def company(committed):
    """A company with people, captured, and the pages of a register before anything is moved."""
    made = make_present_company()
    for name in ("Anna", "Ben", "Carla"):
        made.join(name)
    history.capture_all(made.organization_id, made.now)
    return made


@pytest.fixture
def pages(company):
    """Asks for a register of the company, with a key."""
    return Caller(issue_everything(company.organization_id, company.start))


@pytest.fixture
def brought_back(committed):
    """Brings every shard back to its node afterwards: other tests look for a company on each node."""
    before = {each.number: each.node for each in shards.shards()}
    yield
    nodes = {each.number: each for each in shards.nodes()}
    with administering.Administration() as administration:
        for each in shards.shards(administration.fetch):
            if each.node != before[each.number]:
                moving._move(administration, each, nodes[before[each.number]], lambda _: None)


def _other(company):
    """The node on which the company is not."""
    here = shards.of_company(company.organization_id).node
    return next(each for each in shards.nodes() if each.number != here)


def _is_on(company, node):
    return shards.of_company(company.organization_id).node == node.number


def _rows(company):
    with context.company(company.organization_id):
        return sql.fetch(
            "SELECT * FROM history_historyrow WHERE organization_id = %s::uuid ORDER BY sequence",
            [company.organization_id],
        )


def _passing(administration):
    """On how many nodes the owner bypasses row-level security."""
    answers = administration.execute(
        "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_roles r"
        " JOIN pg_class c ON c.relowner = r.oid WHERE c.relname = ''history_historyhead'' AND r.rolbypassrls')"
    )
    return sum(int(result) for (result,) in answers.fetchall())


@pytest.mark.cluster
def test_a_company_is_moved_while_it_is_written_and_read_and_nothing_of_it_differs(company, pages, administration):
    stop, waited, joined = threading.Event(), [0.0], [0]
    failed: list[object] = []

    def write():
        with contextlib.closing(connection):
            while not stop.is_set():
                begun = time.monotonic()
                try:
                    company.join(f"Writer {uuid.uuid4().hex}")
                    history.capture_all(company.organization_id, company.now)
                except Exception as error:  # noqa: BLE001 - any failure of a writer is what this is about
                    failed.append(error)
                    break
                joined[0] += 1
                waited[0] = max(waited[0], time.monotonic() - begun)

    def read():
        with contextlib.closing(connection):
            while not stop.is_set():
                answer = pages(PEOPLE)
                if answer.status_code not in (200, 429):
                    failed.append(answer.content)

    def look():
        with contextlib.closing(connection):
            while not stop.wait(0.5):
                failed.extend(each.sentence for each in checks.differences())

    before, first = _rows(company), pages(PEOPLE).json()["data"]
    target = _other(company)
    sentences: list[str] = []
    threads = [threading.Thread(target=each) for each in (write, read, look)]
    for each in threads:
        each.start()
    try:
        done = moving.move_company(company.organization_id, target.name, sentences.append)
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert failed == []
    assert (done.shards, done.left_over) == (1, 0)
    assert joined[0]
    assert max(waited[0], done.longest_wait) <= 5
    assert re.fullmatch(r"\d+ compan(y|ies) to 127\.0\.0\.1:\d+\.", sentences[0])
    assert _is_on(company, target)
    assert _rows(company)[: len(before)] == before
    after = pages.pull(PEOPLE)
    assert all(each in after for each in first)
    assert checks.differences() == []
    assert _passing(administration) == 0
    with context.company(uuid.uuid4()):
        seen = sql.fetch("SELECT 1 FROM history_historyrow WHERE organization_id = %s::uuid", [company.organization_id])
        assert seen == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="never changed"):
        administration.execute(
            "DELETE FROM history_historyrow WHERE organization_id = %s::uuid", [company.organization_id]
        )
    assert moving.move_company(company.organization_id, target.name, sentences.append).shards == 0


@pytest.mark.cluster
@pytest.mark.parametrize("seconds", [0.0, 3.0, 8.0], ids=["as it begins", "while it copies", "later"])
def test_a_command_that_is_killed_leaves_a_whole_company_and_is_run_again(
    company, administration, process_environment, seconds
):
    before, target = _rows(company), _other(company)
    command = [sys.executable, "manage.py", "move_company", str(company.organization_id), "--to", target.name, "--json"]
    process = subprocess.Popen(command, env=process_environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and not administration.execute(MOVING).fetchone():
            time.sleep(0.05)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()
    assert _rows(company) == before
    company.join("Dora")
    history.capture_all(company.organization_id, company.now)
    again = subprocess.run(command, env=process_environment, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["left_over"] == 0
    assert _is_on(company, target)
    assert _rows(company)[: len(before)] == before
    assert _passing(administration) == 0


@pytest.mark.cluster
def test_a_move_that_would_keep_writes_waiting_is_ended_and_says_so(company, administration, monkeypatch):
    monkeypatch.setattr(moving, "TRIES", 1)
    monkeypatch.setattr(administering, "MOST_WAITED_SECONDS", 1.0)
    before, target = _rows(company), _other(company)
    stop = threading.Event()

    def write_for_long():
        """Writes as an import does, once rows are being replicated: the move waits for a write that began before."""
        count = "SELECT result FROM run_command_on_workers('SELECT count(*) FROM pg_subscription')"
        while not stop.is_set() and all(result == "0" for (result,) in administration.execute(count).fetchall()):
            time.sleep(0.1)
        with contextlib.closing(connection), context.company(company.organization_id):
            company.join("Long")
            stop.wait(120)

    def write():
        with contextlib.closing(connection):
            while not stop.is_set():
                company.join(f"Writer {uuid.uuid4().hex}")

    threads = [threading.Thread(target=each) for each in (write_for_long, write)]
    for each in threads:
        each.start()
    try:
        with pytest.raises(WritesWaitedError, match="something writes for long"):
            moving.move_company(company.organization_id, target.name, lambda _: None)
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert not _is_on(company, target)
    assert _rows(company)[: len(before)] == before
    assert administration.execute("SELECT count(*) FROM pg_dist_cleanup").fetchone() == (0,)
    assert _passing(administration) == 0


@pytest.mark.cluster
def test_a_node_that_does_not_answer_is_given_nothing_and_one_move_at_a_time_is_made(company, administration):
    target = _other(company)
    change = "UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s"
    free = ports.free_port()
    administration.execute(change, [free, target.number])
    try:
        with pytest.raises(MoveFailedError, match="does not answer"):
            moving.move_company(company.organization_id, f"{target.host}:{free}", lambda _: None)
        assert {use.node.number: use.answers for use in shards.uses()}[target.number] is False
    finally:
        administration.execute(change, [target.port, target.number])
    with administering.Administration(), pytest.raises(MoveBusyError):
        moving.move_company(company.organization_id, target.name, lambda _: None)
    with pytest.raises(CommandError, match="no node nowhere:1"):
        call_command("move_company", str(company.organization_id), "--to=nowhere:1")
    assert not _is_on(company, target)


@pytest.mark.cluster
@pytest.mark.usefixtures("brought_back")
def test_a_drained_node_holds_no_company_and_takes_none_until_it_may_again(company, django_assert_max_num_queries):
    node = next(each for each in shards.nodes() if _is_on(company, each))
    call_command("drain_node", node.name, stdout=io.StringIO(), stderr=io.StringIO())
    try:
        assert not _is_on(company, node)
        found = io.StringIO()
        with django_assert_max_num_queries(9):
            call_command("nodes", "--companies", "--json", stdout=found)
        listed = json.loads(found.getvalue())
        (own,) = [each for each in listed["nodes"] if each["node"] == node.name]
        assert (own["takes_companies"], own["shards"], own["companies"]) == (False, 0, 0)
        assert str(company.organization_id) in {each["organization_id"] for each in listed["companies"]}
        with pytest.raises(CommandError, match="is drained"):
            call_command("move_company", str(company.organization_id), f"--to={node.name}", stderr=io.StringIO())
    finally:
        call_command("drain_node", node.name, "--undo", stdout=io.StringIO())
    made = io.StringIO()
    call_command("move_company", str(company.organization_id), f"--to={node.name}", stdout=made, stderr=io.StringIO())
    assert made.getvalue().startswith(f"The company is on {node.name}. Moved 1 shard in ")


@pytest.mark.cluster
def test_a_node_keeps_its_own_and_takes_companies_where_no_other_answers(company, administration):
    node = next(each for each in shards.nodes() if _is_on(company, each))
    other = _other(company)

    def takes():
        return next(each.takes_companies for each in shards.nodes() if each.number == node.number)

    with away(administration, other.number):
        with pytest.raises(MoveFailedError, match=f"No other node .* answers .*: {node.name} keeps its own"):
            moving.drain_node(node.name, lambda _: None)
        assert takes()
        here = next(each for each in shards.nodes() if each.number == other.number)
        with pytest.raises(MoveFailedError, match=f"The node {here.name} does not answer. Nothing was moved."):
            moving.drain_node(here.name, lambda _: None)
    assert takes()


@pytest.mark.cluster
@pytest.mark.usefixtures("brought_back")
def test_a_node_is_drained_to_one_that_answers_and_says_when_it_is_left_drained(company, administration, monkeypatch):
    """A third node that is away exists in the catalogue only: with three real nodes, two would have to be empty."""
    node, other = next(each for each in shards.nodes() if _is_on(company, each)), _other(company)
    administration.execute(
        "INSERT INTO pg_dist_node (nodename, nodeport, groupid, noderole, shouldhaveshards, isactive, metadatasynced,"
        " hasmetadata) VALUES ('127.0.0.1', %s, 99, 'primary', true, false, false, false)",
        [ports.free_port()],
    )
    sentences: list[str] = []
    try:
        moving.drain_node(node.name, sentences.append)
        chosen = [each for each in sentences if re.match(r"\d+ of \d+: ", each)]
        assert chosen
        assert all(each.endswith(f" to {other.name}.") for each in chosen)
        assert _is_on(company, other)
        administration.execute("UPDATE pg_dist_node SET shouldhaveshards = true WHERE nodeid = %s", [node.number])
        with monkeypatch.context() as hurried:
            hurried.setattr(administering, "MOST_WAITED_SECONDS", -1.0)
            hurried.setattr(moving, "TRIES", 1)
            with pytest.raises(WritesWaitedError, match=f"{other.name} is given no companies since .* --undo"):
                moving.drain_node(other.name, lambda _: None)
        assert _is_on(company, other)
    finally:
        administration.execute("DELETE FROM pg_dist_node WHERE groupid = 99")
        for each in (node, other):
            moving.fill_node(each.name)


@pytest.mark.cluster
def test_a_company_of_a_node_that_is_away_is_not_moved_and_the_node_is_named(company, administration):
    node = next(each for each in shards.nodes() if _is_on(company, each))
    target = _other(company)
    with away(administration, node.number):
        here = next(each for each in shards.nodes() if each.number == node.number)
        with pytest.raises(MoveFailedError, match=f"The node {here.name} does not answer. Nothing was moved."):
            moving.move_company(company.organization_id, target.name, lambda _: None)


@pytest.mark.cluster
def test_a_move_that_is_interrupted_says_what_to_do_in_one_sentence(company, administration, process_environment):
    target = _other(company)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "move_company", str(company.organization_id), "--to", target.name],
        env=process_environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not administration.execute(MOVING).fetchone():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate()
    assert process.returncode == 130
    assert text.splitlines()[-1].startswith("CommandError: The move was interrupted. The company is whole on one node")
    assert "Traceback" not in text
    assert _passing(administration) == 0


def test_what_a_server_says_is_one_line_without_its_prefix(administration):
    with pytest.raises(psycopg.Error) as raised:
        administration.execute("DO $$ BEGIN RAISE EXCEPTION E'ERROR:  it is so.\nAsk again.'; END $$")
    assert administering._sentence(raised.value) == "It is so."


@pytest.mark.cluster
def test_what_a_node_says_names_the_node(company, administration):
    node = next(each for each in shards.nodes() if _is_on(company, each))
    with pytest.raises(psycopg.Error) as raised:
        administration.execute(
            "SELECT 1 / (sequence - sequence) FROM history_historyhead WHERE organization_id = %s::uuid",
            [company.organization_id],
        )
    assert administering._sentence(raised.value) == f"The node {node.name} answers: Division by zero."
