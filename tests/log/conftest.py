"""A log of the test's own."""

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
    """Somebody with all rights in the database, on the suite's database; what the test does is committed."""
    address = urlsplit(os.environ["DATABASE_SUPERUSER_URL"])._replace(
        path=urlsplit(process_environment["DATABASE_URL"]).path
    )
    with psycopg.connect(address.geturl(), autocommit=True) as connection:
        yield connection
