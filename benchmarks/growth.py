"""Measures how import, capture and sweep grow with the number of facts: `python -m benchmarks growth`.

Companies of one shape and three sizes, each ten times the one before (`benchmarks.large_company`), are each imported by
a process of their own; then one in a hundred of their subjects becomes due and is swept. Ten times the largest size is
extrapolated from the last two, by the same factor once more.
"""

import sys
import tempfile
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from benchmarks import large_company, writes


class Size(NamedTuple):
    """The seconds and mebibytes of a company of one size."""

    facts: float
    versions: float
    recorded: float
    captured: float
    mebibytes: float
    swept: float


def measure(people: Sequence[int], now: datetime) -> None:
    """Measures companies with these numbers of people, prints a line for each, and one for ten times the last."""
    sys.stdout.write(
        "| facts | versions | recorded in s | captured in s | facts a second | µs a version | MiB | sweep of 1 %, s |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    sizes = []
    for number in people:
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            for line in large_company.lines(number, now - timedelta(days=1)):
                file.write(line)
            file.flush()
            run = writes.imported_alone(Path(file.name))
        swept = writes.sweep_of_one_percent(uuid.UUID(run["organization_id"]), now)
        sizes.append(
            Size(
                run["facts"],
                run["versions"],
                run["recorded"],
                run["seconds"] - run["recorded"],
                run["mebibytes"],
                swept,
            )
        )
        _print(sizes[-1], "")
    before, last = sizes[-2:]
    _print(Size(*(b * b / a for a, b in zip(before, last, strict=True))), " (extrapolated)")


def _print(size: Size, note: str) -> None:
    rate = size.facts / (size.recorded + size.captured)
    sys.stdout.write(
        f"| {size.facts:,.0f}{note} | {size.versions:,.0f} | {size.recorded:,.1f} | {size.captured:,.1f} | {rate:,.0f}"
        f" | {size.captured / size.versions * 1e6:.0f} | {size.mebibytes:,.0f} | {size.swept:.2f} |\n"
    )
    sys.stdout.flush()
