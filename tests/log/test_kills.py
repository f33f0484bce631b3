"""A signer that is killed at any point leaves one log that can continue, and never two trees of one size."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.log import queries, refusals, verify
from tests.companies import make_company
from tests.log.deployment import KEY, captures, entries, grow, head, root

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("how", "least"), [("lines", 50), ("times", 25)])
def test_the_log_stays_one_through_kills(how, least, committed, process_environment, log_folder):
    companies = [make_company(), make_company()]
    for company in companies:
        grow(company, "Anna")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.log.killed_signers", how, *(str(each.organization_id) for each in companies)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env=process_environment | {
            "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_FOLDER": str(log_folder), "CHECKPOINT_KEY": KEY,
            "BASE_URL": "https://records.example.com",
        },
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout)
    assert found["killed"] >= least
    whole = entries()
    assert len({size for size, _ in found["checkpoints"]}) == len(found["checkpoints"]) > least / 5
    for size, stated in found["checkpoints"]:
        assert root(whole[:size]).hex() == stated
    assert verify.verify_log().faults == []
    assert refusals.refusals() == []
    for company in companies:
        assert captures(company) == list(range(1, head(company).capture_sequence + 1))
        assert verify.verify_company(company.organization_id) == (head(company).capture_sequence, [])
    assert queries.size() == len(whole)
