"""Who may sign in: a person with a valid session, for as long as they may sign in at all."""

from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from compliance.interfaces.learner.visit import learner_page
from compliance.learning.errors import NotHereError
from tests.companies import make_present_company, noon

pytestmark = pytest.mark.django_db


def test_a_session_opens_home_until_its_person_leaves(signed_in):
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    client = signed_in(company.organization_id, anna.learner_profile_id)
    assert client.get("/learn/").status_code == 200
    company.leave(anna, at=datetime.now(UTC) - timedelta(seconds=1))
    answer = client.get("/learn/")
    assert answer.status_code == 403
    assert "Your access to these pages has ended" in answer.content.decode()
    assert "Anna" not in answer.content.decode()


@pytest.mark.parametrize(("asked", "led"), [("devices", "?to=devices"), ("//evil.example", ""), ("out", ""), ("", "")])
def test_a_session_that_has_ended_leads_to_the_page_that_the_address_names(asked, led):
    client = Client()
    client.cookies["learner"] = "x"
    answer = client.get("/learn/", {"to": asked})
    assert answer.status_code == 200
    assert ('name="to" value="devices"' in answer.content.decode()) is bool(led)
    assert client.post("/learn/", {"address": "a@b.example", "to": asked})["Location"] == "/learn/asked"


def test_an_answer_to_a_session_that_has_ended_deletes_no_cookie(client):
    """Another tab may have signed in before it arrives, and its cookie would be deleted."""
    client.cookies["learner"] = "x"
    for answer in (client.get("/learn/"), client.get("/learn/devices"), client.post("/learn/devices")):
        assert "learner" not in answer.cookies


def test_whoever_is_signed_in_by_now_may_send_the_form_that_asks_for_a_link(signed_in):
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    client = signed_in(company.organization_id, anna.learner_profile_id)
    assert client.post("/learn/", {"address": "a@b.example"})["Location"] == "/learn/asked"


@pytest.mark.parametrize("token", ["x", "AAAA", "f00d" * 8, "a" * 5000])
def test_a_cookie_that_is_none_of_ours_leads_to_the_way_in(token):
    client = Client()
    client.cookies["learner"] = token
    assert "Your e-mail address" in client.get("/learn/").content.decode()
    assert client.get("/learn/devices")["Location"] == "/learn/?to=devices"
    assert Client().get("/learn/").status_code == 200


def test_whoever_is_erased_while_a_request_is_under_way_is_told_that_nothing_was_done(
    signed_in, rf: RequestFactory
) -> None:
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))

    @learner_page
    def view(visit):
        raise NotHereError("The person was erased.")

    request = rf.post("/learn/devices")
    request.COOKIES["learner"] = signed_in(company.organization_id, anna.learner_profile_id).cookies["learner"].value
    answer = view(request)
    assert isinstance(answer, HttpResponse)
    assert answer.status_code == 403
    assert "Nothing was changed." in answer.content.decode()
