"""Shared by tests of the learners' pages: a Django test client in which a person is signed in."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.test import Client

from compliance.learning import sessions
from compliance.tenancy import context


@pytest.fixture
def signed_in() -> Callable[[uuid.UUID, uuid.UUID], Client]:
    """`signed_in(organization_id, learner_profile_id)`: a client with a session of that person."""

    def make(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> Client:
        with context.company(organization_id):
            token = sessions.begin(organization_id, learner_profile_id, "Firefox on Android", datetime.now(UTC))
        client = Client(enforce_csrf_checks=False)
        client.cookies["learner"] = token
        return client

    return make
