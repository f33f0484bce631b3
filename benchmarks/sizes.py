"""`python -m benchmarks.sizes`: what a fact and a version take on disk, in the write-ahead log and in a backup.

And what ten thousand companies cost when nothing happens in them: everything that is asked of all companies. The model
of docs/scale.md multiplies these figures. On servers of its own:

    python -m development.embedded run -- python -m benchmarks.sizes --people 20000 --companies 10000
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg


def main() -> int:
    """Measures and prints both."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    import django

    django.setup()

    from benchmarks import building

    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.add_argument("--people", type=int, default=20_000, help="of the company whose rows are measured")
    parser.add_argument("--companies", type=int, default=10_000, help="how many companies are asked at once")
    options = parser.parse_args()
    building.tables()
    now = datetime.now(UTC)
    _one_company(options.people, now)
    _many_companies(options.companies, now)
    return 0


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _one_company(people: int, now: datetime) -> None:
    from benchmarks import large_company, writes

    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.writelines(large_company.lines(people, now - timedelta(days=1)))
        file.flush()
        empty, before = _tables(), _log_position()
        found = writes.one_import(Path(file.name))
        logged = _log_position() - before
        length = Path(file.name).stat().st_size
    _asked("VACUUM ANALYZE")
    facts, versions = found.facts, found.versions
    _say(f"{people:,} people: {facts:,} facts in a file of {length / facts:,.0f} bytes a fact; {versions:,} versions")
    _say("| table | rows | bytes a row | of them indexes | bytes a fact |\n| --- | --- | --- | --- | --- |")
    total = 0
    for name, (rows, size, indexes) in sorted(_tables().items(), key=lambda each: -each[1][1]):
        grown = size - empty[name][1]
        total += grown
        if grown > facts:  # what grew by less than a byte per fact is in the total alone
            _say(f"| {name} | {rows:,} | {size / max(rows, 1):,.0f} | {indexes / size:.0%} | {grown / facts:,.0f} |")
    _say(f"| all | | | | {total / facts:,.0f} |")
    _say(f"{total / versions:,.0f} bytes a version, facts and all; {logged / facts:,.0f} bytes of log a fact")
    _say(f"{_backup() / facts:,.0f} bytes of backup a fact (pg_dump --format=custom)")


def _many_companies(number: int, now: datetime) -> None:
    from benchmarks import measuring
    from compliance.history import actions, queries
    from compliance.interfaces.operations import metrics

    began = measuring.processor_seconds()

    def create() -> None:
        for company in range(number):
            actions.create_company(name=f"Company {company}", time_zone="UTC", history_from=date(2024, 1, 1), now=now)

    elapsed = measuring.once(create)
    used = measuring.processor_seconds() - began
    _say(
        f"{number:,} companies made: {elapsed / number * 1000:.1f} ms each, {used / number * 1000:.1f} of this process"
    )
    for name, thing in _asked_of_all(queries.companies_with_work, metrics.service_status, now).items():
        thing()
        _say(f"{name}: {measuring.once(thing) * 1000:,.1f} ms")


def _asked_of_all(
    work: Callable[[datetime], object], figures: Callable[[datetime], object], now: datetime
) -> dict[str, Callable[[], object]]:
    from compliance.interfaces.operations.metrics import registry
    from compliance.log.queries import signed_captures

    return {
        "the tick of the sweep, nothing due": lambda: work(now),
        "what metrics ask of all companies": lambda: figures(now),
        "the whole page of metrics": lambda: list(registry(lambda: now).collect()),
        "the newest signed capture of every company": signed_captures,
    }


def _asked(statement: str) -> list[Any]:
    """The rows that a statement finds in all companies."""
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True) as connection:
        done = connection.execute(statement)
        return done.fetchall() if done.description else []


def _tables() -> dict[str, tuple[int, int, int]]:
    """By table: rows as counted by the last ANALYZE, bytes with indexes and long texts, and bytes of the indexes."""
    found = _asked(
        "SELECT relname, reltuples::bigint, pg_total_relation_size(oid), pg_indexes_size(oid) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    return {name: (rows, size, indexes) for name, rows, size, indexes in found}


def _log_position() -> int:
    ((position,),) = _asked("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
    return int(position)


def _backup() -> int:
    """Bytes of a backup of everything, as `docs/operations.md` takes it; compressed."""
    from development.embedded import binaries

    tool = binaries.postgresql_tree(binaries.NEWEST_POSTGRESQL) / "bin" / "pg_dump"
    done = subprocess.run(
        [tool, "--format=custom", os.environ["DATABASE_SUPERUSER_URL"]], check=True, capture_output=True
    )
    return len(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
