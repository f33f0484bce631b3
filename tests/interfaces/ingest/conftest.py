"""A company of the present, and a source that may send all kinds of fact."""

import json
import secrets
import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from compliance.access.sources import issue_source
from compliance.facts.lines.kinds import KINDS
from tests.companies import make_present_company

ADDRESS = "/in/v1/facts"


def ndjson(facts: Iterable[dict[str, Any]]) -> bytes:
    """The facts, one per line."""
    return b"".join(json.dumps(fact).encode() + b"\n" for fact in facts)


class Sender:
    """Posts as a source does."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.address = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
        self._client = Client()

    def __call__(
        self,
        body: bytes | list[dict[str, Any]],
        query: str = "",
        *,
        to: str = ADDRESS,
        method: str = "POST",
        content_type: str = "application/x-ndjson",
        **environment: Any,
    ) -> Any:
        values = {"REMOTE_ADDR": self.address, "QUERY_STRING": query} | environment
        if self.token is not None:
            values.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        content = body if isinstance(body, bytes) else ndjson(body)
        return self._client.generic(method, to, content, content_type, **values)


@pytest.fixture
def organization_id(db: None) -> uuid.UUID:
    """A company without facts."""
    return make_present_company().organization_id


@pytest.fixture
def sender_of() -> Callable[..., Sender]:
    """Makes sources of a company, and senders with their tokens."""

    def issue(organization_id: uuid.UUID, kinds: Iterable[str] = KINDS, **more: Any) -> Sender:
        token, _ = issue_source(
            organization_id=organization_id,
            name=more.pop("name", "The HR system"),
            kinds=kinds,
            at=more.pop("at", datetime.now(UTC)),
            actor="a test",
            **{"environment": "test"} | more,
        )
        return Sender(token)

    return issue


@pytest.fixture
def post(organization_id: uuid.UUID, sender_of: Callable[..., Sender]) -> Sender:
    """Posts any kind of fact to that company."""
    return sender_of(organization_id)
