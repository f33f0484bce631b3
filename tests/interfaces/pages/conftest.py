"""A company for the public pages, and a visitor."""

import secrets
from datetime import UTC, datetime

import pytest
from django.test import Client

from tests.facts.story import Story


@pytest.fixture
def story(seen_by_all_roles: None) -> Story:
    """A company of the present."""
    return Story(datetime.now(UTC))


@pytest.fixture
def visitor() -> Client:
    """A visitor with an address of their own, so that no test uses up another's visits."""
    octets = (secrets.randbelow(256) for _ in range(3))
    return Client(REMOTE_ADDR="10." + ".".join(map(str, octets)))
