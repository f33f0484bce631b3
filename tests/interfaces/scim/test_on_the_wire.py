"""What the server sends of an answer of /scim/v2, byte by byte on a socket."""

import httpx

from compliance.access.sources import issue_source
from tests.companies import make_company
from tests.interfaces.scim.conftest import USER
from tests.interfaces.serving.conftest import product, send

__all__ = ["product"]


def test_an_answer_without_content_states_no_length_and_the_connection_goes_on(product, now):
    company = make_company("Provisioned", "UTC", now.date(), at=now)
    token, _ = issue_source(
        organization_id=company.organization_id, name="HR", kinds=["scim"], environment="test", at=now, actor="a test"
    )
    fields = f"Host: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nAccept-Encoding: identity;q=0, gzip\r\n"
    bearer = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{product}/scim/v2", headers=bearer, timeout=30) as client:
        user = client.post("/Users", json={"schemas": [USER], "userName": "anna@example.com"}).json()
    path = f"/scim/v2/Users/{user['id']}"
    answer = send(
        product,
        f"GET {path} HTTP/1.1\r\n{fields}If-None-Match: {user['meta']['version']}\r\n\r\n"
        f"DELETE {path} HTTP/1.1\r\n{fields}\r\n"
        f"GET {path} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode(),
    )
    heads = [each.partition(b"\r\n\r\n") for each in answer.split(b"HTTP/1.1 ")[1:]]
    assert [head[:3] for head, _, _ in heads] == [b"304", b"204", b"404"]
    for head, _, content in heads[:2]:
        names = {line.partition(b":")[0].lower() for line in head.split(b"\r\n")}
        assert not names & {b"content-length", b"content-encoding", b"content-type", b"transfer-encoding"}
        assert {b"vary", b"x-request-id"} <= names
        assert content == b""
