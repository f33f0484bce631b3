"""The rows of a company's tree: reading an audit path from a large one, and what the tree adds to a capture."""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from unittest import mock

from benchmarks import measuring, writes
from benchmarks.building import Company
from benchmarks.reads import Result, at_most
from compliance.history import actions as history
from compliance.history import tree
from compliance.history.queries import sequence
from compliance.tenancy import context


def path_rows(company: Company) -> Iterator[Result]:
    """Measures reading the path of one row, with its transaction, for rows all over the tree."""
    size, chance = sequence(company.organization_id), random.Random(3)

    def path() -> None:
        with context.company(company.organization_id):
            tree.inclusion(company.organization_id, chance.randint(1, size), size)

    for _ in range(50):
        path()
    rounds = 1000
    taken = sorted(measuring.once(path) * 1000 for _ in range(rounds))
    slowest = taken[int(rounds * 0.99)]
    note = f"{size:,} rows; median {taken[rounds // 2]:.2f} ms"
    yield Result("audit path of a row, ms (99 of 100)", slowest, "<= 5", slowest <= 5, "", note)


def capture_rows(rounds: int, size: int) -> Iterator[Result]:
    """Captures of `size` completions of a company with its tree, against those of another company without a tree.

    This process makes both in turn. A capture without a tree is the product's own, except that the tree's two steps do
    nothing: no leaf is hashed, and no root is written.
    """
    now = datetime.now(UTC)
    companies = {name: writes.company_that_owes(size, 1, now) for name in ("with", "without")}
    taken: dict[str, list[tuple[float, float]]] = {"with": [], "without": []}
    versions = 0
    for number in range(rounds):
        for name in sorted(companies, reverse=number % 2 == 1):
            organization_id, people = companies[name]
            writes.complete(organization_id, people, number, now)
            capture = partial(history.capture_all, organization_id, datetime.now(UTC))
            if name == "with":
                taken[name].append(_timed(capture))
                continue
            grow, keep = (mock.patch.object(tree, each, return_value=()) for each in ("grow", "keep"))
            with grow, keep:
                taken[name].append(_timed(capture))
        versions = sequence(companies["with"][0])
    clock, processor = (
        statistics.median(a[place] / b[place] for a, b in zip(taken["with"], taken["without"], strict=True))
        for place in (0, 1)
    )
    row = at_most("capture with the company's tree, against one without, in processor time", processor, 1.1, "1", {})
    yield row._replace(note=f"median of {rounds} pairs, {versions:,} versions; {clock:.2f} of the clock")


def _timed(capture: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and seconds of the processor of PostgreSQL's sessions and this process together."""
    servers, used = measuring.processor_seconds(), time.process_time()
    taken = measuring.once(capture)
    used = time.process_time() - used
    return taken, used + measuring.processor_seconds() - servers
