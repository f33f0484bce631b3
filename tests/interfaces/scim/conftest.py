"""A provisioning client: a source with the kind `scim`, and an address of its own."""

import json
import secrets
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from compliance.access.sources import issue_source
from tests.companies import Company, make_present_company

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class ScimClient:
    """Sends requests with a token, or without."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.address = f"10.{secrets.randbelow(256)}.{secrets.randbelow(256)}.{secrets.randbelow(256)}"
        self._client = Client(raise_request_exception=True)

    def __call__(self, method: str, target: str, body: Any = None, **environment: Any) -> Any:
        path, _, query = target.partition("?")
        values = {"REMOTE_ADDR": self.address, "QUERY_STRING": query} | environment
        if self.token is not None:
            values.setdefault("HTTP_AUTHORIZATION", f"Bearer {self.token}")
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = values.pop("CONTENT_TYPE", "application/scim+json")
        return self._client.generic(method, f"/scim/v2{path}", content, content_type=kind, **values)

    def get(self, target: str, **environment: Any) -> Any:
        return self("GET", target, **environment)

    def user(self, user_name: str = "anna@example.com", **told: Any) -> dict[str, Any]:
        """Creates a user."""
        answer = self("POST", "/Users", {"schemas": [USER], "userName": user_name} | told)
        assert answer.status_code == 201, answer.content
        made: dict[str, Any] = answer.json()
        return made

    def patch(self, target: str, *operations: dict[str, Any], **environment: Any) -> Any:
        return self("PATCH", target, {"schemas": [PATCH], "Operations": list(operations)}, **environment)


@pytest.fixture
def company(db: None) -> Company:
    return make_present_company()


@pytest.fixture
def client_of(company: Company) -> Callable[..., ScimClient]:
    """Makes clients of the company, each a source of its own."""

    def make(name: str = "Entra", kinds: tuple[str, ...] = ("scim",), **told: Any) -> ScimClient:
        token, _ = issue_source(
            organization_id=told.pop("organization_id", company.organization_id),
            name=name,
            kinds=kinds,
            environment="test",
            at=company.now,
            actor="a test",
            **told,
        )
        return ScimClient(token)

    return make


@pytest.fixture
def client(client_of: Callable[..., ScimClient]) -> ScimClient:
    return client_of()
