"""A node of a cluster that is killed, freezes or is slow, and the coordinator started again, each under load.

The bounds: callers of the node's companies get 200 or, within two seconds, 503; all others get 200.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable

from benchmarks.scale.cluster import Node, OnCluster, Run, now
from benchmarks.scale.load import Answer, counted, others, slowest
from benchmarks.scale.table import Row
from tests.operations.service import running_as

BOUND_SECONDS = 2.0
COORDINATOR_SECONDS = 30.0
AWAY_SECONDS = 3.0
FROZEN_SECONDS = float(os.environ.get("SCALE_SECONDS", "60"))
SLOW_SECONDS = 20.0
_STOPPED, _RUNNING = 0.45, 0.05
"""A slow node is stopped for nine tenths of the time, as if its disk or processor were overloaded."""


class Faults:
    """The faults, each tried several times on a service under load."""

    def __init__(self, run: Run, seed: int = 7) -> None:
        self._run, self._chance = run, random.Random(seed)

    def kills(self, times: int) -> Row:
        """Kills one node after another, and starts each again after a while."""
        return self._each("kill -9 of a node's machine", times, _kill)

    def freezes(self, times: int, seconds: float) -> Row:
        """Stops one node after another (SIGSTOP), and continues it."""
        return self._each(
            f"a node frozen for {seconds:.0f} s (SIGSTOP), then awake again", times, lambda node: _freeze(node, seconds)
        )

    def slow(self) -> Row:
        """Makes a node answer late: only its own callers may notice."""
        return self._each(f"a node that stands still nine tenths of the time, for {SLOW_SECONDS:.0f} s", 1, _slow)

    def coordinator(self, times: int) -> Row:
        """Starts the coordinator again under load, once after killing it."""
        longest, answers = [], list[Answer]()
        for number in range(times):
            since = now()
            if number % 2:
                self._run.coordinator.kill()
            else:
                self._run.coordinator.end()
            self._run.coordinator.start()
            self._run.until_written(self._run.companies, now())
            until = now()
            for company in self._run.companies:
                longest.append(company.load.longest_without(since, until))
                answers += company.load.answers_between(since, until)
            answers += self._run.nobody.answers_between(since, until)
            _say(f"coordinator {number + 1}/{times}: {longest[-1]:.1f} s; {counted(answers)}")
            self._run.explain([each for each in answers if each.at >= since and each.status not in (200, 503)])
        lost = self._run.lost()
        found = (
            f"lost {lost}; without an acknowledged fact {max(longest):.1f} s at most; {counted(answers)};"
            f" slowest 503 {slowest(answers, 503):.1f} s"
        )
        faults = [f"{lost} lost"] if lost else []
        faults += [f"{max(longest):.1f} s"] if max(longest) > COORDINATOR_SECONDS else []
        faults += others(answers, 200, 503)
        return Row("the coordinator started again", times, found, "lost 0, 30 s, 200 or 503", tuple(faults))

    def after(self) -> Row:
        """Ends the load, and compares what was acknowledged with the database."""
        self._run.end_load()
        found, wrong = self._run.remains()
        return Row("after all of these", 1, found, "lost 0, verified", tuple(wrong))

    def _each(self, what: str, times: int, strike: Callable[[Node], None]) -> Row:
        there, elsewhere, again = list[Answer](), list[Answer](), list[float]()
        for number in range(times):
            time.sleep(self._chance.uniform(0.5, 2.0))
            node = self._run.nodes[number % len(self._run.nodes)]
            since = now()
            strike(node)
            awake = now()
            self._run.until_written(self._run.companies_on(node), awake)
            until = now()
            again.append(until - awake)
            of_this, of_others = self._run.there(node, since, until), self._run.elsewhere(node, since, until)
            there += of_this
            elsewhere += of_others
            _say(f"{what} {number + 1}/{times}: there {counted(of_this)}, slowest 503 {slowest(of_this, 503):.1f} s;"
                 f" elsewhere {counted(of_others)}, slowest {slowest(of_others, 200):.1f} s;"
                 f" captured {again[-1]:.1f} s after it is back")  # fmt: skip
            self._run.explain(
                [each for each in of_this if each.status not in (200, 503) or _is_late(each)]
                + [each for each in of_others if each.status != 200]
            )
        lost = self._run.lost()
        found = (
            f"lost {lost}; its companies {counted(there)}, slowest 503 {slowest(there, 503):.1f} s;"
            f" all others {counted(elsewhere)}, slowest {slowest(elsewhere, 200):.1f} s;"
            f" captured again {max(again):.1f} s after it is back"
        )
        faults = [f"{lost} lost"] if lost else []
        faults += [f"its companies: {each}" for each in others(there, 200, 503)]
        faults += [f"others: {each}" for each in others(elsewhere, 200)]
        late = sum(_is_late(each) for each in there)
        faults += [f"{late} of 503 after more than 2 s"] if late else []
        return Row(what, times, found, "lost 0; its companies 200, or 503 within 2 s; others 200", tuple(faults))


def _is_late(answer: Answer) -> bool:
    return answer.status == 503 and answer.seconds > BOUND_SECONDS


def _kill(node: Node) -> None:
    node.kill()
    time.sleep(AWAY_SECONDS)
    node.start()


def _freeze(node: Node, seconds: float) -> None:
    node.signal(signal.SIGSTOP)
    time.sleep(seconds)
    node.signal(signal.SIGCONT)


def _slow(node: Node) -> None:
    until = now() + SLOW_SECONDS
    while now() < until:
        node.signal(signal.SIGSTOP)
        time.sleep(_STOPPED)
        node.signal(signal.SIGCONT)
        time.sleep(_RUNNING)


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def measure(times: int) -> list[Row]:
    """Measures every row of a cluster whose servers fail: `times` kills, a quarter as many freezes."""
    rows = []
    with running_as(OnCluster, "web", "worker", "signer", "beat") as service:
        run = Run(service)
        faults = Faults(run)
        try:
            rows.append(faults.kills(times))
            rows.append(faults.freezes(max(times // 4, 1), FROZEN_SECONDS))
            rows.append(faults.slow())
            rows.append(faults.coordinator(2))
        finally:
            run.end_load()
        rows.append(faults.after())
    return rows
