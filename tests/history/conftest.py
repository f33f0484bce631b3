"""Fixtures of the history's tests."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def committed(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The database without a transaction around the test: other processes see what it does. Each test makes companies
    of its own, and nothing is cleaned up: the history's tables refuse it."""
    from django.db import connections

    with django_db_blocker.unblock():
        yield
        for connection in connections.all(initialized_only=True):
            connection.close()
