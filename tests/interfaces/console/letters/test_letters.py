"""Letters as staff see them: a sample of each kind, and the status of requested ones."""

import itertools
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.text import slugify

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, OPERATOR
from compliance.letters import sending
from compliance.letters.actions import Kind, ask
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import make_present_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    return make_present_company("Acme & Söhne")


def address(company, name, **values):
    return reverse(f"console:{name}", kwargs={"organization_id": company.organization_id} | values)


def test_every_kind_can_be_looked_at_in_every_language(staff, company):
    client = staff(AUDITOR)
    for kind, language in itertools.product(Kind, ("en", "ar")):
        place = address(company, "letter", kind=slugify(kind.value))
        page = client.get(place, {"language": language})
        assert page.status_code == 200
        text = page.content.decode()
        assert "Acme &amp; Söhne" in text
        assert "frame-src 'self'" in page.headers["Content-Security-Policy"]
        (frame,) = re.findall(r'<iframe class="letter" sandbox src="([^"]+)"', text)
        letter = client.get(frame)
        assert letter.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        assert letter.headers["X-Frame-Options"] == "SAMEORIGIN"
        assert f'<html lang="{language}"' in letter.content.decode()
    with context.company(company.organization_id):
        assert not Letter.objects.exists()


@pytest.mark.parametrize(("kind", "language", "status"), [("7", "en", 404), ("new", "xx", 422), ("new", "\0", 422)])
def test_what_is_no_letter_is_said_in_words(kind, language, status, staff, company):
    client = staff(AUDITOR)
    for name in ("letter", "letter-html"):
        assert client.get(address(company, name, kind=kind), {"language": language}).status_code == status


def test_what_became_of_letters_is_listed_and_who_looked_is_logged(staff, company):
    anna = company.join("Anna", account_email="anna@example.org")
    mute = company.join("Mute", account_email=None)
    with context.company(company.organization_id):
        for person in (anna, mute):
            now = company.now - timedelta(hours=1)
            ask(company.organization_id, Kind.STAFF_LINK, now=now, learner_profile_id=person.learner_profile_id)
    sending.send_due(company.organization_id, lambda: company.now)
    with context.company(company.organization_id):
        ask(company.organization_id, Kind.LINK, now=company.now, learner_profile_id=anna.learner_profile_id)
    client = staff(OPERATOR)
    text = client.get(address(company, "letters")).content.decode()
    assert re.findall(r'badge[ a-z]*">(\w[\w ]*)<', text)[-3:] == ["waits", "not sent", "sent"]
    assert text.count(">Anna</a>") == 2
    line = AccessLog.objects.filter(organization_id=company.organization_id, page="letters").get()
    assert {anna.learner_profile_id, mute.learner_profile_id} == set(line.learner_profile_ids)


def test_a_long_list_takes_no_more_statements(staff, company):
    client = staff(OPERATOR)

    def statements():
        with CaptureQueriesContext(connection) as found:
            assert client.get(address(company, "letters")).status_code == 200
        return len(found)

    def somebody(number):
        learner = company.join(f"Person {number}").learner_profile_id
        with context.company(company.organization_id):
            ask(company.organization_id, Kind.STAFF_LINK, now=company.now, learner_profile_id=learner)

    somebody(0)
    few = statements()
    for number in range(1, 9):
        somebody(number)
    assert statements() == few
