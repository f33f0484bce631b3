"""One PostgreSQL becomes a cluster by the steps of docs/scale.md, with real servers and the product's commands."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest

from development.embedded import postgresql, servers
from tests.facts.files import completed, course, file_of, joined, shared
from tests.operations.service import ROOT

FACTS = [joined("anna"), joined("ben"), *course("fire"), shared("fire", 1), completed("anna", "fire", 5)]
WITHOUT_CLUSTER = {"CLUSTER": "", "CLUSTER_ADMINISTRATOR_URL": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of servers, which are ended and removed."""
    tmp_path.chmod(0o755)  # PostgreSQL runs as somebody else
    yield tmp_path
    servers.stop(tmp_path)
    shutil.rmtree(postgresql.data_folder(tmp_path), ignore_errors=True)


def manage(values: Mapping[str, str], *arguments: str) -> str:
    """What `manage.py` prints on the servers of `values`; it must succeed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env={**os.environ, **WITHOUT_CLUSTER, **values},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(values: Mapping[str, str]) -> list[tuple[object, ...]]:
    """Every row of every history."""
    address = values["DATABASE_SUPERUSER_URL"].rpartition("/")[0] + f"/{postgresql.DATABASE}"
    with psycopg.connect(address, autocommit=True) as connection:
        return connection.execute("SELECT * FROM history_historyrow ORDER BY organization_id, sequence").fetchall()


@pytest.mark.cluster
@pytest.mark.timeout(600)  # four servers and eight commands, each a process
def test_an_installation_of_one_server_becomes_a_cluster_and_keeps_every_row(folder, monkeypatch):
    citus = os.environ["CITUS"]
    monkeypatch.delenv("CITUS")
    plain = servers.start(folder, durable=False)
    manage(plain, "migrate", "--database", "owner", "--verbosity", "0")
    created = manage(
        plain, "create_company", "Acme", "--time-zone", "Europe/Paris", "--history-from", "2020-01-01", "--json"
    )
    company = json.loads(created)["organization_id"]
    (folder / "facts.jsonl").write_bytes(file_of(FACTS).getvalue())
    manage(plain, "import_facts", str(folder / "facts.jsonl"), "--organization", company)
    before = rows(plain)
    assert before
    servers.stop(folder)

    monkeypatch.setenv("CITUS", citus)
    with (folder / servers.FILE).open("a") as file:
        file.write("CLUSTER=1\n")
    cluster = servers.start(folder, durable=False)
    assert "table history_historyrow: with its company" in manage(cluster, "distribute")
    assert manage(cluster, "distribute") == "Every table is in its place.\n"
    assert rows(cluster) == before
    manage(cluster, "verify_history")
    (folder / "more.jsonl").write_bytes(file_of([completed("ben", "fire", 6)]).getvalue())
    manage(cluster, "import_facts", str(folder / "more.jsonl"), "--organization", company)
    assert rows(cluster)[: len(before)] == before
    assert len(rows(cluster)) > len(before)
    manage(cluster, "verify_history")
