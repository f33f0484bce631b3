"""`deploy/` fits the code: its settings exist, its queues have workers, its containers can do their work."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from compliance.interfaces.serving import front
from config.celery import app
from config.environment import Environment
from config.processes import PROCESSES
from config.processes import SECRETS as FOREIGN
from tests.interfaces.operations.test_production import SECRETS, loaded

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
OURS = (
    "migrate",
    "manage",
    "web",
    "worker",
    "worker-long",
    "worker-letters",
    "worker-webhooks",
    "signer",
    "beat",
    "metrics",
)
WEB_WORKERS = 2  # unless production.env has another number (Dockerfile)
RESERVED = 3  # PostgreSQL keeps these for superusers
REQUIRED = {
    "DATABASE_URL", "REDIS_URL", "BASE_URL", "ALLOWED_HOSTS", "LOG_FOLDER", "EMAIL_HOST", "EMAIL_FROM", *SECRETS,
}  # fmt: skip


@pytest.fixture(scope="module")
def services() -> dict:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def example() -> set[str]:
    lines = (DEPLOY / "production.env.example").read_text().splitlines()
    return {line.partition("=")[0] for line in lines if line and not line.startswith("#")}


def test_what_production_needs_is_set_and_what_is_set_is_read(services):
    known = set(Environment.model_fields)
    compose = (DEPLOY / "compose.yaml").read_text()
    ours = set(services["web"]["environment"])
    assert known >= REQUIRED
    assert example() | ours >= REQUIRED - {"CHECKPOINT_KEY"}
    assert ours <= known
    for name in example() - known:
        assert re.search(rf"\$\{{{name}[:}}]", compose), f"nothing reads {name}"


def environment_of(service: dict) -> dict[str, str]:
    """The environment that Compose gives a container, with our values for those of production.env."""
    given = {name: f"{name}-K3v9Qx7Lr2Tz8Wn5Bd1Hs6Jf4Mp0Yc" for name in example()} | {
        "BASE_URL": "https://records.example.com", "ALLOWED_HOSTS": "records.example.com",
        "TRUSTED_PROXIES": "10.0.0.1", "OIDC_ISSUER": "", "EMAIL_FROM": "records@example.com",
        "CHECKPOINT_VERIFIER_KEY": "records.example.com/log+00000000+AA==",
        "LOG_WITNESSES": "",
        "LOG_QUORUM": "",
    }  # fmt: skip
    return {
        name: re.sub(r"\$\{([A-Z_]+):[?-]\}", lambda found: given[found[1]], str(value))
        for name, value in service["environment"].items()
    }


@pytest.mark.parametrize("name", OURS)
def test_each_container_is_given_its_own_secrets_and_starts_with_them(services, name, monkeypatch, tmp_path):
    service = services[name]
    environment = environment_of(service)
    process = PROCESSES[environment["PROCESS_ROLE"]]
    assert not service["env_file"][0]["required"]
    assert service["env_file"][0]["path"] == "settings.env"
    assert {each for each in environment if each in FOREIGN} <= process.secrets
    settings = loaded(environment | {"COMPLIANCE_FOLDER": str(tmp_path)}, monkeypatch)
    assert settings["DATABASES"]["default"]["USER"] == process.database_role
    passwords = {each for each in example() if each.endswith("_PASSWORD")}
    held = {each for each in passwords if f"{each}-K3v9" in " ".join(environment.values())}
    own = {"app_web": "WEB", "app_worker": "WORKER", "app_signer": "SIGNER", "app": "APP", "owner": "OWNER"}
    assert held - {"EMAIL_HOST_PASSWORD", "REDIS_PASSWORD"} == {f"{own[process.database_role]}_PASSWORD"}
    assert ("CHECKPOINT_KEY-K3v9" in " ".join(environment.values())) is (name == "signer")


def test_only_the_signer_may_write_what_was_signed(services):
    for name, service in services.items():
        mounted = [each for each in service.get("volumes") or [] if each.startswith("checkpoints:")]
        assert all(each.endswith(":ro") for each in mounted) is (name != "signer"), name


def test_the_superuser_s_password_is_the_database_s_alone(services):
    assert [name for name, each in services.items() if "SUPERUSER_PASSWORD" in str(each)] == ["postgresql"]


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
        ("compliance.operations.verify", "long"),
        ("compliance.operations.remind", "long"),
        ("compliance.operations.tidy", "timed"),
        ("compliance.operations.tidy_company", "long"),
        ("compliance.evidence.build", "long"),
        ("compliance.console.run_job", "long"),
        ("compliance.understand.refresh", "long"),
        ("compliance.letters.look_all", "timed"),
        ("compliance.letters.look", "letters"),
        ("compliance.letters.send", "letters"),
        ("compliance.sign_in.send_letters", "letters"),
        ("compliance.webhooks.look", "timed"),
        ("compliance.webhooks.send", "webhooks"),
    ],
)
def test_what_may_take_long_does_not_stand_in_the_way_of_captures_and_of_letters(task, queue):
    assert app.amqp.router.route({}, task)["queue"].name == queue


def test_a_task_with_a_time_limit_of_its_own_has_a_queue_without_captures():
    app.loader.import_default_modules()
    long = {name for name, task in app.tasks.items() if (task.time_limit or 0) > app.conf.task_time_limit}
    assert "compliance.operations.verify_access_log" in long
    assert {app.amqp.router.route({}, name)["queue"].name for name in long} == {"long"}


def test_a_task_with_a_time_limit_of_its_own_is_interrupted_shortly_before_it_and_no_sooner():
    app.loader.import_default_modules()
    for name, task in app.tasks.items():
        if (task.time_limit or 0) > app.conf.task_time_limit:
            assert task.time_limit - 60 <= (task.soft_time_limit or 0) < task.time_limit, name


def test_a_worker_is_stopped_only_after_the_longest_of_its_tasks(services):
    app.loader.import_default_modules()
    units = {"h": 3600, "m": 60, "s": 1}
    for name, service in services.items():
        command = service.get("command", [])
        if "worker" not in command:
            continue
        queues = command[command.index("--queues") + 1].split(",")
        limits = [
            task.time_limit or app.conf.task_time_limit
            for each, task in app.tasks.items()
            if app.amqp.router.route({}, each)["queue"].name in queues and not task.acks_late
        ]
        grace = service["stop_grace_period"]
        assert int(grace[:-1]) * units[grace[-1]] >= max(limits, default=0), name


def test_the_database_takes_the_connections_of_two_of_each_process(services):
    """Each thread of a web process keeps one; a release runs the old and the new one side by side."""
    threads = front.API_THREADS + front.PAGE_THREADS + front.SOURCE_THREADS
    web = threads * WEB_WORKERS
    workers = sum(
        2 * int(command[command.index("--concurrency") + 1])  # the turn of long work has one of its own
        for command in (service.get("command", []) for service in services.values())
        if "worker" in command
    )
    (given,) = (each for each in services["postgresql"]["command"] if each.startswith("max_connections="))
    assert int(given.partition("=")[2]) - RESERVED >= 2 * web + workers + 10


def test_containers_run_without_rights_and_those_that_send_letters_can_connect_to_the_mail_server(services):
    for name in OURS:
        assert services[name]["user"] == "10001:10001"
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
    # The entry point of Redis' image changes users when it is root, for which it would need capabilities.
    assert services["redis"]["cap_drop"] == ["ALL"]
    assert services["redis"]["user"] == "redis"
    for name in ("worker-long", "worker-letters"):
        assert "outside" in services[name]["networks"]  # `inside` has no way out


def test_the_signer_can_connect_to_witnesses(services):
    assert set(services["signer"]["networks"]) == {"inside", "outside"}


def test_a_standby_takes_as_many_connections_as_its_primary(services):
    """PostgreSQL refuses to start one that takes fewer; what the primary has on its command line is not copied."""

    def given(command: list[str]) -> list[str]:
        return [each for each in command if each.startswith("max_connections=")]

    standby = yaml.safe_load((DEPLOY / "standby" / "compose.yaml").read_text())["services"]["standby"]
    assert given(standby["command"]) == given(services["postgresql"]["command"]) != []


def test_no_password_is_an_argument_of_a_program(services):
    """Every user of the machine sees the arguments of its processes."""
    for name, service in services.items():
        lines = [
            service.get("command", []),
            service.get("entrypoint", []),
            service.get("healthcheck", {}).get("test", []),
        ]
        written = " ".join(word for line in lines for word in line)
        assert not re.search(r"(?<!\$)\$\{?[A-Z_]*PASSWORD|(-a|--pass|--requirepass) \S*PASSWORD", written), name
    assert "requirepass $$REDIS_PASSWORD" in str(services["redis"]["command"])


def test_a_backup_is_never_written_over_another(tmp_path):
    (tmp_path / "database.dump").write_text("yesterday's")
    done = subprocess.run(
        ["sh", str(DEPLOY / "backup.sh"), str(tmp_path)], env={"PATH": os.environ["PATH"]}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Name a new folder" in done.stderr
    assert (tmp_path / "database.dump").read_text() == "yesterday's"


def test_a_standby_deletes_nothing_in_a_folder_that_is_not_its_own(tmp_path):
    other = tmp_path / "17" / "main" / "PG_VERSION"
    other.parent.mkdir(parents=True)
    other.write_text("17")
    given = {"PRIMARY_HOST": "127.0.0.1", "PRIMARY_PORT": "1", "REPLICATOR_PASSWORD": "none", "PGDATA": str(tmp_path)}
    started = subprocess.Popen(
        ["sh", str(DEPLOY / "standby" / "start.sh")], env={"PATH": os.environ["PATH"]} | given, text=True,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        assert any("cannot be copied yet" in line for line in started.stderr)
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
    assert other.read_text() == "17"


def test_patroni_loses_nothing_that_was_acknowledged_and_lets_nobody_in_without_a_password():
    configuration = yaml.safe_load((ROOT / "deploy" / "patroni" / "patroni.yml").read_text())
    decided = configuration["bootstrap"]["dcs"]
    assert decided["synchronous_mode"] is decided["synchronous_mode_strict"] is True
    assert decided["loop_wait"] + 2 * decided["retry_timeout"] <= decided["ttl"] <= 30
    assert decided["maximum_lag_on_failover"] == 0
    assert "data-checksums" in configuration["bootstrap"]["initdb"]
    assert configuration["watchdog"]["mode"] == "required"
    over_the_network = [line for line in configuration["postgresql"]["pg_hba"] if not line.startswith("local ")]
    assert over_the_network
    assert all(line.startswith("hostssl ") and line.endswith(" scram-sha-256") for line in over_the_network)
