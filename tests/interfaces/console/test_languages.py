"""The console answers in the language that a browser requests or has chosen, and redirects only within itself."""

from datetime import UTC, datetime

import pytest
from django.utils import translation

from compliance.interfaces.console import languages
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.stored import tables
from compliance.interfaces.console.wording import written_instant
from compliance.webhooks.models import Webhook

pytestmark = pytest.mark.django_db
CHOOSE = "/console/sign-in/language/"
MAY = datetime(2026, 5, 4, 14, 5, tzinfo=UTC)


def read(client, **headers):
    answer = client.get("/console/sign-in/", headers=headers)
    return answer.headers["Content-Language"], answer.content.decode()


def test_a_browser_is_answered_in_the_first_language_that_it_asks_for_and_the_console_speaks(client):
    assert "Sign in" in read(client)[1]
    language, text = read(client, accept_language="pt, fr-CA;q=0.9, de;q=0.5")
    assert language == "fr"
    assert '<html lang="fr">' in text
    assert "Se connecter" in text
    assert read(client, accept_language="ar, es")[0] == "en"


def test_a_choice_is_kept_by_the_browser_and_goes_before_what_it_asks_for(client):
    answer = client.post(CHOOSE, {"language": "de", "back": "/console/sign-in/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/console/sign-in/")
    assert client.cookies[languages.COOKIE]["httponly"]
    assert "Anmelden" in read(client, accept_language="fr")[1]
    client.post(CHOOSE, {"language": "xx"})
    assert read(client)[0] == "de"


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "/learn/", "", "/console/\\@x"])
def test_a_choice_leads_nowhere_but_into_the_console(client, back):
    answer = client.post(CHOOSE, {"language": "de", "back": back})
    assert answer.headers["Location"].startswith("/console/")
    assert client.get(CHOOSE).status_code == 405


def test_days_numbers_and_words_of_states_are_those_of_the_language(staff, empty_company):
    client = staff(COMPLIANCE_MANAGER)
    client.cookies[languages.COOKIE] = "de"
    page = client.get(f"/console/companies/{empty_company.organization_id}/history/").content.decode()
    assert "1. Januar 2025" in page
    assert "Verlauf" in page
    page = client.get(f"/console/companies/{empty_company.organization_id}/").content.decode()
    assert "Heute" in page
    assert "Kurse" in page
    assert "Overdue" not in page
    assert "Schulungsnachweise" in page  # the declared name of a register, translated


def test_moments_and_states_of_a_webhook_are_in_the_language(staff, empty_company):
    webhook = Webhook.objects.create(
        organization_id=empty_company.organization_id, url="https://example.com/", secret="", created_by="command",
        created_at=MAY, capture_sequence=0, failing_since=MAY, failures=2,
    )  # fmt: skip
    client = staff(OPERATOR)
    client.cookies[languages.COOKIE] = "de"
    page = client.get(f"/console/companies/{empty_company.organization_id}/webhooks/").content.decode()
    assert "Schlägt fehl" in page
    assert "das nächste Ereignis schlug 2-mal fehl und wird erneut versucht" in page
    assert "Kein Name" in page
    assert "failing" not in page
    with translation.override("de"):
        assert written_instant(MAY) == "4. Mai 2026, 14:05 UTC"
        assert tables.value(webhook, "created_at") == "4. Mai 2026, 14:05:00 UTC"


def test_a_public_page_speaks_its_reader_s_language(client):
    page = client.get("/check/unknown", headers={"accept-language": "es"})
    assert 'lang="es"' in page.content.decode()
    assert "Aquí no hay ningún certificado" in page.content.decode()
    assert "Accept-Language" in page.headers["Vary"]
