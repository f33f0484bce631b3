"""`python -m benchmarks [--small] [load]`: builds the data, measures every row of the table, prints it.

A whole run is added to docs/benchmarks.csv, and docs/benchmarks.svg is drawn anew; a small one only where `--history`
names a file. Runs on the servers that its environment names (`make bench` starts new ones), each row against its peer in the same
run. With `--keep FOLDER` it starts servers in that folder, and what an earlier run built there is not built again.
Exit 1 below a bound.
"""

import argparse
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from development.embedded import servers

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
    from benchmarks import (
        building,
        fairness,
        feed,
        growth,
        incoming,
        loading,
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
    from benchmarks import results as kept

    began = time.monotonic()

    def say(words: str) -> None:
        sys.stderr.write(f"{time.monotonic() - began:5.0f} s  {words}\n")

    wanted = set(options.only or (SMALL_ROWS if options.small else ROWS))
    building.tables()
    machine = kept.machine_milliseconds(tries=5)
    say(f"This machine takes {machine:.0f} ms for {kept.TURNS:,} digests, one after the other.")
    now = datetime.now(UTC)
    divisor = 100 if options.small else 1
    results: list[reads.Result] = []

    def note(result: reads.Result) -> None:
        result = kept.of_small_run(result) if options.small else result
        result = result._replace(machine_ms=kept.machine_milliseconds())
        results.append(result)
        say(
            f"  {'ok  ' if result.holds else 'LOW '} {result.name}: {result.measured:.2f} ({result.bound}) {result.note}"
        )

    if options.what == "growth":
        growth.measure((90, 900, 9000) if options.small else (900, 9000, 90_000), now)
        return 0
    if wanted & {"reads", "wire", "pulls", "feed", "fairness"} or options.what == "load":
        built, now = building.everything(divisor, now, options.keep, say)
        with serving.web({"BASE_URL": "http://127.0.0.1"}, workers=2 if options.what == "load" else 1) as address:
            if options.what == "load":
                sys.stdout.write(loading.table(address, built["big"]))
                return 0
            if "reads" in wanted:
                say("Reads ...")
                for result in reads.rows(address, built, now, *((3, 8) if options.small else (31, reads.WARM))):
                    note(result)
            if "wire" in wanted:
                say("On the wire ...")
                for result in wire.rows(address, building.large(100 if options.small else 500, now)):
                    note(result)
            if "pulls" in wanted:
                say("Whole pulls ...")
                for result in pulls.rows(address, built["big"]):
                    note(result)
            if "feed" in wanted:
                say("Feed ...")
                for result in feed.rows(address, built["big"], 15 if options.small else 93):
                    note(result)
                for result in feed.day_rows(address, 5000, now) if not options.small else ():
                    note(result)
            if "fairness" in wanted:
                say("Beside unkind clients ...")
                seconds = 2 if options.small else 20
                for result in fairness.rows(address, built["tenth"].key, built["big"].key, seconds):
                    note(result)
        if "reads" in wanted:
            for result in trees.path_rows(built["big"]):
                note(result)
    if "proofs" in wanted:
        say("Proofs ...")
        company = building.large(100 if options.small else 3000, now)
        for result in proofs.rows(company.organization_id, 200 if options.small else 2000, now):
            note(result)
        for result in packs.rows(company, 3 if options.small else 10, now):
            note(result)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.jsonl"
        what = writes.facts_file(path, options.small) if wanted & {"writes", "incoming"} else ""
        if "writes" in wanted:
            say("Writes ...")
            for result in writes.import_rows(path, what, 1 if options.small else 3):
                note(result)
            for result in writes.capture_rows(1 if options.small else 3, 5000 // min(divisor, 5)):
                note(result)
            for result in trees.capture_rows(3 if options.small else 9, 5000 // min(divisor, 5)):
                note(result)
        if "incoming" in wanted:
            say("Incoming ...")
            for result in incoming.rows(path, what, 3, options.small):
                note(result)
    if "sweep" in wanted:
        say("Sweep ...")
        people, courses = (2000, 10) if options.small else (50_000, 20)
        totals = (10_000, 100_000) if options.small else (10_000, 100_000, 1_000_000)
        for result in writes.sweep_rows(people, courses, totals):
            note(result)
    if "millions" in wanted:
        say("A large file ...")
        facts, made = (10_000, 200) if options.small else (1_000_000, 2000)
        for result in millions.rows(options.facts or facts, now, made):
            note(result)
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


if __name__ == "__main__":
    sys.exit(main())
