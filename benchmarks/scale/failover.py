"""A primary and two standbys under Patroni, killed and frozen under load: what is lost, and for how long.

All are real processes: etcd, three Patronis with their PostgreSQL, our web server, worker, beat and signer.
"""

import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import psycopg

from benchmarks.scale.load import Answer, Load, counted, others
from benchmarks.scale.patroni import Cluster, Machine, Tools
from benchmarks.scale.table import Row
from development.embedded import redis
from tests.operations.company import drained, gaps
from tests.operations.service import ROOT, Service, running_as, wait_for

BOUND_SECONDS = 30.0
PATIENCE_SECONDS = 120.0
PAGES = ("/console/sign-in/", "/learn/", "/readyz")
COMPANIES = 2


class OnPatroni(Service):
    """The service on a cluster of three machines."""

    cluster: Cluster

    def start_servers(self) -> dict[str, str]:
        """Starts Redis and the cluster."""
        password = "scale"
        port = redis.start(self.folder, None, password)
        self.cluster = Cluster(self.folder / "servers", Tools(ROOT / "var" / "scale"))
        return {
            "DATABASE_URL": self.cluster.address("app"),
            "DATABASE_OWNER_URL": self.cluster.address("owner"),
            "DATABASE_SUPERUSER_URL": self.cluster.address("superuser"),
            "REDIS_URL": redis.url(port, password),
            "DATABASE_PATIENCE_SECONDS": "2",
            "STATEMENT_TIMEOUT_MILLISECONDS": "30000",
        }

    def stop_servers(self) -> None:
        """Ends the cluster and Redis."""
        self.cluster.end()
        redis.stop(self.folder)


class Run:
    """One service under load, on which each fault is tried in turn."""

    def __init__(self, service: OnPatroni, seed: int = 7) -> None:
        self.service, self.cluster, self.chance = service, service.cluster, random.Random(seed)
        self.organizations = [service.create_company(f"Under load {number}") for number in range(COMPANIES)]
        self.load = Load(
            service.base_url,
            sources=[self._source(organization_id) for organization_id in self.organizations],
            key=service.create_key(self.organizations[0]),
            pages=PAGES,
        )
        wait_for(lambda: len(self.load.acknowledged) > 20, PATIENCE_SECONDS, "the first acknowledged facts")

    def _source(self, organization_id: str) -> str:
        made = self.service.manage("create_source", organization_id, "HR", "--kind", "employee_joined", "--json")
        return str(json.loads(made.stdout)["token"])

    def kills(self, times: int, what: str, strike: Callable[[Machine], None]) -> Row:
        """Lets the primary fail, waits until another serves and the first is its standby, and repeats."""
        longest, answers = [], list[Answer]()
        captured = list[float]()
        for number in range(times):
            time.sleep(self.chance.uniform(0.5, 2.0))
            since, before = time.monotonic(), len(self.load.acknowledged)
            struck = self._primary()
            strike(struck)
            self._until(partial(self._other_than, struck), "another primary")
            self._until(partial(self._acknowledged_more_than, before + 5), "acknowledged facts")
            captured.append(self._captures_again())
            if struck.patroni.popen.poll() is not None:
                struck.patroni.start()
            self._until(self.cluster.is_whole, "the old primary as a standby")
            until = time.monotonic()
            longest.append(self.load.longest_without(since, until))
            answers += self.load.answers_between(since, until)
            _say(f"{what} {number + 1}/{times}: {longest[-1]:.1f} s without an acknowledged fact,"
                 f" whole after {until - since:.0f} s, {dict(Counter(each.status for each in answers))}")  # fmt: skip
        return self._row(what, times, longest, answers, captured)

    def freeze(self) -> Row:
        """Stops the primary's machine (SIGSTOP of all its processes), waits for its replacement, and continues it."""
        since, before = time.monotonic(), len(self.load.acknowledged)
        struck = self._primary()
        struck.signal(signal.SIGSTOP)
        replaced = self._until(partial(self._other_than, struck), "another primary")
        written = self._until(partial(self._acknowledged_more_than, before + 5), "acknowledged facts")
        _say(f"frozen: another primary after {replaced:.1f} s, facts acknowledged {written:.1f} s later")
        captured = [self._captures_again()]
        time.sleep(max(0.0, since + 60 - time.monotonic()))  # a minute in all
        struck.signal(signal.SIGCONT)
        two = self._two_primaries_while(lambda: not self.cluster.is_whole())
        until = time.monotonic()
        row = self._row(
            "primary's machine frozen for 60 s (SIGSTOP), then awake again", 1,
            [self.load.longest_without(since, until)], self.load.answers_between(since, until), captured,
        )  # fmt: skip
        return row._replace(found=f"{row.found}; two servers took writes for {two:.1f} s")

    def without_standby(self, seconds: float = 60.0) -> Row:
        """Ends both standbys, so that none is synchronous: writes wait for one, reads go on."""
        standbys = self.cluster.others()
        since = time.monotonic()
        for standby in standbys:
            standby.kill()
        time.sleep(seconds)
        until = time.monotonic()
        written = [each for each in self.load.written if since + 15 <= each.at <= until]
        read = [each for each in self.load.read if since <= each.at <= until]
        acknowledged = [each for each in self.load.acknowledged if since + 1 <= each.at <= until]
        for standby in standbys:
            standby.patroni.start()
        self._until(self.cluster.is_whole, "the standbys")
        self._until(lambda: bool([each for each in self.load.acknowledged if each.at > until]), "acknowledged facts")
        found = (
            f"acknowledged meanwhile {len(acknowledged)}; writes {counted(written)};"
            f" reads {counted(read)}, slowest {max((each.seconds for each in read), default=0):.1f} s;"
            f" acknowledged again {time.monotonic() - until:.0f} s after the standbys were started"
        )
        faults = [] if not acknowledged else ["acknowledged what one machine holds"]
        faults += others(read, 200, 503)
        return Row(f"both standbys gone for {seconds:.0f} s", 1, found, "acknowledged 0", tuple(faults))

    def end(self) -> Row:
        """Ends the load, compares what was acknowledged with the database, and verifies the chains."""
        self.load.end()
        for organization_id in self.organizations:
            wait_for(partial(drained, self.service, organization_id), PATIENCE_SECONDS, "an empty queue")
        known = self._known()
        lost = [each for each in self.load.acknowledged if each.fact_id not in known]
        missing, faults = sum(gaps(self.service, each) for each in self.organizations), self.service.verify()
        wrong = [f"{len(lost)} lost"] if lost else []
        wrong += [f"{missing} sequences missing"] if missing else []
        wrong += faults
        found = f"{len(self.load.acknowledged):,} acknowledged facts, lost {len(lost)}; sequences missing {missing}; "
        found += "chains, checkpoints and receipts verify" if not faults else "verification failed"
        return Row("after all of these", 1, found, "lost 0, verified", tuple(wrong))

    def _row(self, what: str, times: int, longest: list[float], answers: list[Answer], captured: list[float]) -> Row:
        slow = max((each.seconds for each in answers if each.status == 503), default=0.0)
        acknowledged = tuple(self.load.acknowledged)  # before the query, because facts go on being acknowledged
        known = self._known()
        lost = sum(each.fact_id not in known for each in acknowledged)
        found = (
            f"lost {lost}; without an acknowledged fact {max(longest):.1f} s at most; {counted(answers)};"
            f" slowest 503 {slow:.1f} s; captured again {max(captured):.1f} s after writes"
        )
        faults = [f"{lost} lost"] if lost else []
        faults += [f"{max(longest):.1f} s"] if max(longest) > BOUND_SECONDS else []
        return Row(what, times, found, "lost 0, 30 s, 200 or 503", (*faults, *others(answers, 200, 503)))

    def _known(self) -> set[str]:
        rows = self.service.ask(
            "SELECT fact_id FROM pending_fact WHERE organization_id = ANY(%s::uuid[])", self.organizations
        )
        return {str(row[0]) for row in rows}

    def _captures_again(self) -> float:
        """Seconds until the worker has captured the last fact that is acknowledged now."""
        last = self.load.acknowledged[-1].person_id
        statement = (
            "SELECT 1 FROM history_historyrecord"
            " WHERE organization_id = ANY(%s::uuid[]) AND register = 2 AND record_id = %s"
        )
        return wait_for(
            lambda: self._asked(statement, self.organizations, last), PATIENCE_SECONDS, "a capture after the failover"
        )

    def _asked(self, statement: str, *values: Any) -> bool:
        try:
            return bool(self.service.ask(statement, *values))
        except psycopg.OperationalError:
            return False

    def _acknowledged_more_than(self, count: int) -> bool:
        return len(self.load.acknowledged) > count

    def _primary(self) -> Machine:
        wait_for(lambda: self.cluster.primary() is not None, PATIENCE_SECONDS, "a primary")
        found = self.cluster.primary()
        assert found is not None
        return found

    def _other_than(self, struck: Machine) -> bool:
        found = self.cluster.primary()
        return found is not None and found is not struck

    def _until(self, question: Callable[[], bool], what: str) -> float:
        return self.cluster.wait_for(question, PATIENCE_SECONDS, what)

    def _two_primaries_while(self, question: Callable[[], bool]) -> float:
        """For how many seconds more than one server accepted writing connections, while a question is answered yes."""
        seconds, last = 0.0, time.monotonic()
        deadline = last + PATIENCE_SECONDS
        while question() and time.monotonic() < deadline:
            writable = sum(self._takes_writes(machine) for machine in self.cluster.machines)
            now = time.monotonic()
            seconds, last = seconds + (now - last if writable > 1 else 0.0), now
            time.sleep(0.05)
        return seconds

    def _takes_writes(self, machine: Machine) -> bool:
        parts = urlsplit(self.cluster.address("app"))
        address = f"postgresql://{parts.username}:{parts.password}@127.0.0.1:{machine.port}/compliance"
        try:
            with psycopg.connect(address, connect_timeout=2, target_session_attrs="read-write"):
                return True
        except psycopg.Error:
            return False


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def measure(times: int) -> list[Row]:
    """Measures every row of a primary that fails over."""
    rows = []
    with running_as(OnPatroni, "web", "worker", "signer", "beat") as service:
        run = Run(service)
        try:
            rows.append(run.kills(times, "kill -9 of the primary's machine", Machine.kill))
            rows.append(run.kills(max(times // 3, 1), "kill -9 of PostgreSQL alone", _kill_database))
            rows.append(run.freeze())
            rows.append(run.without_standby())
        finally:
            run.load.end()
        rows.append(run.end())
    return rows


def _kill_database(machine: Machine) -> None:
    machine.signal(signal.SIGKILL, database_alone=True)
