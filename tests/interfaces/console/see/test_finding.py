"""The search finds every kind of thing by its name, for people who may open it, and no address holds what was typed."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from compliance.history.actions import capture_all
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.companies import make_present_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    made = make_present_company("Findable")
    made.team("Équipe Söderström")
    made.join("Jörg Österreich")
    made.share(made.course("Brandschutz für Küchen"))
    with context.company(made.organization_id):
        capture_all(made.organization_id, timezone.now())
    return made


def _found(client, company, words, **more):
    where = reverse("console:search", kwargs={"organization_id": company.organization_id})
    return client.post(where, {"q": words} | more).content.decode()


def _hits(text):
    """What the palette lists, without its groups."""
    return re.findall(r'<a role="option"[^>]*><span dir="auto">([^<]+)</span>', text)


@pytest.mark.parametrize(
    "words, name",
    [
        ("jorg OSTER", "Jörg Österreich"), ("soderstrom", "Équipe Söderström"), ("equipe", "Équipe Söderström"),
        ("kuchen brand", "Brandschutz für Küchen"), ("work li", "Work list"), ("access", "Access log"),
    ],
)  # fmt: skip
def test_things_of_every_kind_are_found_without_accents_on_the_page_and_in_the_palette(staff, company, words, name):
    client = staff(COMPLIANCE_MANAGER)
    assert name in _hits(_found(client, company, words, palette="1"))
    assert f">{name}</a>" in _found(client, company, words)


def test_acts_are_found_by_what_they_do_and_only_by_whoever_may(staff, company):
    assert "Erase" in str(_hits(_found(staff(COMPLIANCE_MANAGER), company, "erase", palette="1")))
    assert _hits(_found(staff(AUDITOR, [company.organization_id]), company, "erase", palette="1")) == []


def test_without_words_the_palette_offers_pages_and_one_letter_finds_nobody(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    assert _hits(_found(client, company, "", palette="1"))[0] == "Today"
    assert "Jörg" not in _found(client, company, "j")


def test_the_access_log_records_whose_names_were_listed(staff, company):
    _found(staff(COMPLIANCE_MANAGER), company, "jorg", palette="1")
    line = AccessLog.objects.latest("id")
    assert (line.page, len(line.learner_profile_ids), "jorg" in line.subject) == ("search", 1, False)


def test_a_company_of_others_is_not_searched(staff, company, empty_company):
    client = staff(COMPLIANCE_MANAGER, [empty_company.organization_id])
    assert "There is no organization" in _found(client, company, "jorg")
    assert "Jörg" not in _found(client, empty_company, "jorg")


def test_the_number_of_statements_does_not_grow_with_what_is_found(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    numbers = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as statements:
            _found(client, company, "jorg", palette="1")
        numbers.append(len(statements))
        for number in range(8):
            company.join(f"Jörg {number}")
    assert numbers[0] == numbers[1]
