"""Fixtures: a log of the test's own, and a superuser."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.log.deployment import KEY


@pytest.fixture(autouse=True)
def log_folder(settings, tmp_path) -> Path:
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = ""
    settings.BASE_URL = "https://records.example.com"
    settings.CHECKPOINT_KEYS = [KEY]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return tmp_path / "log"


@pytest.fixture
def superuser(committed: None, process_environment: dict[str, str]) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the suite's database; what the test does is committed."""
    address = urlsplit(os.environ["DATABASE_SUPERUSER_URL"])._replace(
        path=urlsplit(process_environment["DATABASE_URL"]).path
    )
    nodes = [address._replace(netloc=f"{address.netloc.rpartition(':')[0]}:{port}") for port in _ports_of_nodes()]
    for node in nodes:  # a cluster forwards settings of a transaction, but not those of a session
        _each(node.geturl(), "ALTER ROLE CURRENT_USER SET session_replication_role = replica")
    with psycopg.connect(address.geturl(), autocommit=True) as connection:
        yield connection
    for node in nodes:
        _each(node.geturl(), "ALTER ROLE CURRENT_USER RESET session_replication_role")


def _ports_of_nodes() -> list[str]:
    return [port for port in os.environ.get("CLUSTER_WORKERS", "").split(",") if port]


def _each(address: str, statement: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement)
