"""The service on a coordinator and two nodes of Citus, with companies on both nodes and callers of each company.

CITUS names the folder with PostgreSQL 18 and Citus, as for `make test` (docs/scale.md).
"""

import contextlib
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import psycopg

from benchmarks.scale.load import Answer, Load
from development.embedded import cluster, postgresql
from tests.operations.company import drained, gaps
from tests.operations.service import Service, set_up_django, wait_for

PATIENCE_SECONDS = 120.0
COMPANIES_ON_EACH = 2
RECOVERED_SECONDS = 5.0
"""After this time Citus has recovered what a dead node had prepared: it checks each second (`cluster.py` of `embedded`)."""
MOST_EXPLAINED = 8
OF_NOBODY = ("/console/sign-in/", "/learn/", "/readyz")
"""Pages of no company: they are requested together with those of the companies that no fault affects."""
_PLACE = """
SELECT n.nodeport, p.shardid FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
WHERE p.shardid = get_shard_id_for_distribution_column('history_historyhead', %s::uuid)
"""


class OnCluster(Service):
    """The service on a cluster."""

    def start_servers(self) -> dict[str, str]:
        """Starts Redis, the coordinator and its nodes. Raises KeyError where CITUS is not set."""
        os.environ["CITUS"]  # without it, one plain PostgreSQL would be started
        return super().start_servers() | {
            "DATABASE_PATIENCE_SECONDS": "2",
            "STATEMENT_TIMEOUT_MILLISECONDS": "30000",
        }


class Node:
    """One PostgreSQL server of the cluster: a node, or the coordinator."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port

    def processes(self) -> list[psutil.Process]:
        """The server and all that it started."""
        with contextlib.suppress(psutil.Error, OSError, ValueError):
            file = postgresql.data_folder(self.folder) / "postmaster.pid"
            postmaster = psutil.Process(int(file.read_text().split("\n", 1)[0]))
            return [postmaster, *postmaster.children(recursive=True)]
        return []

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to every process of the server, its first process before the others."""
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.send_signal(number)

    def kill(self) -> None:
        """Kills all its processes (kill -9), like a machine that loses power, and waits until none is left."""
        postgresql.stop(self.folder, signal.SIGKILL)

    def end(self) -> None:
        """Shuts it down."""
        postgresql.stop(self.folder)

    def start(self) -> None:
        """Starts it again; it recovers from its log first."""
        cluster.start_again(self.folder)


class Company(NamedTuple):
    """A company under load: its node, and its callers."""

    organization_id: str
    key: str
    node: int
    load: Load


class Run:
    """The service under load, on which each fault is tried in turn."""

    def __init__(self, service: OnCluster) -> None:
        self.service = service
        ports = [int(port) for port in service.addresses["CLUSTER_WORKERS"].split(",")]
        folders = cluster.folders(service.folder)
        self.nodes = [Node(folder, port) for folder, port in zip(folders, ports, strict=True)]
        self.coordinator = Node(service.folder, int(service.addresses["DATABASE_PORT"]))
        self._shards = set[int]()
        set_up_django(service)
        self.companies = [
            self._created(node, f"Under load {number}")
            for node in self.nodes
            for number in range(1, COMPANIES_ON_EACH + 1)
        ]
        self.nobody = Load(service.base_url, sources=[], key="", pages=OF_NOBODY)
        for company in self.companies:
            self.until(partial(_acknowledged_more_than, company.load, 5), "the first acknowledged facts")

    def _created(self, node: Node, name: str) -> Company:
        """Creates a company on a node, on a shard of its own, and starts its callers."""
        from compliance.access.actions import issue_key
        from compliance.access.sources import issue_source
        from compliance.facts.lines.kinds import Audience, NoDeadline
        from compliance.history.actions import create_company
        from compliance.rules.vocabulary import Scope
        from tests import verbs

        organization_id = uuid.uuid4()
        while (place := self._place(organization_id))[0] != node.port or place[1] in self._shards:
            organization_id = uuid.uuid4()
        self._shards.add(place[1])
        moment = datetime.now(UTC)
        began = (moment - timedelta(days=30)).date()
        create_company(
            name=name, time_zone="UTC", history_from=began, now=moment, organization_id=organization_id
        )  # fmt: skip
        when = {"organization_id": organization_id, "at": moment, "now": moment}
        course_id = verbs.create_course(**when, title="Fire safety")
        verbs.publish_release(**when, course_id=course_id, version=1)
        verbs.share_course(**when, course_id=course_id, audience=Audience(everyone=True), deadline=NoDeadline())
        given: dict[str, Any] = {
            "organization_id": organization_id, "environment": "test", "at": moment, "actor": "make scale",
        }  # fmt: skip
        key, _ = issue_key(scopes=tuple(Scope), **given)
        token, _ = issue_source(name="HR", kinds=("employee_joined",), **given)
        load = Load(self.service.base_url, sources=[token], key=key, pages=())
        return Company(str(organization_id), key, node.port, load)

    def node_of(self, organization_id: str) -> int:
        """The port of the node that holds a company now."""
        return self._place(uuid.UUID(organization_id))[0]

    def _place(self, organization_id: uuid.UUID) -> tuple[int, int]:
        """The port of a company's node, and its shard."""
        ((port, shard),) = self.service.ask(_PLACE, organization_id)
        return int(port), int(shard)

    def companies_on(self, node: Node) -> list[Company]:
        """The companies that were created on a node."""
        return [each for each in self.companies if each.node == node.port]

    def companies_elsewhere(self, node: Node) -> list[Company]:
        """All other companies."""
        return [each for each in self.companies if each.node != node.port]

    def elsewhere(self, node: Node, since: float, until: float) -> list[Answer]:
        """The answers to callers of companies on other nodes, and to visitors of pages of no company."""
        loads = [*(each.load for each in self.companies_elsewhere(node)), self.nobody]
        return [answer for load in loads for answer in load.answers_between(since, until)]

    def there(self, node: Node, since: float, until: float) -> list[Answer]:
        """The answers to callers of a node's companies."""
        return [answer for each in self.companies_on(node) for answer in each.load.answers_between(since, until)]

    def until_written(self, companies: list[Company], since: float) -> None:
        """Waits until each of the companies has a fact that was acknowledged and captured after a moment."""
        for company in companies:
            self.until(partial(_acknowledged_after, company.load, since), "acknowledged facts")
        for company in companies:
            self.until(partial(self._is_captured, company), "a capture")

    def _is_captured(self, company: Company) -> bool:
        last = company.load.acknowledged[-1].person_id
        statement = (
            "SELECT 1 FROM history_historyrecord WHERE organization_id = %s::uuid AND register = 2 AND record_id = %s"
        )
        return bool(self.asked(statement, company.organization_id, last))

    def asked(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """The database's answer to its superuser; an empty list if it does not answer."""
        try:
            return self.service.ask(statement, *values)
        except psycopg.Error:
            return []

    def until(self, question: Callable[[], bool], what: str) -> float:
        """Waits until `question` returns True; returns how many seconds that took."""
        return wait_for(question, PATIENCE_SECONDS, what)

    def explain(self, answers: list[Answer]) -> None:
        """Prints each answer, and what the web server's log has about its request."""
        if not answers:
            return
        log = (self.service.folder / "web.log").read_text(errors="replace").splitlines()
        for each in answers[:MOST_EXPLAINED]:
            sys.stderr.write(
                f"  {each.status or 'no answer'} after {each.seconds:.1f} s: {each.path} {each.request_id} {each.body}\n"
            )
            for line in log:
                if each.request_id and each.request_id in line:
                    sys.stderr.write(f"    {line}\n")
        if len(answers) > MOST_EXPLAINED:
            sys.stderr.write(f"  and {len(answers) - MOST_EXPLAINED} more\n")

    def lost(self) -> int:
        """How many facts acknowledged up to now the database lacks; it asks again for some time until none is missing.

        A node that dies between the two phases of a commit keeps the transaction prepared: the fact is acknowledged, and
        visible again when Citus has recovered it, some seconds after the node is back.
        """
        until = now() + RECOVERED_SECONDS
        while (missing := self._missing()) and now() < until:
            time.sleep(0.2)
        return missing

    def _missing(self) -> int:
        missing = 0
        for company in self.companies:
            acknowledged = tuple(company.load.acknowledged)  # before the query, because facts go on
            rows = self.service.ask(
                "SELECT fact_id FROM pending_fact WHERE organization_id = %s::uuid", company.organization_id
            )
            known = {str(row[0]) for row in rows}
            missing += sum(each.fact_id not in known for each in acknowledged)
        return missing

    def end_load(self) -> None:
        """Ends the callers."""
        for load in (*(each.load for each in self.companies), self.nobody):
            load.end()

    def remains(self) -> tuple[str, list[str]]:
        """After the load: a sentence on what was acknowledged, lost, missing and verified; and the bounds broken."""
        for company in self.companies:
            self.until(partial(drained, self.service, company.organization_id), "an empty queue")
        lost, faults = self.lost(), self.service.verify()
        missing = sum(gaps(self.service, each.organization_id) for each in self.companies)
        count = sum(len(each.load.acknowledged) for each in self.companies)
        wrong = [f"{lost} lost"] if lost else []
        wrong += [f"{missing} sequences missing"] if missing else []
        found = f"{count:,} acknowledged facts, lost {lost}; sequences missing {missing}; "
        found += "chains, checkpoints and receipts verify" if not faults else "verification failed"
        return found, wrong + faults


def now() -> float:
    """The moment by the clock with which answers are recorded."""
    return time.monotonic()


def _acknowledged_more_than(load: Load, count: int) -> bool:
    return len(load.acknowledged) > count


def _acknowledged_after(load: Load, since: float) -> bool:
    return bool(load.acknowledged) and load.acknowledged[-1].at > since
