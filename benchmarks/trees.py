"""The row of the table for proofs: an audit path read from a large company's tree."""

import random
from collections.abc import Iterator

from benchmarks import measuring
from benchmarks.building import Company
from benchmarks.reads import Result
from compliance.history import tree
from compliance.history.queries import sequence
from compliance.tenancy import context


def path_rows(company: Company, rounds: int = 1000) -> Iterator[Result]:
    """The time that the path of one row takes, of rows all over the tree, its transaction included."""
    size, chance = sequence(company.organization_id), random.Random(3)

    def path() -> None:
        with context.company(company.organization_id):
            tree.inclusion(company.organization_id, chance.randint(1, size), size)

    for _ in range(50):
        path()
    taken = sorted(measuring.once(path) * 1000 for _ in range(rounds))
    slowest = taken[int(rounds * 0.99)]
    note = f"{size:,} rows; median {taken[rounds // 2]:.2f} ms"
    yield Result("audit path of a row, ms (99 of 100)", slowest, "<= 5", slowest <= 5, "", note)
