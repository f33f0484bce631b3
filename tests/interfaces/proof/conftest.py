"""A company in which everything has happened, a log of the test's own, and callers with keys."""

import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from compliance.access.actions import issue_key
from compliance.history import actions
from compliance.log import keys, signing
from tests.companies import NOW
from tests.interfaces.api.conftest import ALL, Caller
from tests.interfaces.console.small_company import SmallCompany, small_company

KEY = "a key of the test that is long enough"
Callers = Callable[..., Caller]


@pytest.fixture(autouse=True)
def log_key(settings: Any, tmp_path: Path) -> str:
    """The verifier key of the test's log."""
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.LOG_ORIGIN = ""
    settings.BASE_URL = "https://records.example.com"
    settings.CHECKPOINT_KEYS = [KEY]
    settings.CHECKPOINT_VERIFIER_KEYS = []
    return keys.verifier_keys()[0]


@pytest.fixture
def small(db: None) -> SmallCompany:
    """The small company, captured and in the log."""
    found = small_company()
    sign(found.organization_id)
    return found


def capture(organization_id: uuid.UUID, now: datetime = NOW) -> None:
    """Captures pending subjects."""
    actions.capture_all(organization_id, now)


def sign(organization_id: uuid.UUID, now: datetime = NOW) -> None:
    """Captures pending subjects, and has the log's signer add them."""
    capture(organization_id, now)
    signing.sign_new(now)


@pytest.fixture
def caller_of() -> Callers:
    """Makes a caller with a key of a company."""

    def issue(organization_id: uuid.UUID, scopes: tuple[str, ...] = ALL, **more: Any) -> Caller:
        token, _ = issue_key(
            organization_id=organization_id, scopes=scopes, environment="test", at=NOW, actor="a test", **more
        )
        return Caller(token)

    return issue
