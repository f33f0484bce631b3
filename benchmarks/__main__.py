"""`python -m benchmarks [--small] [load]`: builds the data, measures every row of the table, prints it.

A whole run is added to docs/benchmarks.csv, and docs/benchmarks.svg is drawn anew; a small one only if `--history`
names a file. It uses the servers that its environment names (`make bench` starts new ones), and measures each row
against its peer in the same run. With `--keep FOLDER` it starts servers in that folder, and does not build again what
an earlier run built there. The exit status is 1 if a bound is broken.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from development.embedded import servers

if TYPE_CHECKING:  # the module needs Django, which is set up later
    from benchmarks.reads import Result

ROWS = ["reads", "wire", "pulls", "feed", "fairness", "proofs", "writes", "incoming", "sweep", "millions"]
SMALL_ROWS = [name for name in ROWS if name != "incoming"]  # it starts all processes, and creates 5,000 people


def main() -> int:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["rows", "load", "growth"], default="rows")
    parser.add_argument("--small", action="store_true", help="a hundredth of the data in a minute: does it all work?")
    parser.add_argument("--only", choices=ROWS, action="append", help="these rows alone")
    parser.add_argument("--keep", type=Path, help="a folder whose servers keep the built data for the next run")
    parser.add_argument(
        "--history", type=Path, help="the file that the run is added to; docs/benchmarks.csv for a whole run"
    )
    parser.add_argument("--facts", type=int, help="how many the large file of the rows `millions` has")
    options = parser.parse_args()
    if options.keep is None:
        with tempfile.TemporaryDirectory() as log:
            os.environ["LOG_FOLDER"] = log
            return run(options)
    options.keep.mkdir(parents=True, exist_ok=True)
    os.environ["LOG_FOLDER"] = str(options.keep.resolve() / "log")
    with servers.running(options.keep, durable=False) as values:
        os.environ |= values
        return run(options)


def run(options: argparse.Namespace) -> int:
    """Measures what `options` ask for and prints the table."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    import django

    django.setup()
    from benchmarks import building, growth, loading, serving
    from benchmarks import results as kept

    began = time.monotonic()

    def say(words: str) -> None:
        sys.stderr.write(f"{time.monotonic() - began:5.0f} s  {words}\n")

    building.tables()
    machine = kept.machine_milliseconds(tries=5)
    say(f"This machine takes {machine:.0f} ms for {kept.TURNS:,} digests, one after the other.")
    now = datetime.now(UTC)
    if options.what == "growth":
        growth.measure((90, 900, 9000) if options.small else (900, 9000, 90_000), now)
        return 0
    if options.what == "load":
        built, _ = building.everything(100 if options.small else 1, now, options.keep, say)
        with serving.web({"BASE_URL": "http://127.0.0.1"}, workers=2) as address:
            sys.stdout.write(loading.table(address, built["big"]))
        return 0
    results: list[Result] = []
    for result in measured(options, now, say):
        result = kept.of_small_run(result) if options.small else result
        result = result._replace(machine_ms=kept.machine_milliseconds())
        results.append(result)
        say(
            f"  {'ok  ' if result.holds else 'LOW '} {result.name}: {result.measured:.2f} ({result.bound}) {result.note}"
        )
    sys.stdout.write("| what | measured | bound | aim | machine, ms | |\n| --- | --- | --- | --- | --- | --- |\n")
    for result in results:
        mark = "" if result.holds else "**below**"
        sys.stdout.write(
            f"| {result.name} | {result.measured:.2f} | {result.bound} | {result.aim} | {result.machine_ms:.0f} |"
            f" {mark} {result.note} |\n"
        )
    history: Path | None = options.history or (None if options.small else kept.HISTORY)
    if history is not None and options.only is None:
        kept.keep(history, results, small=options.small)
        if history.resolve() == kept.HISTORY:
            kept.PLOT.write_text(kept.plot(history), encoding="utf-8")
    return 0 if all(result.holds for result in results) else 1


def measured(options: argparse.Namespace, now: datetime, say: Callable[[str], None]) -> Iterator["Result"]:
    """Measures the rows that `options` ask for, one after the other, and tells `say` what it is about to measure."""
    from benchmarks import (
        building,
        fairness,
        feed,
        incoming,
        millions,
        packs,
        proofs,
        pulls,
        reads,
        serving,
        trees,
        wire,
        writes,
    )

    small = options.small
    wanted = set(options.only or (SMALL_ROWS if small else ROWS))
    divisor = 100 if small else 1
    if wanted & {"reads", "wire", "pulls", "feed", "fairness"}:
        built, now = building.everything(divisor, now, options.keep, say)
        with serving.web({"BASE_URL": "http://127.0.0.1"}, workers=1) as address:
            if "reads" in wanted:
                say("Reads ...")
                yield from reads.rows(address, built, now, *((3, 8) if small else (31, reads.WARM)))
            if "wire" in wanted:
                say("On the wire ...")
                yield from wire.rows(address, building.large(100 if small else 500, now))
            if "pulls" in wanted:
                say("Whole pulls ...")
                yield from pulls.rows(address, built["big"])
            if "feed" in wanted:
                say("Feed ...")
                yield from feed.rows(address, built["big"], 15 if small else 93)
                if not small:
                    yield from feed.day_rows(address, 5000, now)
            if "fairness" in wanted:
                say("Beside unkind clients ...")
                yield from fairness.rows(address, built["tenth"].key, built["big"].key, 2 if small else 20)
        if "reads" in wanted:
            yield from trees.path_rows(built["big"])
    if "proofs" in wanted:
        say("Proofs ...")
        company = building.large(100 if small else 3000, now)
        yield from proofs.rows(company.organization_id, 200 if small else 2000, now)
        yield from packs.rows(company, 3 if small else 10, now)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.jsonl"
        what = writes.facts_file(path, small) if wanted & {"writes", "incoming"} else ""
        if "writes" in wanted:
            say("Writes ...")
            yield from writes.import_rows(path, what, 1 if small else 3)
            yield from writes.capture_rows(1 if small else 3, 5000 // min(divisor, 5))
            yield from trees.capture_rows(3 if small else 9, 5000 // min(divisor, 5))
        if "incoming" in wanted:
            say("Incoming ...")
            yield from incoming.rows(path, what, 3, small)
    if "sweep" in wanted:
        say("Sweep ...")
        people, courses = (2000, 10) if small else (50_000, 20)
        totals = (10_000, 100_000) if small else (10_000, 100_000, 1_000_000)
        yield from writes.sweep_rows(people, courses, totals)
    if "millions" in wanted:
        say("A large file ...")
        facts, made = (10_000, 200) if small else (1_000_000, 2000)
        yield from millions.rows(options.facts or facts, now, made)


if __name__ == "__main__":
    sys.exit(main())
