"""A caller of /v1: a key, and an address of its own so that no test uses up another's calls."""

import secrets
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from compliance.access.actions import issue_key
from compliance.rules.vocabulary import Scope
from tests.registers.stored import StoredCompany

ALL = tuple(Scope)


class Caller:
    """Sends requests with a key, or without."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.address = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
        self._client = Client(raise_request_exception=True)

    def __call__(self, target: str, method: str = "GET", **environment: Any) -> Any:
        path, _, query = target.partition("?")
        values = {"REMOTE_ADDR": self.address, "QUERY_STRING": query} | environment
        if self.token is not None:
            values.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        return self._client.generic(method, path, **values)

    def pull(self, target: str, limit: int = 200) -> list[dict[str, Any]]:
        """All rows of a register, page by page."""
        rows: list[dict[str, Any]] = []
        cursor = ""
        while True:
            joint = "&" if "?" in target else "?"
            answer = self(f"{target}{joint}limit={limit}{cursor}")
            assert answer.status_code == 200, answer.content
            page = answer.json()
            rows += page["data"]
            if page["next_cursor"] is None:
                assert len(rows) == page["total"]
                return rows
            cursor = f"&cursor={page['next_cursor']}"


def issue_everything(organization_id: uuid.UUID, at: datetime) -> str:
    """A key of a company that opens everything."""
    return issue_key(organization_id=organization_id, scopes=ALL, environment="test", at=at, actor="a test")[0]


@pytest.fixture
def stored(db: None, now: Any) -> StoredCompany:
    """A company with an empty history, complete for the last 900 days."""
    return StoredCompany(now)


@pytest.fixture
def key_of(now: Any) -> Callable[..., str]:
    """Issues keys."""

    def issue(company: StoredCompany, scopes: tuple[str, ...] = ALL, **more: Any) -> str:
        return issue_key(
            organization_id=company.organization_id, scopes=scopes, environment="test", at=now, actor="a test", **more
        )[0]

    return issue


@pytest.fixture
def call(stored: StoredCompany, key_of: Callable[..., str]) -> Caller:
    """A caller with all scopes for the stored company."""
    return Caller(key_of(stored))
