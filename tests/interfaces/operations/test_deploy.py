"""`deploy/` fits the code: settings that exist, queues that are taken, containers that can do their work (issue 7)."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from config.celery import app
from tests.interfaces.operations.test_production import SECRETS

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
OURS = ("migrate", "web", "worker", "worker-long", "beat", "metrics")
REQUIRED = {
    "DATABASE_URL", "REDIS_URL", "BASE_URL", "ALLOWED_HOSTS", "CHECKPOINT_FILE", "EMAIL_HOST", "EMAIL_FROM", *SECRETS,
}  # fmt: skip


@pytest.fixture(scope="module")
def services() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def example() -> set[str]:
    lines = (DEPLOY / "production.env.example").read_text().splitlines()
    return {line.partition("=")[0] for line in lines if line and not line.startswith("#")}


def test_what_production_needs_is_set_and_what_is_set_is_read(services):
    settings = (ROOT / "config" / "settings.py").read_text() + (ROOT / "config" / "environment.py").read_text()
    known = set(re.findall(r'environ(?:ment\.\w+|\.get)\(\s*"([A-Z_]+)"', settings))
    compose = (DEPLOY / "compose.yaml").read_text()
    ours = set(services["web"]["environment"])
    assert REQUIRED - {"CHECKPOINT_FILE"} <= known | {"CHECKPOINT_FILE"}
    assert example() | ours >= REQUIRED
    assert ours <= known
    for name in example() - known:
        assert re.search(rf"\$\{{{name}[:}}]", compose), f"nothing reads {name}"


def test_every_queue_is_taken_by_a_worker(services):
    taken = set()
    for service in services.values():
        command = service.get("command", [])
        if "worker" in command:
            taken |= set(command[command.index("--queues") + 1].split(","))
    assert taken == set(app.amqp.queues)


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("compliance.history.capture", "celery"),
        ("compliance.history.sweep", "timed"),
        ("compliance.operations.write_checkpoints", "timed"),
        ("compliance.operations.verify", "long"),
        ("compliance.operations.remind", "long"),
        ("compliance.evidence.build", "long"),
        ("compliance.console.run_job", "long"),
        ("compliance.understand.refresh", "long"),
    ],
)
def test_what_may_take_long_does_not_stand_in_the_way_of_captures(task, queue):
    assert app.amqp.router.route({}, task)["queue"].name == queue


def test_containers_run_without_rights_and_those_that_send_letters_reach_the_mail_server(services):
    for name in OURS:
        assert services[name]["user"] == "10001:10001"
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
    # The entry point of Redis' image changes users when it is root, for which it would need capabilities.
    assert services["redis"]["cap_drop"] == ["ALL"]
    assert services["redis"]["user"] == "redis"
    assert "outside" in services["worker-long"]["networks"]  # `inside` has no way out


def test_a_backup_is_never_written_over_another(tmp_path):
    (tmp_path / "database.dump").write_text("yesterday's")
    done = subprocess.run(
        ["sh", str(DEPLOY / "backup.sh"), str(tmp_path)], env={"PATH": os.environ["PATH"]}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Name a new folder" in done.stderr
    assert (tmp_path / "database.dump").read_text() == "yesterday's"
