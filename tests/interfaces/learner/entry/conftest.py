"""Shared by tests of signing in."""

import secrets
from datetime import UTC, datetime, timedelta

import pytest

from compliance.learning import links
from compliance.tenancy import context
from tests.companies import make_present_company, noon


@pytest.fixture
def visitor_address() -> str:
    """A network of the test's own, so that no test uses up another's requests."""
    return "10." + ".".join(str(secrets.randbelow(256)) for _ in range(3))


@pytest.fixture
def company(db):
    """A company of the present."""
    return make_present_company("Northwind")


@pytest.fixture
def anna(company):
    """A person who may sign in."""
    return company.join("Anna Berg", at=noon(20))


@pytest.fixture
def link(company):
    """`link(learner_profile_id=..., ...)`: the path of a new link."""

    def make(*, now: datetime | None = None, life: timedelta = timedelta(minutes=15), **what) -> str:
        with context.company(company.organization_id):
            token = links.make(company.organization_id, now=now or datetime.now(UTC), life=life, **what)
        return f"/learn/in/{token}"

    return make
