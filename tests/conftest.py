"""The suite connects as the role `app`, on a database that the role `owner` made and migrated."""

import os
import shutil
import signal
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from development.embedded import cluster
from tests import mail_server as mail_servers
from tests import running

# A shell makes its background processes ignore Ctrl-C, and programs that a test interrupts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The same examples on every machine and in every run: a failure is a fault, never chance.
hypothesis_settings.register_profile(
    "suite", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
hypothesis_settings.register_profile("thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """The half of CI that runs on a second version leaves out files for which one version is enough."""
    parser.addoption(
        "--both-versions",
        action="store_true",
        help="only what another Python or PostgreSQL could fail (tests/running.py)",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files that are left out are not imported either."""
    left_out = config.getoption("--both-versions") and running.runs_once(_path(collection_path, config))
    return True if left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skips what this database cannot test, and puts the longest files first, so that the workers end together.

    Files whose tests commit come after all that do not, so that no other test runs after what they leave behind. Files
    that open a browser come last: while Playwright runs, no test beside it can have an event loop of its own.
    """
    from django.conf import settings

    for item in items:
        marker = item.get_closest_marker("one_server")
        if settings.CLUSTER and marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"on a cluster: {marker.args[0]}"))
        if not settings.CLUSTER and item.get_closest_marker("cluster") is not None:
            item.add_marker(pytest.mark.skip(reason="no cluster: CITUS names no folder with PostgreSQL 18 and Citus"))
    commits = {"committed", "seen_by_all_roles"} if settings.CLUSTER else {"committed"}
    committing, browsing = (
        {item.path for item in items if not fixtures.isdisjoint(getattr(item, "fixturenames", ()))}
        for fixtures in (commits, {"browser"})
    )
    turns = {path: running.turn(_path(path, config)) for path in {item.path for item in items}}
    items.sort(key=lambda item: (item.path in browsing, item.path in committing, turns[item.path]))


def _path(path: Path, config: pytest.Config) -> str:
    return path.relative_to(config.rootpath).as_posix() if path.is_relative_to(config.rootpath) else str(path)


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Names the suite's database: one per run and per xdist worker, or TEST_DATABASE for a developer's own."""


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: Any, worker_id: str) -> Iterator[None]:
    """Creates the suite's database as `owner`, migrates it, and points the connections at it."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    name = f"{os.environ.get('TEST_DATABASE', 'test_compliance')}_{worker_id}"
    keep = bool(os.environ.get("KEEP_DATABASE"))
    owner = connections["owner"].settings_dict
    if settings.CLUSTER:
        if not keep:
            cluster.drop_database(name, os.environ)
        cluster.provide_database(name, os.environ)
    else:
        with psycopg.connect(
            host=owner["HOST"], port=owner["PORT"], user=owner["USER"], password=owner["PASSWORD"],
            dbname=owner["NAME"], autocommit=True,
        ) as administration:  # fmt: skip
            if not keep:
                administration.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            if not administration.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                administration.execute(f'CREATE DATABASE "{name}"')
        administration.close()
    with django_db_blocker.unblock():
        for alias in ("default", "owner"):
            connections[alias].close()
            connections[alias].settings_dict["NAME"] = name
        call_command("migrate", database="owner", verbosity=0)
        from compliance.tenancy.checks import refuse_unsafe_role

        refuse_unsafe_role()  # as web and worker do: a pass as the owner or a superuser proves nothing
        connections["owner"].close()
        yield
        for connection in connections.all(initialized_only=True):
            connection.close()


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """The xdist worker, `master` without xdist."""
    workerinput = getattr(request.config, "workerinput", None)
    return workerinput["workerid"] if workerinput else "master"


@pytest.fixture(scope="session", autouse=True)
def files_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder where the suite and the processes that it starts store files; it is removed afterwards."""
    from django.conf import settings

    folder = str(tmp_path_factory.mktemp("files"))
    settings.FILES_FOLDER = folder
    storages: Any = settings.STORAGES
    storages["folder"]["OPTIONS"]["location"] = folder
    os.environ["FILES_FOLDER"] = folder
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def now() -> datetime:
    """A moment that tests may use as the present."""
    return datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def process_environment(django_db_setup: None) -> dict[str, str]:
    """The environment of a real process that uses the suite's database."""
    from django.db import connections

    def address(alias: str) -> str:
        values = connections[alias].settings_dict
        return f"postgresql://{values['USER']}:{values['PASSWORD']}@{values['HOST']}:{values['PORT']}/{values['NAME']}"

    return os.environ | {"DATABASE_URL": address("default"), "DATABASE_OWNER_URL": address("owner")}


@pytest.fixture
def new_organization_id() -> Callable[[], uuid.UUID]:
    """Makes identifiers of companies that no other test uses."""
    return uuid.uuid4


@pytest.fixture
def tasks_in_memory() -> Iterator[None]:
    """Sends tasks to an in-memory broker that nothing reads; afterwards they go to Redis again.

    The application keeps its open connections, so they are reset both times.
    """
    from config.celery import app

    def send_to(address: str) -> None:
        app.conf.broker_url = address
        app.amqp._producer_pool = app._pool = None

    before = app.conf.broker_url
    send_to("memory://")
    yield
    send_to(before)


@pytest.fixture
def mail_server(settings: Any) -> Iterator[mail_servers.Server]:
    """A mail server to which letters are sent by SMTP."""
    with mail_servers.running() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
        settings.EMAIL_USE_TLS = False
        yield server


@pytest.fixture
def committed(django_db_setup: None, django_db_blocker: Any, tasks_in_memory: None) -> Iterator[None]:
    """Lets a test commit, for other processes or a server to read; its tasks go nowhere.

    What it leaves in append-only tables cannot be removed, so use new companies: afterwards they are removed from the
    directory, where other tests would find them, and the accounts, keys and sources that were made are deleted.
    """
    from django.contrib.auth.models import User
    from django.contrib.sessions.models import Session
    from django.db import connection

    from compliance.access.models import ApiKey, Source
    from compliance.history.models import HistoryHead
    from compliance.interfaces.operations.models import CompanyStanding
    from compliance.learning.models import LinkRequest
    from compliance.tenancy.models import Organization
    from compliance.webhooks.models import Webhook

    with django_db_blocker.unblock():
        before = set(Organization.objects.values_list("organization_id", flat=True))
        yield
        CompanyStanding.objects.all().delete()
        Session.objects.all().delete()
        User.objects.all().delete()
        ApiKey.objects.all().delete()
        Source.objects.all().delete()
        Webhook.objects.all().delete()
        LinkRequest.objects.all().delete()
        HistoryHead.objects.exclude(organization_id__in=before).delete()
        _empty_log()
        Organization.objects.exclude(organization_id__in=before).delete()
        connection.close()


FINAL = (
    "history_capture", "history_historyrecord", "history_historyrow", "history_recordsource", "history_subtree",
    "pending_fact", "pending_origin", "pending_seal",
)  # fmt: skip
"""Append-only tables that tests alter as their owner."""


@pytest.fixture
def owner(committed: None) -> Iterator[psycopg.Connection]:
    """A connection that may change append-only tables: their owner's, with the triggers and policies disabled."""
    from django.db import connections

    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=values["NAME"], autocommit=True,
    ) as connection:  # fmt: skip
        for table in FINAL:  # each alone, as a cluster requires
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        yield connection
        for table in FINAL:
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
            connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    connection.close()


@pytest.fixture
def seen_by_all_roles(request: pytest.FixtureRequest, settings: Any) -> None:
    """A database in which functions that run as the owner see what the test has written.

    A node gives each role its own connection, so on a cluster they see only what is committed, as in production.
    """
    request.getfixturevalue("committed" if settings.CLUSTER else "db")


def _empty_log() -> None:
    """Deletes the log that a test has committed, as only its owner can: other tests have folders of their own."""
    from django.db import connections

    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE log_leaf DISABLE TRIGGER USER")
        cursor.execute("DELETE FROM log_leaf")
        cursor.execute("ALTER TABLE log_leaf ENABLE TRIGGER USER")
        cursor.execute("DELETE FROM log_tile")
        cursor.execute("DELETE FROM log_checkpoint")
    connections["owner"].close()


@pytest.fixture
def administration(process_environment) -> Iterator[psycopg.Connection]:
    """A connection to the suite's database as its superuser, without restrictions; each statement commits at once."""
    from urllib.parse import urlsplit

    from django.conf import settings

    address = urlsplit(os.environ["DATABASE_SUPERUSER_URL"])._replace(
        path=urlsplit(process_environment["DATABASE_URL"]).path
    )
    with psycopg.connect(address.geturl(), autocommit=True) as connection:
        if settings.CLUSTER:
            connection.execute("SET citus.propagate_set_commands = local")
        yield connection
