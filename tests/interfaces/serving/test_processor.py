"""Web workers that stay on one processor each."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.interfaces.serving.conftest import send, serving

STAYS = "from compliance.interfaces.serving import processor; print(processor.stay(), flush=True); input()"
ALLOWED = sorted(os.sched_getaffinity(0))


class Worker:
    """A process that stays on a processor until it is ended."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-c", STAYS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.processor = int(self._process.stdout.readline())
        assert os.sched_getaffinity(self._process.pid) == {self.processor}

    def end(self):
        self._process.communicate("\n", timeout=30)


def test_workers_get_processors_in_turn_and_one_that_comes_later_the_place_of_one_that_ended():
    workers = [Worker() for _ in range(len(ALLOWED) + 1)]
    try:
        assert [each.processor for each in workers] == [*ALLOWED, ALLOWED[0]]
        workers.pop(1).end()
        workers.append(Worker())
        assert workers[-1].processor == [*ALLOWED, ALLOWED[0]][1]
    finally:
        for each in workers:
            each.end()


@pytest.mark.parametrize(("setting", "processors"), [("one", [ALLOWED[0]]), ("all", ALLOWED)])
def test_all_threads_of_a_web_worker_stay_where_the_setting_says(committed, process_environment, setting, processors):
    with serving("config.asgi:application", process_environment | {"WEB_WORKER_PROCESSORS": setting}) as port:
        assert send(port, b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        (server,) = (each for each in psutil.Process().children() if str(port) in each.cmdline())
        worker = max(server.children(recursive=True), key=psutil.Process.num_threads)
        threads = [int(each.name) for each in Path(f"/proc/{worker.pid}/task").iterdir()]
        assert len(threads) > 3
        assert {frozenset(os.sched_getaffinity(each)) for each in threads} == {frozenset(processors)}
