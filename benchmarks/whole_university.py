"""The whole Open University set into one company: facts a second, memory, verification (docs/benchmarks.md).

Run on servers of its own: `python -m development.embedded run -- python -m benchmarks.whole_university`.
"""

import os
import resource
import sys
import tempfile
import time
import uuid
from datetime import UTC, date, datetime
from pathlib import Path

import django
import orjson


def main() -> int:
    """Imports, captures, counts and verifies; prints one line for each. Exit 1 when a count is not the expected."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.core.management import call_command

    from benchmarks import university
    from compliance.catalogue.training import TRAINING_RECORDS
    from compliance.facts.importing import import_facts
    from compliance.history import actions
    from compliance.history.models import HistoryRecord
    from compliance.history.queries import head
    from compliance.history.verify import Verified, verify_history
    from compliance.tenancy import context

    def say(words: str) -> None:
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()

    call_command("migrate", database="owner", verbosity=0)
    now, organization_id = datetime.now(UTC), uuid.uuid4()
    actions.create_company(
        name="Open University", time_zone="Europe/London", history_from=date(2011, 1, 1), now=now,
        organization_id=organization_id,
    )  # fmt: skip
    with tempfile.NamedTemporaryFile() as file:
        for line in sorted(university.facts(), key=lambda line: (str(line["at"]), str(line["fact_id"]))):
            file.write(orjson.dumps(line) + b"\n")
        file.flush()
        before = _peak()
        began = time.perf_counter()
        with Path(file.name).open("rb") as stream:
            report = import_facts(organization_id=organization_id, stream=stream, now=now, strict=False)
        read = time.perf_counter() - began
        captured = actions.capture_all(organization_id, datetime.now(UTC))
        took = time.perf_counter() - began
    say(
        f"{report.recorded:,} facts in {took:.1f} s ({read:.1f} s until recorded): {report.recorded / took:,.0f} a second"
    )
    say(f"{len(captured)} captures, {head(organization_id).sequence:,} versions")
    say(f"peak memory {_peak():.0f} MiB (with the set just made: {before:.0f} MiB); load {os.getloadavg()[0]:.1f}")
    with context.company(organization_id):
        records = HistoryRecord.objects.filter(
            organization_id=organization_id, register=TRAINING_RECORDS.number
        ).count()
    say(f"{records:,} training records; expected {university.OWED:,}")
    began = time.perf_counter()
    verified = verify_history(organization_id)
    say(f"verify_history: {verified} in {time.perf_counter() - began:.1f} s")
    return 0 if isinstance(verified, Verified) and records == university.OWED and not report.errors else 1


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
