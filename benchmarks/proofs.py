"""The rows of proofs of rows: milliseconds to make one, and its bytes beside the content.

`make bench` measures them on companies that it imports. `python -m benchmarks.proofs [--rounds 2000] [--limit 5]`
measures them on the largest company of a database, such as the one of docs/console.md ("How fast"): it signs what is
not in the log yet, draws records at random, and makes the proof of each as a request does, with the company's context,
the check before it is given away, and for every other one the name behind it. It fails if the 99th percentile is over
the limit, or a proof has more than 4,096 bytes beside its content.
"""

import argparse
import contextlib
import os
import statistics
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import django

if TYPE_CHECKING:
    from benchmarks.reads import Result

MOST_BYTES = 4096
MOST_MILLISECONDS = 5.0
WARM = 50


class Made(NamedTuple):
    """Proofs that were made: sorted milliseconds, most bytes beside a content, and the number of absent records."""

    taken: list[float]
    beside: int
    none: int

    @property
    def percentile(self) -> float:
        """The 99th percentile, in milliseconds."""
        return statistics.quantiles(self.taken, n=100)[98]


@contextlib.contextmanager
def signed(organization_id: uuid.UUID, now: datetime) -> Iterator[None]:
    """Signs this company's captures, while all other companies are closed to the signer.

    Rows that were built without the history's writer have no digests; the signer would close their companies for good.
    """
    from compliance.history.actions import fail_verification, pass_verification
    from compliance.history.queries import capture_ends
    from compliance.log import signing

    others = [each for each, end in capture_ends().items() if each != organization_id and end.available]
    for each in others:
        fail_verification(each, "built past the writer, for a benchmark")
    try:
        signing.sign_new(now)
        yield
    finally:
        for each in others:
            pass_verification(each)


def make(organization_id: uuid.UUID, rounds: int, now: datetime) -> Made:
    """Makes the proofs of `rounds` records, drawn from all records of a company that is under the log."""
    import orjson
    from django.conf import settings

    from compliance.catalogue import REGISTERS
    from compliance.interfaces.proof.errors import NothingToProveError
    from compliance.interfaces.proof.making import prove
    from compliance.tenancy import context, reading, sql

    with context.company(organization_id):
        # Drawn by a digest: as good as random, the same records each time, and no list of all records in memory.
        records = sql.fetch(
            "SELECT register, record_id FROM history_historyrecord WHERE organization_id = %s"
            " ORDER BY md5(record_id::text) LIMIT %s",
            [organization_id, rounds + WARM],
        )
    taken, beside, none = [], 0, 0
    for number in range(rounds + WARM):
        register, record_id = records[number % len(records)]
        began = time.perf_counter()
        try:
            with reading.company(organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS):
                proof = prove(organization_id, REGISTERS[register], record_id, now, personal=number % 2 == 0)
        except NothingToProveError:
            none += 1
            continue
        if number >= WARM:
            taken.append((time.perf_counter() - began) * 1000)
            beside = max(beside, len(proof.encode()) - len(orjson.dumps(orjson.loads(proof)["row"]["content"])))
    return Made(taken, beside, none)


def rows(organization_id: uuid.UUID, rounds: int, now: datetime) -> "Iterator[Result]":
    """Measures the time and the size of proofs, for rows all over a company that was imported."""
    from benchmarks.reads import Result, at_most
    from compliance.history.queries import sequence

    with signed(organization_id, now):
        made = make(organization_id, rounds, now)
    note = f"{sequence(organization_id):,} versions; median {statistics.median(made.taken):.2f} ms"
    timed = at_most("proof of a row, ms (99 of 100)", made.percentile, MOST_MILLISECONDS, "", {})
    yield timed._replace(note=note)
    yield Result(
        "proof of a row, most bytes beside its content", made.beside, f"<= {MOST_BYTES}", made.beside <= MOST_BYTES
    )


def main() -> int:
    """Measures and prints. Exit 1 when a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument(
        "--limit", type=float, default=MOST_MILLISECONDS, help="milliseconds that the 99th percentile may take"
    )
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.utils import timezone

    from compliance.log import signing
    from compliance.tenancy import sql

    now = timezone.now()
    signing.sign_new(now)
    ((organization_id, versions),) = sql.fetch(
        "SELECT organization_id, sequence FROM history_historyhead ORDER BY sequence DESC LIMIT 1"
    )
    made = make(organization_id, options.rounds, now)
    sys.stdout.write(
        f"{versions:,} row versions; {len(made.taken):,} proofs ({made.none} of records that hold nothing now);"
        f" load {os.getloadavg()[0]:.1f}\n"
        f"median {statistics.median(made.taken):.2f} ms, 99th percentile {made.percentile:.2f} ms,"
        f" slowest {max(made.taken):.2f} ms; at most {made.beside:,} bytes beside the content\n"
    )
    return 0 if made.percentile <= options.limit and made.beside <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
