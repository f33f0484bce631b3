"""Production refuses to start with what is unsafe, and is clean by Django's own deployment checks (design 9)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.interfaces.operations import startup

ROOT = Path(__file__).resolve().parents[3]
SECRETS = ("SECRET_KEY", "CURSOR_KEYS", "CHECKPOINT_KEY")


@pytest.fixture
def production(tmp_path) -> dict[str, str]:
    """The environment of a whole and safe production."""
    (tmp_path / "static").mkdir()
    secrets = {name: f"{name}-K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0Yc-uEaGiOqVt9Rb3X" for name in SECRETS}
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "COMPLIANCE_FOLDER": str(tmp_path),
        "ENVIRONMENT": "live",
        "DATABASE_URL": "postgresql://app:secret@database.invalid/compliance",
        "REDIS_URL": "redis://:secret@redis.invalid/0",
        "BASE_URL": "https://records.example.com",
        "ALLOWED_HOSTS": "records.example.com",
        "TRUSTED_PROXIES": "10.0.0.1",
        "CHECKPOINT_FILE": str(tmp_path / "checkpoints.notes"),
        "EMAIL_HOST": "mail.example.com",
        "EMAIL_FROM": "records@example.com",
    } | secrets


def run(environment: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, text=True, capture_output=True, check=False
    )


def test_the_deployment_checks_are_clean(production):
    done = run(
        production, "-W", "error::DeprecationWarning", "manage.py", "check", "--deploy", "--fail-level", "WARNING"
    )
    assert done.returncode == 0, done.stderr
    assert "System check identified no issues (0 silenced)." in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        *((name, None, f"Production needs {name}") for name in SECRETS),
        *((name, "short", f"Production needs {name}") for name in SECRETS),
        ("SECRET_KEY", "please-change-me-please-change-me-please", "Production needs SECRET_KEY"),
        # Anyone knows the empty key after a trailing comma.
        ("CURSOR_KEYS", "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ,", "each key between its commas"),
        ("CHECKPOINT_KEY", "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ,older", "each key between its commas"),
        ("BASE_URL", None, "Set BASE_URL"),
        ("BASE_URL", "http://records.example.com", "begin with https://"),
        ("ALLOWED_HOSTS", None, "ALLOWED_HOSTS"),
        ("ALLOWED_HOSTS", "*", "ALLOWED_HOSTS"),
        ("CHECKPOINT_FILE", None, "Set CHECKPOINT_FILE"),
        ("EMAIL_HOST", None, "Set EMAIL_HOST"),
        ("EMAIL_FROM", None, "Set EMAIL_FROM"),
        ("DATABASE_URL", None, "Set DATABASE_URL"),
        ("REDIS_URL", None, "Set REDIS_URL"),
        ("ENVIRONMENT", "production", "ENVIRONMENT is live or test"),
        ("CONCURRENT_LIMIT", "0", "must be a positive whole number"),
    ],
)
def test_an_unsafe_or_missing_setting_is_refused(production, setting, value, sentence, monkeypatch):
    """Settings are read in this process, from an environment that holds nothing else, so that many are quick."""
    environment = {name: text for name, text in production.items() if name != setting}
    if value is not None:
        environment[setting] = value
    assert sentence in _refusal(environment, monkeypatch)


def _refusal(environment, monkeypatch) -> str:
    import runpy

    from django.core.exceptions import ImproperlyConfigured

    from config import environment as module

    with monkeypatch.context() as patch:
        for name in list(os.environ):
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(module, "_servers", {})
        patch.setattr(module, "FOLDER", Path(environment["COMPLIANCE_FOLDER"]))
        with pytest.raises(ImproperlyConfigured) as refused:
            runpy.run_path(str(ROOT / "config" / "settings.py"))
    return str(refused.value)


@pytest.mark.django_db
def test_the_role_of_the_suite_is_safe_to_start_with():
    startup.refuse_unsafe()


@pytest.mark.timeout(400)
def test_web_worker_and_beat_refuse_to_start_as_the_owner(process_environment, tmp_path):
    environment = process_environment | {
        "DATABASE_URL": process_environment["DATABASE_OWNER_URL"],
        "CHECKPOINT_FILE": str(tmp_path / "notes"),
    }
    starts = (
        ["-c", "import config.wsgi"],
        ["-m", "celery", "--app", "config", "worker", "--pool", "solo", "--without-gossip", "--without-mingle"],
        ["-m", "celery", "--app", "config", "beat", "--pidfile=", "--schedule", str(tmp_path / "schedule")],
    )
    running = [
        subprocess.Popen(
            [sys.executable, *start], cwd=ROOT, env=environment, text=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for start in starts
    ]  # fmt: skip
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 1, said
        assert "it would see every company's rows" in said
