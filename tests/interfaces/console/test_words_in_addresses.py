"""No address holds search words or the names in a list, because proxies log addresses and browsers remember them."""

import base64
import binascii
import contextlib
import re
import uuid
from datetime import UTC, datetime
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone

from compliance.interfaces.console import keyset
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.understand import refreshing, views
from compliance.tenancy.models import Organization
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.conftest import make_staff

pytestmark = pytest.mark.django_db


def addresses(page: str) -> list[str]:
    """Every address on a page, with base64 and percent encodings decoded."""
    found = [unquote(text) for text in re.findall(r'(?:href|action|src)="([^"]*)"', page)]
    for address in list(found):
        for values in parse_qs(urlsplit(address).query).values():
            for value in values:
                with contextlib.suppress(binascii.Error):
                    found.append(base64.urlsafe_b64decode(value.encode() + b"===").decode("utf-8", "replace"))
    return found


def following(page: str) -> str:
    return re.search(r'href="([^"]*)" rel="next"', page)[1].replace("&amp;", "&")


def test_companies_are_searched_by_a_form_that_is_posted(staff):
    began = datetime(2025, 1, 1, tzinfo=UTC)
    for number in range(keyset.PAGE + 3):
        Organization.objects.create(
            name=f"Quiet Takeover {number:03}", time_zone="UTC", history_complete_from=began, created_at=began
        )
    Organization.objects.create(name="Another", time_zone="UTC", history_complete_from=began, created_at=began)
    client = staff("Operator")
    assert "Another" in client.get("/console/companies/", {"q": "Quiet"}).content.decode()
    first = client.post("/console/companies/", {"q": "qui\0et take"}).content.decode()
    assert "Quiet Takeover 000" in first
    assert "Another" not in first
    assert not [each for each in addresses(first) if "quiet" in each.lower()]
    second = client.get("/console/companies/" + following(first)).content.decode()
    assert "Quiet Takeover 052" in second
    assert "Quiet Takeover 000" not in second
    assert "Another" not in second
    assert re.search(r'method="post" role="search"', first)


def test_no_address_of_a_list_names_a_person(staff, monkeypatch):
    monkeypatch.setattr(views, "PEOPLE_A_PAGE", 2)
    company = full_company(5, "Nameless")
    organization_id = company.company.organization_id
    refreshing.refresh(organization_id, timezone.now())
    client = staff("Operator")
    shown = client.get(reverse("console:matrix", kwargs={"organization_id": organization_id})).content.decode()
    assert "Person 001" in shown
    assert not [each for each in addresses(shown) if "person 0" in each.lower()]
    where = reverse("console:matrix", kwargs={"organization_id": organization_id})
    assert "Person 002" in client.get(where + following(shown)).content.decode()


def test_a_place_opens_on_its_own_page_alone(staff, empty_company):
    client = staff("Operator")
    where = reverse("console:captures", kwargs={"organization_id": empty_company.organization_id})
    assert client.get(where, {"after": keyset.seal(where, (7,))}).status_code == 200
    for other in ("/console/companies/", where.replace(str(empty_company.organization_id), str(uuid.UUID(int=3)))):
        assert client.get(where, {"after": keyset.seal(other, (7,))}).status_code == 422


def test_the_lists_of_the_staff_accounts_are_searched_by_post(staff):
    make_staff("hesterprynne", None)
    client = staff("Administrator")
    where = "/console/staff/auth/user/"
    assert "hesterprynne" in client.get(where, {"q": "nobody-of-this-name"}).content.decode()
    answer = client.post(where + "?o=1", {"q": "Hester\0Prynne"})
    assert answer.status_code == 302
    assert "ester" not in answer.url.lower()
    assert "o=1" in answer.url
    shown = client.get(answer.url).content.decode()
    assert "1 result" in shown
    assert 'value="HesterPrynne"' in shown
    assert not [each for each in addresses(shown) if "ester" in each.lower() and "/change/" not in each]
    log = client.post("/console/staff/console/accesslog/", {"q": "hesterprynne"})
    assert log.status_code == 302
    assert "0 results" in client.get(log.url).content.decode()
    assert not AccessLog.objects.filter(subject__icontains="ester").exists()
