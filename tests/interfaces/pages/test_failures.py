"""Errors have our own pages, which name the request id as the header and the log do."""

import re
import uuid

import pytest
from django.test import Client
from structlog.testing import capture_logs

from compliance.interfaces.pages import failures

pytestmark = pytest.mark.django_db
BROKEN = "tests.interfaces.pages.broken_urls"


@pytest.fixture
def stranger() -> Client:
    """Somebody without an account, whose client returns error pages instead of raising."""
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    "address, status, title, home",
    [
        ("/nothing/here", 404, failures.NOWHERE.title, "/console/"),
        ("/problems/none", 404, failures.NOWHERE.title, "/docs"),
        ("/console/nothing/", 404, failures.NOWHERE.title, "/console/"),
        ("/broken/database", 500, failures.BROKEN.title, "/console/"),
        ("/console/broken", 500, failures.BROKEN.title, "/console/"),
        ("/broken/forbidden", 403, failures.CLOSED.title, "/console/"),
        ("/broken/suspicious", 400, failures.UNREADABLE.title, "/console/"),
    ],
)
def test_an_error_has_a_page_that_names_the_request_and_leads_home(stranger, settings, address, status, title, home):
    settings.ROOT_URLCONF = BROKEN
    answer = stranger.get(address)
    text = answer.content.decode()
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert f"<h1>{title}</h1>" in text
    assert f"<code>{answer.headers['X-Request-Id']}</code>" in text
    assert f'href="{home}"' in text
    assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not re.search("division|Traceback|psycopg", text)


def test_a_form_that_comes_without_its_token_is_told_so_on_a_page(settings):
    visitor = Client(enforce_csrf_checks=True)
    answer = visitor.post("/console/sign-in/", {"login": "anna", "password": "x"})
    text = answer.content.decode()
    assert (answer.status_code, str(failures.STALE_FORM.title) in text) == (403, True)
    assert answer.headers["X-Request-Id"] in text


def test_learners_are_told_in_their_language_and_led_to_their_own_pages(stranger):
    answer = stranger.get("/learn/nothing/here", headers={"accept-language": "ar"})
    text = answer.content.decode()
    assert (answer.status_code, '<html lang="ar" dir="rtl">' in text) == (404, True)
    assert 'href="/learn/"' in text
    assert answer.headers["X-Request-Id"] in text
    assert "/console/" not in text
    stale = Client(enforce_csrf_checks=True).post("/learn/out")
    assert (stale.status_code, "This form could not be sent" in stale.content.decode()) == (403, True)
    assert "cannot be used in this way" in stranger.get("/learn/out").content.decode()


def test_a_method_that_an_address_does_not_take_has_a_page_too(stranger):
    answer = stranger.post(f"/console/companies/{uuid.UUID(int=7)}/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET")
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    assert str(failures.NOT_THIS_WAY.title) in answer.content.decode()
    assert answer.headers["X-Request-Id"] in answer.content.decode()


def test_a_host_that_is_not_ours_has_a_page_too(stranger):
    answer = stranger.get("/console/", headers={"host": "elsewhere.example"})
    assert (answer.status_code, str(failures.UNREADABLE.title) in answer.content.decode()) == (400, True)
    assert answer.headers["X-Request-Id"] in answer.content.decode()


@pytest.mark.parametrize(
    "address", ["/livez", "/readyz", "/docs", "/docs/openapi.json", "/problems", "/console/", "/static/pages/pages.css",
                "/check/none", "/sign/none", "/console/sign-in/", "/console/staff/"],
)  # fmt: skip
def test_every_answer_outside_v1_names_its_request_and_no_two_are_alike(stranger, address):
    answers = [stranger.get(address, headers={"x-request-id": "chosen-by-a-client"}) for _ in range(2)]
    first, second = (uuid.UUID(answer.headers["X-Request-Id"]) for answer in answers)
    assert first != second
    for answer in answers:
        answer.close()  # a static file is streamed where files were collected


def test_the_log_has_the_id_that_the_answer_names(stranger):
    import structlog

    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as lines:
        answer = stranger.get("/nothing/here")
    (line,) = [line for line in lines if line["event"] == "request_finished"]
    assert line["request_id"] == answer.headers["X-Request-Id"]


def test_a_call_of_the_api_keeps_the_one_id_that_its_problem_names(stranger):
    answer = stranger.get("/v1/people")
    assert answer.headers["X-Request-Id"] == answer.json()["request_id"]


def test_a_public_page_that_refuses_names_the_request(stranger):
    answer = stranger.get("/sign/none")
    assert (answer.status_code, answer.headers["X-Request-Id"] in answer.content.decode()) == (404, True)
