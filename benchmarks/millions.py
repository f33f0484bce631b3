"""The rows of a large file: millions of facts, imported, captured, verified, pulled, proved, swept.

`make bench` has them with a million facts. `python -m benchmarks.millions` takes ten, on servers of its own and on a
machine that does nothing else:

    python -m development.embedded run -- python -m benchmarks.millions --facts 10000000

The file has the shape of `large_company` and is written person by person, so neither making nor reading it needs
memory. Import and capture run in a process of their own, whose peak of memory is held to the bound. Exit 1 beyond it,
or where a fact is refused, the history does not verify, or another bound does not hold.
"""

import argparse
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.reads import Result

BOUND_MEBIBYTES = 400
FACTS_OF_A_PERSON = 10.9


def rows(facts: int, now: datetime, proofs_made: int = 2000) -> "Iterator[Result]":
    """Measures each step on a file of about `facts` facts. Other rows have the bounds of import, capture and sweep."""
    from benchmarks import large_company, measuring, proofs, serving, writes
    from benchmarks.building import Company
    from benchmarks.pulls import pull
    from benchmarks.reads import Result, at_most
    from compliance.access.actions import issue_key
    from compliance.history.queries import head
    from compliance.history.verify import Verified, verify_history
    from compliance.rules.vocabulary import Scope

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.jsonl"
        people = round(facts / FACTS_OF_A_PERSON)
        lines = 0
        with path.open("wb") as file:
            for lines, line in enumerate(large_company.unordered_lines(people, now - timedelta(days=1)), 1):  # noqa: B007
                file.write(line)
        note = f"a file of {people:,} people, {path.stat().st_size / 1024**2:,.0f} MiB"
        found = writes.imported_alone(path)
    facts, seconds = found["facts"], found["seconds"]
    row = at_most("large file, memory of its import, MiB", found["mebibytes"], BOUND_MEBIBYTES, "", {})
    yield row._replace(note=f"{facts:,} facts; {note}")
    refused = lines - facts
    yield Result("large file, facts refused", refused, "<= 0", not refused, "", f"of {lines:,}")
    note = f"recorded in {found['recorded']:,.0f} s, readable in {seconds:,.0f} s"
    yield Result("large file, facts a second until they are readable", facts / seconds, "shown", True, "", note)

    organization_id = uuid.UUID(found["organization_id"])
    began = time.perf_counter()
    verified = verify_history(organization_id)
    versions = head(organization_id).sequence
    faults = int(not isinstance(verified, Verified))
    note = f"{versions:,} versions verified in {time.perf_counter() - began:,.0f} s{f': {verified}' if faults else ''}"
    yield Result("large file, faults in its history", faults, "<= 0", not faults, "", note)

    key, _ = issue_key(
        organization_id=organization_id, scopes=list(Scope), environment="test", at=now, actor="benchmark"
    )
    company = Company("Millions", organization_id, versions, 1, key)
    with serving.web({"BASE_URL": "http://127.0.0.1"}) as address:
        began, used = time.perf_counter(), measuring.processor_seconds()
        pulled = pull(address, company, versions)
        used, elapsed = measuring.processor_seconds() - used, time.perf_counter() - began
    note = f"{pulled:,} training records in {elapsed:,.0f} s"
    yield Result("large file, pulled, rows a second of processor", pulled / used, "shown", True, "", note)
    for each in proofs.rows(organization_id, proofs_made, now):
        yield each._replace(name=f"large file, {each.name}")
    swept = writes.sweep_of_one_percent(organization_id, now)
    yield Result("large file, a sweep with one subject in a hundred due, s", swept, "shown", True)


def main() -> int:
    """Measures each step and prints it."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    parser = argparse.ArgumentParser(prog="python -m benchmarks.millions", description=__doc__)
    parser.add_argument("--facts", type=int, default=10_000_000, help="about how many")
    options = parser.parse_args()
    held = True
    with tempfile.TemporaryDirectory() as log:
        os.environ["LOG_FOLDER"] = log
        import django

        django.setup()
        from benchmarks import building

        building.tables()
        for each in rows(options.facts, datetime.now(UTC)):
            sys.stdout.write(f"{each.name}: {each.measured:,.2f} ({each.bound}) {each.note}\n")
            sys.stdout.flush()
            held = held and each.holds
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
