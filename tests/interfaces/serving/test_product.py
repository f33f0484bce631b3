"""The product behind the front: slow senders delay nobody, and a refused request gets a page of ours."""

import contextlib
import json
import re
import socket
import time
import uuid
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from compliance.access.actions import issue_key
from compliance.facts.policies.models import Receipt
from compliance.facts.policies.signatures import MOST_NUMBERS
from compliance.interfaces.pages.links import SigningLink, make_token
from compliance.interfaces.pages.signing_form import MOST_BYTES
from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.places import BODIES_AT_ONCE
from compliance.learning import sessions
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.story import Story
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.serving.conftest import connect, first_answer, send, serving


def test_slow_senders_on_every_form_stop_neither_the_api_nor_pages(product, now):
    company = make_company("Slow", "UTC", now.date(), at=now)
    key, _ = issue_key(
        organization_id=company.organization_id, scopes=["training:read"], environment="test", at=now, actor="a test"
    )
    paths = ("/sign/x", "/check/x", "/console/sign-in/", "/console/", "/docs")
    senders = []
    for number in range(40):
        connection = socket.create_connection(("127.0.0.1", product), timeout=30)
        path = paths[number % len(paths)]
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\na=".encode())
        senders.append(connection)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{product}", timeout=5) as client:
            for _ in range(20):
                answer = client.get("/v1/snapshot", headers={"Authorization": f"Bearer {key}"})
                assert answer.status_code == 200
                assert client.get("/console/sign-in/").status_code == 200
    finally:
        for connection in senders:
            connection.close()


def test_slow_senders_in_every_place_keep_no_other_network_from_signing_in(product):
    begun = b"POST /learn/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 100\r\n\r\n"
    with contextlib.ExitStack() as opened:
        slow = [opened.enter_context(connect(product)) for _ in range(BODIES_AT_ONCE + 1)]
        for connection in slow:
            connection.sendall(begun)
        assert first_answer(slow).startswith(b"HTTP/1.1 503")
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(base_url=f"http://127.0.0.1:{product}", transport=transport, timeout=20) as client:
            for path, status in (("/console/sign-in/", 403), ("/in/v1/facts", 401), ("/scim/v2/Users", 401)):
                assert client.post(path, content=b"x" * 100).status_code == status  # it arrived, and proves nothing


def _sign(address, *, cookies=None, **fields):
    """Signs by the longest drawing that the form takes, of numbers as long as the script writes them."""
    strokes = [[-1234.5] * 10] * (MOST_NUMBERS // 10)
    form = {"act": "sign", "agree": "yes", "kind": "drawn", "drawn": json.dumps(strokes, separators=(",", ":"))}
    return httpx.post(address, data=form | {"typed": "ü" * 300} | fields, cookies=cookies, timeout=20)


@pytest.mark.parametrize("by_link", [True, False])
def test_the_longest_drawing_that_a_policy_takes_as_a_signature_arrives(product, by_link):
    story = Story(datetime.now(UTC))
    version, share_id = story.shared_policy()
    profile_id = story.employee("Ana Reis")
    released = {"release": str(version.course_release_id)}
    if by_link:
        link = SigningLink(story.organization_id, share_id, profile_id, story.now + timedelta(days=1))
        address = f"http://127.0.0.1:{product}/sign/{make_token(link, story.now)}"
        answer = _sign(address, **released)
    else:
        with context.company(story.organization_id):
            token = sessions.begin(story.organization_id, profile_id, "Firefox on Android", story.now)
        address = f"http://127.0.0.1:{product}/learn/policies/{version.course_id}"
        page = httpx.get(address, cookies={"learner": token}, timeout=20)
        form_token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]
        cookies = {"learner": token, **page.cookies}
        answer = _sign(address, cookies=cookies, csrfmiddlewaretoken=form_token, **released)
    assert answer.status_code == 303
    with context.company(story.organization_id):
        assert Receipt.objects.filter(organization_id=story.organization_id).count() == 1
    assert httpx.post(address, content=b"x" * (MOST_BYTES + 1), timeout=20).status_code == 413


def test_each_call_of_the_api_has_one_line_in_the_log_once_it_was_answered(committed, process_environment, tmp_path):
    written = tmp_path / "log"
    variables = process_environment | {"LOG_LEVEL": "INFO", "LOG_FORMAT": "json"}
    with (
        written.open("wb") as log,
        serving("config.asgi:application", variables, log) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=5) as client,
    ):
        answers = [client.get("/v1/snapshot"), client.head("/v1/people"), client.get("/v1/nothing")]
        expected = [(answer.headers["x-request-id"], answer.status_code) for answer in answers]
        deadline = time.monotonic() + 10
        while len(lines := _lines_of_calls(written)) < len(expected):
            assert time.monotonic() < deadline, "a call that was answered is not in the log"
            time.sleep(0.05)
    assert sorted((line["request_id"], line["status"]) for line in lines) == sorted(expected)
    assert _lines_of_calls(written) == lines


def _lines_of_calls(written):
    return [json.loads(line) for line in written.read_text().splitlines() if '"api_call"' in line]


def test_a_large_body_of_nobody_is_answered_by_a_page_of_ours_and_reads_none_of_it(product):
    answer = send(
        product,
        b"POST /console/sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 900000000\r\n\r\n",
    )
    head, _, content = answer.partition(b"\r\n\r\n")
    fields = {line.split(b":")[0].lower() for line in head.split(b"\r\n")}
    assert head.startswith(b"HTTP/1.1 413")
    assert {b"x-request-id", b"content-security-policy"} <= fields
    assert b"too large" in content


def test_a_slow_form_is_answered_by_a_page_of_ours(product):
    with socket.create_connection(("127.0.0.1", product), timeout=30) as connection:
        connection.sendall(b"POST /console/sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\na")
        begun = time.monotonic()
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        assert time.monotonic() - begun < bodies.PATIENCE_SECONDS + 5
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"took too long" in answer


def test_only_staff_who_are_signed_in_send_files(product, now):
    size = bodies.ANONYMOUS_BYTES * 4
    body = b"x" * size
    client = signed_in(make_staff(f"sender-{uuid.uuid4().hex[:6]}", "Operator"))
    cookie = client.cookies["sessionid"].value
    address = f"http://127.0.0.1:{product}/console/"
    with httpx.Client(timeout=20) as http:
        for sent, status in ((None, 413), ("0" * 32, 413), (cookie, 403)):  # 403: it arrived, without a form's token
            fields = {} if sent is None else {"Cookie": f"sessionid={sent}"}
            assert http.post(address, content=body, headers=fields).status_code == status
