"""A form that was open during a sign-out keeps its input, and is not performed."""

import re

import pytest
from django.test import Client

from compliance.facts.ledger.models import Fact
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.sign_in import kept_forms
from compliance.tenancy import context
from tests.companies import make_present_company
from tests.interfaces.console.conftest import begin_session, make_staff

pytestmark = pytest.mark.django_db
TYPED = {"work_email": "new@example.org", "person_name": "Zoë Ångström", "reason": "Asked for by HR"}


@pytest.fixture
def company():
    return make_present_company("Kept forms")


@pytest.fixture
def client():
    return Client(enforce_csrf_checks=True)


def _address(company, act="invite"):
    return f"/console/companies/{company.organization_id}/act/{act}/"


def _token(page):
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def _opened(client, company):
    """Opens a form in a session. Returns its token."""
    begin_session(client, make_staff("hr", "Administrator"))
    return _token(client.get(_address(company)))


def _nothing_happened(company):
    with context.company(company.organization_id):
        return not Job.objects.exists() and not Fact.objects.filter(kind="person_invited").exists()


@pytest.mark.parametrize("step", ["preview", "confirm"])
def test_a_form_sent_without_a_session_is_kept_on_the_page_that_says_so(step, company, client):
    token = _opened(client, company)
    client.logout()
    page = client.post(_address(company), TYPED | {"step": step, "csrfmiddlewaretoken": token})
    text = page.content.decode()
    assert page.status_code == 403
    assert "You are signed out" in text
    for name, value in TYPED.items():
        assert f'name="{name}" value="{value}"' in text
    assert _nothing_happened(company)


@pytest.mark.parametrize("step", ["preview", "confirm"])
def test_a_form_of_a_former_session_comes_back_filled_in_and_nothing_is_done(step, company, client):
    token = _opened(client, company)
    client.logout()
    client.cookies.clear()
    begin_session(client, make_staff("hr again", "Administrator"))
    client.get(_address(company))  # in another window: a new cookie
    page = client.post(_address(company), TYPED | {"step": step, "csrfmiddlewaretoken": token})
    text = page.content.decode()
    assert page.status_code == 403
    assert "You signed in again since this form was opened" in text
    for name, value in TYPED.items():
        assert re.search(f'name="{name}"[^>]*value="{value}"', text)
    assert _nothing_happened(company)
    again = client.post(_address(company), TYPED | {"step": "preview", "csrfmiddlewaretoken": _token(page)})
    assert "Nothing has been changed yet" in again.content.decode()


def test_a_form_from_another_site_is_refused_and_not_shown(company, client):
    token = _opened(client, company)
    page = client.post(
        _address(company), TYPED | {"step": "preview", "csrfmiddlewaretoken": token}, HTTP_ORIGIN="https://evil.example"
    )
    assert page.status_code == 403
    assert TYPED["work_email"] not in page.content.decode()


def test_only_forms_of_acts_are_kept(company, client):
    place = f"/console/companies/{company.organization_id}/search/"
    begin_session(client, make_staff("hr", "Administrator"))
    answer = client.post(place, {"q": "Zoë", "step": "preview", "csrfmiddlewaretoken": "x" * 64})
    assert answer.status_code == 403
    assert "Zoë" not in answer.content.decode()
    assert kept_forms.signed_out(answer.wsgi_request) is None


def test_a_session_that_has_ended_keeps_the_form_too(company, client):
    token = _opened(client, company)
    session = client.session
    session.pop("console_session")
    session.save()
    page = client.post(_address(company), TYPED | {"step": "preview", "csrfmiddlewaretoken": token})
    assert "You are signed out" in page.content.decode()
    assert TYPED["work_email"] in page.content.decode()
