"""`python -m benchmarks.millions [--facts N]`: a file of millions of facts, imported, captured, verified, pulled, swept.

One command, measured, not extrapolated; run it on servers of its own, on a machine that does nothing else:

    python -m development.embedded run -- python -m benchmarks.millions --facts 10000000

The file has the shape of `large_company` and is written person by person, so neither making nor reading it needs
memory. Import and capture run in a process of their own, whose peak of memory is held to the bound. Exit 1 beyond it,
or where a fact is refused or the history does not verify.
"""

import argparse
import os
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

BOUND_MEBIBYTES = 400
FACTS_OF_A_PERSON = 10.9


def main() -> int:
    """Measures each step and prints it."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.settings"
    import django

    django.setup()

    from benchmarks import building, large_company, measuring, serving, writes
    from benchmarks.building import Company
    from benchmarks.pulls import pull
    from compliance.access.actions import issue_key
    from compliance.history.queries import head
    from compliance.history.verify import Verified, verify_history
    from compliance.rules.vocabulary import Scope

    parser = argparse.ArgumentParser(prog="python -m benchmarks.millions", description=__doc__)
    parser.add_argument("--facts", type=int, default=10_000_000, help="about how many")
    options = parser.parse_args()

    def say(words: str) -> None:
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()

    building.tables()
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.jsonl"
        people = round(options.facts / FACTS_OF_A_PERSON)
        with path.open("wb") as file:
            file.writelines(large_company.unordered_lines(people, now - timedelta(days=1)))
        say(f"a file of {people:,} people, {path.stat().st_size / 1024**2:,.0f} MiB")
        found = writes.imported_alone(path)
    facts, seconds, peak = found["facts"], found["seconds"], found["mebibytes"]
    say(
        f"{facts:,} facts recorded in {found['recorded']:,.0f} s, readable in {seconds:,.0f} s: {facts / seconds:,.0f} a second"
    )
    say(f"peak of memory: {peak:.0f} MiB (<= {BOUND_MEBIBYTES})")
    organization_id = found["organization_id"]
    began = time.perf_counter()
    verified = verify_history(organization_id)
    versions = head(organization_id).sequence
    say(f"{versions:,} versions verified in {time.perf_counter() - began:,.0f} s: {verified}")
    key, _ = issue_key(
        organization_id=organization_id, scopes=list(Scope), environment="test", at=now, actor="benchmark"
    )
    company = Company("Millions", organization_id, versions, 1, key)
    with serving.web({"BASE_URL": "http://127.0.0.1"}) as address:
        began, used = time.perf_counter(), measuring.processor_seconds()
        rows = pull(address, company, versions)
        used, elapsed = measuring.processor_seconds() - used, time.perf_counter() - began
    say(f"{rows:,} training records pulled in {elapsed:,.0f} s, {rows / used:,.0f} a second of processor")
    say(f"a sweep with one subject in a hundred due: {writes.sweep_of_one_percent(organization_id, now):,.1f} s")
    return 0 if peak <= BOUND_MEBIBYTES and isinstance(verified, Verified) else 1


if __name__ == "__main__":
    sys.exit(main())
