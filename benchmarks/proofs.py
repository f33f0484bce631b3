"""Proofs of rows on the largest company of a database: milliseconds to make one, its size, statements.

Build the company first (docs/console.md, "How fast"), then: `python -m benchmarks.proofs [--rounds 2000] [--limit 5]`.
Signs what is not under the log yet, draws records at random, and makes the proof of each as a request does: company
context, the check before it is given away, and for every other one the name behind it. Fails when the 99th percentile
is over the limit, or a proof has more than 4,096 bytes beside its content.
"""

import argparse
import os
import random
import statistics
import sys
import time

import django

MOST_BYTES = 4096


def main() -> int:
    """Measures and prints. Exit 1 when a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--limit", type=float, default=5.0, help="milliseconds that the 99th percentile may take")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    import orjson
    from django.conf import settings
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from compliance.catalogue import REGISTERS
    from compliance.interfaces.proof.errors import NothingToProveError
    from compliance.interfaces.proof.making import prove
    from compliance.log import queries, signing
    from compliance.tenancy import context, reading, sql

    now = timezone.now()
    signing.sign_new(now)
    ((organization_id, versions),) = sql.fetch(
        "SELECT organization_id, sequence FROM history_historyhead ORDER BY sequence DESC LIMIT 1"
    )
    with context.company(organization_id):
        records = sql.fetch(
            "SELECT register, record_id FROM history_historyrecord WHERE organization_id = %s", [organization_id]
        )
    chance = random.Random(0)
    took, beside, none = [], [], 0
    for number in range(options.rounds + 50):
        register, record_id = chance.choice(records)
        began = time.perf_counter()
        try:
            with reading.company(organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS):
                proof = prove(organization_id, REGISTERS[register], record_id, now, personal=number % 2 == 0)
        except NothingToProveError:
            none += 1
            continue
        if number >= 50:
            took.append((time.perf_counter() - began) * 1000)
            beside.append(len(proof.encode()) - len(orjson.dumps(orjson.loads(proof)["row"]["content"])))
    with (
        CaptureQueriesContext(connection) as asked,
        reading.company(organization_id, timeout_milliseconds=settings.READ_TIMEOUT_MILLISECONDS),
    ):
        prove(organization_id, REGISTERS[register], record_id, now, personal=True)
    percentile = statistics.quantiles(took, n=100)[98]
    checkpoint = queries.newest_checkpoint()
    sys.stdout.write(
        f"{versions:,} row versions, {len(records):,} records, log of {checkpoint.size if checkpoint else 0:,} entries;"
        f" {len(took):,} proofs ({none} of records that hold nothing now); load {os.getloadavg()[0]:.1f}\n"
        f"median {statistics.median(took):.2f} ms, 99th percentile {percentile:.2f} ms, slowest {max(took):.2f} ms;"
        f" {len(asked)} statements; at most {max(beside):,} bytes beside the content\n"
    )
    return 0 if percentile <= options.limit and max(beside) <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
