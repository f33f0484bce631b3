"""Production refuses to start with what is unsafe, and is clean by Django's own deployment checks."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.interfaces.operations import startup
from compliance.proofs.cosignature import witness_key
from config.processes import PROCESSES
from config.processes import SECRETS as FOREIGN

ROOT = Path(__file__).resolve().parents[3]
SECRETS = ("SECRET_KEY", "CURSOR_KEYS", "CHECKPOINT_KEY", "SECOND_FACTOR_KEYS")


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
        "LOG_FOLDER": str(tmp_path / "log"),
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


def test_cookies_are_of_this_host_alone(production):
    code = (
        "from django.conf import settings as s\n"
        "for kind in ('SESSION', 'CSRF'):\n"
        "    names = ('NAME', 'SECURE', 'HTTPONLY', 'PATH', 'DOMAIN')\n"
        "    told = [getattr(s, f'{kind}_COOKIE_{name}') for name in names]\n"
        "    assert told[0].startswith('__Host-') and told[1:] == [True, True, '/', None], told\n"
    )
    done = run(production, "-c", code)
    assert done.returncode == 0, done.stderr


WITNESS = witness_key("w.example.com/w", bytes(range(32))).line()
LOG_KEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"

STANDBY = "postgresql://app:x@standby.invalid/compliance"


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        *((name, None, f"Production needs {name}") for name in SECRETS),
        *((name, "short", f"Production needs {name}") for name in SECRETS),
        ("SECRET_KEY", "please-change-me-please-change-me-please", "Production needs SECRET_KEY"),
        # Anyone knows the empty key after a trailing comma.
        ("CURSOR_KEYS", "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ,", "each key between its commas"),
        ("CHECKPOINT_KEY", "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ,older", "each key between its commas"),
        ("SECRET_KEY_FALLBACKS", "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ,older", "each of SECRET_KEY_FALLBACKS"),
        ("OIDC_ISSUER", "http://login.example.com", "OIDC_ISSUER to begin with https://"),
        ("BASE_URL", None, "Set BASE_URL"),
        ("BASE_URL", "http://records.example.com", "begin with https://"),
        ("BASE_URL", "https://", "and the name of a host"),
        ("BASE_URL", "https:///learn/", "and the name of a host"),
        ("ALLOWED_HOSTS", None, "ALLOWED_HOSTS"),
        ("ALLOWED_HOSTS", "*", "ALLOWED_HOSTS"),
        ("LOG_FOLDER", None, "Set LOG_FOLDER"),
        ("EMAIL_HOST", None, "Set EMAIL_HOST"),
        ("EMAIL_PORT", "65536", "EMAIL_PORT is a port, up to 65535, not 65536."),
        ("EXPORTS_STORAGE_OPTIONS", "[1]", "EXPORTS_STORAGE_OPTIONS is a JSON object."),
        ("EXPORTS_STORAGE_OPTIONS", '{"bucket_name"', "EXPORTS_STORAGE_OPTIONS is a JSON object."),
        ("EMAIL_FROM", None, "Set EMAIL_FROM"),
        ("EMAIL_FROM", "Compliance Records", "EMAIL_FROM is an address"),
        ("EMAIL_FROM", "réponse@example.com", "EMAIL_FROM is an address"),
        ("EMAIL_FROM", "records@example..com", "EMAIL_FROM is an address"),
        ("EMAIL_FROM", "records@example.com.", "EMAIL_FROM is an address"),
        ("DATABASE_URL", None, "Set DATABASE_URL"),
        ("REDIS_URL", None, "Set REDIS_URL"),
        ("REDIS_URL", "redis.invalid:6379", "REDIS_URL reads redis://"),
        ("REDIS_URL", "unix:///run/redis.sock", "REDIS_URL reads redis://"),
        ("REDIS_URL", "redis://:pass/word@redis.invalid:6379/0", "REDIS_URL reads redis://"),
        ("TRUSTED_PROXIES", "10.0.0.1, caddy", "as 10.0.0.1 or 10.0.0.0/24, not 'caddy'."),
        ("TRUSTED_PROXIES", "10.0.0.1:8000, ::1, proxy", "not '10.0.0.1:8000', 'proxy'."),
        ("TRUSTED_PROXIES", "::ffff:10.0.0.1", "holds IPv4 as 10.0.0.1"),
        ("TRUSTED_PROXIES", "0.0.0.0/0", "without /0"),
        ("TRUSTED_PROXIES", "10.0.0.1, ::/0", "without /0"),
        ("SECURITY_CONTACT", "security@example.com", "begin with https://, mailto: or tel:"),
        ("ENVIRONMENT", "production", "ENVIRONMENT is live or test"),
        ("FILES_ENDPOINT", "http://s3.example.com", "FILES_ENDPOINT begins with https://"),
        ("FILES_ENDPOINT", "s3.example.com", "FILES_ENDPOINT begins with https://"),
        ("FILES_PLACE", "bucket", "FILES_BUCKET names none"),
        ("FILES_ACCESS_KEY", "AKIA", "FILES_ACCESS_KEY and FILES_SECRET_KEY both"),
        ("FILES_ENCRYPTION", "none", "FILES_ENCRYPTION is"),
        ("EXPORTS_STORAGE_OPTIONS", '{"default_acl": "public-read"}', "take default_acl out"),
        ("EXPORTS_STORAGE_OPTIONS", '{"endpoint_url": "http://s3.example.com"}', "to begin with https://"),
        ("EXPORTS_STORAGE_OPTIONS", '{"use_ssl": false}', "to begin with https://"),
        ("CONCURRENT_LIMIT", "0", "must be a positive whole number"),
        ("LOG_WITNESSES", "https://w.example.com", "is no verifier key of a witness"),
        ("LOG_WITNESSES", f"{LOG_KEY} https://w.example.com", "is no verifier key of a witness"),
        ("LOG_WITNESSES", WITNESS, "has no address"),
        ("LOG_WITNESSES", f"{WITNESS} ftp://w.example.com", "has no address"),
        ("LOG_WITNESSES", f"{WITNESS} https://w.example.com?a=b", "has no address"),
        ("LOG_WITNESSES", f"{WITNESS} https://w.example.com:port", "has no address"),
        ("LOG_WITNESSES", f"{WITNESS} https://w.example.com two", "has no address"),
        ("LOG_WITNESSES", f"{WITNESS} https://a.example, {WITNESS} https://b.example", "the key of another entry"),
        ("LOG_QUORUM", "0", "must be a positive whole number"),
        ("READ_DATABASE_URLS", "standby.invalid", "A database URL reads"),
        ("READ_DATABASE_URLS", "postgresql://app:x@/compliance", "an address for each standby"),
        ("READ_DATABASE_URLS", f"{STANDBY}?target_session_attrs=any", "an address for each standby"),
        ("READ_DATABASE_URLS", f"{STANDBY}?sslmod=require", "may have the options"),
        ("READ_DATABASE_URLS", STANDBY.replace("app", "owner"), "the role and the database of DATABASE_URL"),
        ("READ_DATABASE_URLS", f"{STANDBY}_test", "the role and the database of DATABASE_URL"),
        ("READ_DATABASE_URLS", f"{STANDBY}, {STANDBY}", "a server twice"),
        ("READ_DATABASE_URLS", "postgresql://app:x@database.invalid:5432/compliance", "or the one of DATABASE_URL"),
        ("WEBHOOK_ALLOW_PRIVATE", "1", "is for tests and demos"),
        ("WEBHOOK_ALLOW_PRIVATE", "yes", "WEBHOOK_ALLOW_PRIVATE is 0 or 1"),
    ],
)
def test_an_unsafe_or_missing_setting_is_refused(production, setting, value, sentence, monkeypatch):
    """Settings are read in this process, from an environment with nothing else, so that many can be tried quickly."""
    environment = {name: text for name, text in production.items() if name != setting}
    if value is not None:
        environment[setting] = value
    assert sentence in _refusal(environment, monkeypatch)


def test_proxies_are_addresses_and_networks_of_both_kinds(production, monkeypatch):
    named = ["10.0.0.1", "10.1.0.1/16", "fd00::/8", "::1"]
    assert loaded(production | {"TRUSTED_PROXIES": ",".join(named)}, monkeypatch)["TRUSTED_PROXIES"] == named


@pytest.mark.parametrize(("port", "from_the_first_byte"), [("465", True), ("587", False), ("2525", False)])
def test_letters_always_go_out_under_tls_as_their_port_has_it(production, port, from_the_first_byte, monkeypatch):
    found = loaded(production | {"EMAIL_PORT": port}, monkeypatch)
    assert (found["EMAIL_USE_SSL"], found["EMAIL_USE_TLS"]) == (from_the_first_byte, not from_the_first_byte)


@pytest.mark.parametrize("setting", ["CURSOR_KEYS", "SECOND_FACTOR_KEYS"])
def test_blanks_beside_the_comma_between_keys_are_no_part_of_a_key(production, setting, monkeypatch):
    newest, oldest = "n3wK9vQx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAg", production[setting]
    assert loaded(production | {setting: f"{newest}, {oldest}"}, monkeypatch)[setting] == [newest, oldest]


def test_witnesses_are_keys_with_addresses_and_more_than_half_are_a_quorum(production, monkeypatch):
    keys = [witness_key(f"w{number}.example.com/w", bytes([number]) * 32).line() for number in range(3)]
    entries = [f"{key} https://w{number}.example.com/below/" for number, key in enumerate(keys)]
    found = loaded(production | {"LOG_WITNESSES": ", ".join(entries)}, monkeypatch)
    assert (found["LOG_WITNESSES"], found["LOG_QUORUM"]) == ([entry.rstrip("/") for entry in entries], 2)
    assert loaded(production | {"LOG_WITNESSES": entries[0], "LOG_QUORUM": "1"}, monkeypatch)["LOG_QUORUM"] == 1
    assert "LOG_WITNESSES names 1" in _refusal(
        production | {"LOG_WITNESSES": entries[0], "LOG_QUORUM": "2"}, monkeypatch
    )


def test_without_environment_it_is_production_and_every_fault_is_named(monkeypatch, tmp_path):
    message = _refusal({"COMPLIANCE_FOLDER": str(tmp_path), "CONCURRENT_LIMIT": "no"}, monkeypatch).splitlines()
    assert message[0].startswith("ENVIRONMENT is not set, so this is production")
    missing = "DATABASE_URL, REDIS_URL, LOG_FOLDER, BASE_URL, ALLOWED_HOSTS, EMAIL_FROM, EMAIL_HOST"
    assert message[1] == f"Set {missing} in the environment, or start the embedded servers: make servers."
    assert [line.split(":")[0] for line in message[2:6]] == [
        f"Production needs {name}" for name in ("SECRET_KEY", "CURSOR_KEYS", "SECOND_FACTOR_KEYS", "CHECKPOINT_KEY")
    ]
    assert message[6:] == ["CONCURRENT_LIMIT must be a positive whole number, not 'no'."]


def test_no_fault_quotes_a_secret(production, monkeypatch):
    """Addresses are secrets too: they hold passwords."""
    wrong = {
        name: f"sesame-{name}"
        for name in (*SECRETS, "DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY_FALLBACKS")
    }
    message = _refusal(production | wrong, monkeypatch)
    assert "A database URL reads" in message
    assert "sesame" not in message


def test_servers_that_run_here_make_it_a_test_unless_the_environment_says_live(production, monkeypatch, tmp_path):
    servers = (
        "ENVIRONMENT=test\nDATABASE_URL=postgresql://app:word@127.0.0.1:1/compliance\nREDIS_URL=redis://127.0.0.1:1/0\n"
    )
    (tmp_path / "servers.env").write_text(servers)
    alone = loaded({"COMPLIANCE_FOLDER": str(tmp_path), "REDIS_URL": ""}, monkeypatch)
    assert (alone["ENVIRONMENT"], alone["REDIS_URL"], alone["DATABASES"]["default"]["PORT"]) == (
        "test", "redis://127.0.0.1:1/0", "1",
    )  # fmt: skip
    assert loaded(production, monkeypatch)["PRODUCTION"]


def test_the_document_lists_every_setting():
    from config.environment import table

    assert table() in (ROOT / "docs" / "operations.md").read_text()


def test_the_document_lists_the_secrets_of_each_process():
    lines = (ROOT / "docs" / "operations.md").read_text().splitlines()
    for role, process in PROCESSES.items():
        cells = next(line for line in lines if line.startswith("| ") and f"`{role}`" in line.split("|")[1]).split("|")
        listed = PROCESSES["web"].secrets if cells[3].strip() == "as web" else set(re.findall(r"`(\w+)`", cells[3]))
        assert (cells[2].strip(" `"), listed) == (process.database_role, process.secrets), role


def loaded(environment, monkeypatch) -> dict:
    """The settings that a process with this environment, and nothing else, would have."""
    import runpy

    from config.environment import read

    with monkeypatch.context() as patch:
        for name in list(os.environ):
            patch.delenv(name)
        patch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # the settings set it, so it is restored with the others
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.delitem(sys.modules, "config.console", raising=False)
        read.cache_clear()
        try:
            return runpy.run_path(str(ROOT / "config" / "settings.py"))
        finally:
            read.cache_clear()


def test_standbys_are_those_of_a_single_postgresql(production, monkeypatch):
    named = f"{STANDBY}?sslmode=require, {STANDBY.replace('standby', 'another')}"
    found = loaded(production | {"READ_DATABASE_URLS": named}, monkeypatch)
    assert found["READ_DATABASE_URLS"] == named.split(", ")
    assert loaded(production, monkeypatch)["READ_DATABASE_URLS"] == []
    assert "with CLUSTER=1" in _refusal(production | {"READ_DATABASE_URLS": named, "CLUSTER": "1"}, monkeypatch)


def _refusal(environment, monkeypatch) -> str:
    from django.core.exceptions import ImproperlyConfigured

    with pytest.raises(ImproperlyConfigured) as refused:
        loaded(environment, monkeypatch)
    return str(refused.value)


def of_role(production, role) -> dict[str, str]:
    """The environment of one process among separate ones."""
    process = PROCESSES[role]
    kept = {name: value for name, value in production.items() if name not in FOREIGN or name in process.secrets}
    return kept | {
        "PROCESS_ROLE": role,
        "DATABASE_URL": f"postgresql://{process.database_role}:secret@database.invalid/compliance",
        "CHECKPOINT_VERIFIER_KEY": "records.example.com/log+00000000+AA==",
    }


@pytest.mark.parametrize("role", PROCESSES)
def test_a_process_starts_with_its_own_secrets_and_with_no_other_s(production, role, monkeypatch):
    environment = of_role(production, role)
    settings = loaded(environment, monkeypatch)
    assert bool(settings["CHECKPOINT_KEYS"]) is (role == "signer")
    assert len(settings["SECRET_KEY"]) >= 32
    for secret in sorted(FOREIGN - PROCESSES[role].secrets):
        message = _refusal(environment | {secret: "K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0YcEuAgIoQ"}, monkeypatch)
        assert f"role {role} must not hold {secret}" in message


@pytest.mark.parametrize("role", PROCESSES)
def test_a_process_connects_as_its_own_database_role(production, role, monkeypatch):
    other = "app_worker" if role == "web" else "app_web"
    address = f"postgresql://{other}:secret@database.invalid/compliance"
    message = _refusal(of_role(production, role) | {"DATABASE_URL": address}, monkeypatch)
    assert f"not as {other}" in message


def test_a_process_that_checks_needs_the_verifier_key(production, monkeypatch):
    environment = {name: value for name, value in of_role(production, "web").items() if "VERIFIER" not in name}
    assert "Set CHECKPOINT_VERIFIER_KEY" in _refusal(environment, monkeypatch)


def test_the_signer_prints_its_key_line_before_there_is_a_database(production):
    done = run(of_role(production, "signer") | {"CHECKPOINT_VERIFIER_KEY": ""}, "manage.py", "signer", "--verifier-key")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("records.example.com/log+")


def test_a_role_that_there_is_not_is_refused(production, monkeypatch):
    assert "PROCESS_ROLE is web" in _refusal(production | {"PROCESS_ROLE": "wbe"}, monkeypatch)


@pytest.mark.django_db
def test_the_role_of_the_suite_is_safe_to_start_with():
    startup.refuse_unsafe()


@pytest.mark.timeout(400)
def test_web_worker_and_beat_refuse_to_start_as_the_owner(process_environment, tmp_path):
    environment = process_environment | {
        "DATABASE_URL": process_environment["DATABASE_OWNER_URL"],
        "LOG_FOLDER": str(tmp_path / "log"),
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
        _, message = process.communicate(timeout=120)
        assert process.returncode == 1, message
        assert "it would see every company's rows" in message
