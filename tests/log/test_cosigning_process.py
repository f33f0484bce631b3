"""The signer as it runs: a witness cosigns what it signs; each is a process of its own."""

import subprocess
import sys
import time
from pathlib import Path

from compliance.log import keys, queries
from compliance.proofs.cosignature import cosigned_times
from tests.companies import make_company
from tests.log.deployment import KEY, grow
from tests.proofs.running_witness import RunningWitness

ROOT = Path(__file__).parents[2]


def cosigned_size(witness: RunningWitness, at_least: int) -> int:
    """Wait for a cosigned checkpoint of at least so many entries; return its size."""
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        newest = queries.newest_checkpoint()
        if newest is not None and newest.size >= at_least and cosigned_times(newest.note, witness.key):
            return newest.size
        time.sleep(0.1)
    raise AssertionError(f"No checkpoint of {at_least} entries was cosigned.")


def test_the_signer_has_what_it_signs_cosigned(committed, process_environment, log_folder, tmp_path) -> None:
    company = make_company()
    grow(company, "Anna")
    with RunningWitness(tmp_path / "witness", *keys.verifier_keys()) as witness:
        environment = process_environment | {
            "LOG_FOLDER": str(log_folder), "CHECKPOINT_KEY": KEY, "BASE_URL": "https://records.example.com",
            "LOG_WITNESSES": f"{witness.key} {witness.url}",
        }  # fmt: skip
        signer = subprocess.Popen(
            [sys.executable, "manage.py", "signer"], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
        )
        try:
            first = cosigned_size(witness, 1)
            grow(company, "Boris", "Chloe")
            assert cosigned_size(witness, first + 2) == first + 2
        finally:
            signer.terminate()
            _, errors = signer.communicate(timeout=60)
        assert signer.returncode == 0, errors
