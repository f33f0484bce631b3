"""`python -m benchmarks.stages --keep FOLDER`: where the time of one page of `/v1` goes, stage by stage.

The web worker's WSGI application is called in this process, page after page, as one of its threads calls it. Each
function of `STAGES` is wrapped; its line is what it takes itself, without the stages that it calls: of the clock, and of
this thread's processor. The difference is waiting, for PostgreSQL and for Redis. What a quarter of the pages do not
exceed is displayed, because other work on the machine only ever adds. FOLDER is one that `python -m benchmarks --keep
FOLDER` has filled.
"""

import argparse
import importlib
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from development.embedded import servers

_AROUND = "Django's handler, our middleware before the gate, metrics"
STAGES = {
    "limits: one script in Redis, and the lease given back by another": [
        "compliance.interfaces.api.limits:Limiter.acquire",
        "compliance.interfaces.api.limits:Limiter.release",
    ],
    "cursor opened and sealed": [
        "compliance.interfaces.api.cursors:unseal",
        "compliance.interfaces.api.cursors:seal",
    ],
    "three statements: key and head, the page, its people": [
        "compliance.tenancy.reading:fetch",
        "compliance.tenancy.reading:arriving",
        "compliance.tenancy.prepared:portion",
        "compliance.tenancy.prepared:answer",
        "compliance.tenancy.prepared:rows",
    ],
    "outcomes and JSON of the rows": ["compliance.registers.training:_rows"],
    "rows joined to the answer": [
        "compliance.registers.splicing:within",
        "compliance.interfaces.api.snapshots:page_bytes",
    ],
    "transaction begun and ended, parameters, the view": ["compliance.interfaces.api.views:RegisterViewSet.list"],
    "the checks before the view": ["compliance.interfaces.api.views:ApiViewSet.initial"],
    "DRF around both": ["compliance.interfaces.api.views:ApiViewSet.dispatch"],
    "a line in the log": ["compliance.interfaces.api.gate:_log"],
    "gate and header fields": ["compliance.interfaces.api.gate:Gate.__call__"],
}
"""The functions of each stage, as `module:name`, by the stage's name in the table."""


class Stopwatch:
    """The time of each stage without the stages that it calls, in one thread."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._inner: list[list[float]] = []

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed as a part of the stage."""

        def wrapped(*arguments: Any, **names: Any) -> Any:
            clock, processor = time.perf_counter(), time.thread_time()
            self._inner.append([0.0, 0.0])
            try:
                return function(*arguments, **names)
            finally:
                whole = (time.perf_counter() - clock, time.thread_time() - processor)
                inner = self._inner.pop()
                for place in (0, 1):
                    self.taken[stage][place] += whole[place] - inner[place]
                    if self._inner:
                        self._inner[-1][place] += whole[place]

        return wrapped

    def wrap(self) -> None:
        """Replaces the functions by their timed versions."""
        for stage, names in STAGES.items():
            for each in names:
                module, _, path = each.partition(":")
                owner: Any = importlib.import_module(module)
                *classes, name = path.split(".")
                for member in classes:
                    owner = getattr(owner, member)
                setattr(owner, name, self.timed(stage, getattr(owner, name)))


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1000)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    with servers.running(options.keep, durable=False) as values:
        os.environ |= values | {"LOG_LEVEL": "INFO", "LOG_FORMAT": "json", "BASE_URL": "http://127.0.0.1"}
        import django

        django.setup()
        from benchmarks import building

        building.tables()
        built, _ = building.everything(1, datetime.now(UTC), options.keep, lambda words: None)
        sys.stdout.write(table(built["big"], options.pages))
    return 0


def table(company: Any, pages: int) -> str:
    """Reads the second page of the company's training records `pages` times; the table has milliseconds (lower quartile)."""
    from benchmarks.flames import asking
    from benchmarks.measuring import processor_seconds

    watch = Stopwatch()
    watch.wrap()
    page = watch.timed(_AROUND, asking(company.key))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # the log has a line per page, as in production; nobody reads it
    for _ in range(100):
        page()
    rounds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    used = processor_seconds()
    for _ in range(pages):
        watch.taken.clear()
        page()
        for stage, (clock, processor) in watch.taken.items():
            rounds[stage].append((clock, processor))
        rounds["all of it"].append(tuple(map(sum, zip(*watch.taken.values(), strict=True))))  # type: ignore[arg-type]
    used = (processor_seconds() - used) / pages * 1000
    lines = ["| stage | ms | of them Python's processor time |", "| --- | --- | --- |"]
    for stage in [*STAGES, _AROUND, "all of it"]:
        clock, processor = (statistics.quantiles(each, n=4)[0] * 1000 for each in zip(*rounds[stage], strict=True))
        lines.append(f"| {stage} | {clock:.2f} | {processor:.2f} |")
    return "\n".join(lines) + f"\n\nPostgreSQL's sessions used {used:.2f} ms of processor a page.\n"


if __name__ == "__main__":
    sys.exit(main())
