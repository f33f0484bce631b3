"""Writers, facts and readers of one company as real processes. CONCURRENCY_SECONDS: how long; 60 in full."""

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.ledger import queries as ledger
from compliance.history import actions
from compliance.history.verify import Verified, verify_history
from compliance.tenancy import context, sql
from tests.companies import NOW, make_company
from tests.history.reading import rows

SECONDS = float(os.environ.get("CONCURRENCY_SECONDS", "3"))
ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(120 + 2 * SECONDS)
def test_writers_and_readers_see_prefixes_and_a_killed_writer_loses_nothing(committed, process_environment):
    company = make_company()
    organization_id = company.organization_id
    for number in range(4):
        company.share(company.course(f"Course {number}"))
    for number in range(8):
        company.join(f"Person {number}")
    actions.capture_all(organization_id, NOW)

    def start(role):
        return subprocess.Popen(
            [sys.executable, "-m", "tests.history.working", role, str(organization_id), str(SECONDS)],
            cwd=ROOT, env=process_environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    killed = start("writer")
    others = {role: start(role) for role in ("facts", "writer", "reader")}
    assert killed.stdout.readline(), killed.stderr.read()
    killed.kill()
    killed.communicate()
    printed = {}
    for role, process in others.items():
        out, errors = process.communicate(timeout=60 + 2 * SECONDS)
        assert process.returncode == 0, f"{role}: {errors}"
        printed[role] = out.split()
    assert all(printed.values())

    actions.capture_all(organization_id, NOW)
    assert isinstance(verify_history(organization_id), Verified)
    stored = rows(organization_id, TRAINING_RECORDS.number)
    with context.company(organization_id):
        assert sum(ledger.waiting(organization_id)[:2]) == 0
        completions = {str(row[0]) for row in sql.fetch("SELECT completion_receipt_id FROM training_completion")}
        assert set(printed["facts"]) <= completions
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, recorded_at, attempts, set_aside_reason)"
            " VALUES (%s, 'company', %s, 0, '')",
            [organization_id, NOW],
        )
    # The newest versions follow from all facts: deciding everything again adds nothing.
    assert sum(captured.rows for captured in actions.capture_all(organization_id, NOW)) == 0
    settled = {orjson.loads(row.body)["completion_receipt_id"] for row in stored if row.body} - {None}
    assert settled <= completions
    assert settled & set(printed["facts"])
