"""What attacks need: the database's superuser, whom nothing binds."""

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connections, transaction


@pytest.fixture
def administration(process_environment) -> Iterator[psycopg.Connection]:
    """A connection to the suite's database as its superuser, each statement committed at once."""
    address = urlsplit(os.environ["DATABASE_SUPERUSER_URL"])._replace(
        path=urlsplit(process_environment["DATABASE_URL"]).path
    )
    with psycopg.connect(address.geturl(), autocommit=True) as connection:
        if settings.CLUSTER:
            connection.execute("SET citus.propagate_set_commands = local")
        yield connection


@pytest.fixture
def tampering(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A connection of Django's as the superuser, in a transaction that is taken back: nobody else sees what it does."""
    parts = urlsplit(os.environ["DATABASE_SUPERUSER_URL"])
    alias = "tampering"
    connections.databases[alias] = connections["default"].settings_dict | {
        "USER": parts.username,
        "PASSWORD": parts.password,
    }
    with django_db_blocker.unblock():
        try:
            with transaction.atomic(using=alias):
                yield alias
                transaction.set_rollback(True, using=alias)
        finally:
            connections[alias].close()
            del connections[alias], connections.databases[alias]
