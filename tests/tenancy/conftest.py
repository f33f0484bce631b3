"""What attacks need: a connection of Django's as the database's superuser, whom no protection restricts."""

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connections, transaction


@pytest.fixture
def tampering(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """A connection of Django's as the superuser, in a transaction that is rolled back, which no other test sees."""
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
