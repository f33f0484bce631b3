"""A company in which everything has happened, captured, and callers with keys."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.access.actions import issue_key
from compliance.history import actions
from tests.interfaces.api.conftest import ALL, Caller
from tests.interfaces.console.small_company import SmallCompany, small_company
from tests.registers.stored import StoredCompany

Callers = Callable[..., Caller]


@pytest.fixture
def small(db: None) -> SmallCompany:
    """The small company, captured."""
    found = small_company()
    capture(found.organization_id)
    return found


@pytest.fixture
def stored(db: None, now: datetime) -> StoredCompany:
    """A company with an empty history."""
    return StoredCompany(now)


def capture(organization_id: uuid.UUID) -> None:
    """Captures pending subjects."""
    actions.capture_all(organization_id, datetime.now(UTC))


@pytest.fixture
def caller_of() -> Callers:
    """Makes a caller with a key of a company."""

    def issue(organization_id: uuid.UUID, scopes: tuple[str, ...] = ALL, **more: Any) -> Caller:
        at = datetime.now(UTC)
        token, _ = issue_key(
            organization_id=organization_id, scopes=scopes, environment="test", at=at, actor="a test", **more
        )
        return Caller(token)

    return issue
