"""Measures several things in turn, so that all run under the same conditions, and returns medians of the rounds."""

import contextlib
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
from django.db import connections


def interleaved(
    things: Mapping[str, Callable[[], object]], rounds: int, *, warm: int = 2, in_a_row: int = 1
) -> dict[str, float]:
    """The median seconds of each thing. In each round the things take turns, each several times in a row.

    They run several times in a row because a call that follows another thing finds the processor's caches filled with
    that: one of our pages takes a quarter longer after a peer's page than after one of our own, and a pull asks for
    page after page.
    """
    taken: dict[str, list[float]] = {name: [] for name in things}
    for number in range(rounds + warm):
        for name, thing in things.items():
            for _ in range(in_a_row):
                began = time.perf_counter()
                thing()
                if number >= warm:
                    taken[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in taken.items()}


def once(thing: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    began = time.perf_counter()
    thing()
    return time.perf_counter() - began


def peak_mebibytes() -> float:
    """The peak memory of this process in mebibytes. `getrusage` would include the peak of the process that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("This system tells no process its peak of memory.")


def processor_seconds() -> float:
    """The processor seconds of the web server and PostgreSQL's sessions so far.

    Not included are this process, which is the client, and PostgreSQL's own work after the building (vacuum,
    checkpoints).
    """
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        postmaster = psutil.Process(int(cursor.fetchone()[0])).parent()
    assert postmaster is not None
    found = {each.pid: each for root in (psutil.Process(), postmaster) for each in root.children(recursive=True)}
    used = 0.0
    for each in found.values():
        with contextlib.suppress(psutil.NoSuchProcess):
            if not any(word in " ".join(each.cmdline()) for word in _OF_ITS_OWN):
                used += sum(each.cpu_times()[:2])
    return used


_OF_ITS_OWN = ("checkpointer", "background writer", "walwriter", "autovacuum", "logical replication")
