"""The list of companies: its line for each, and for those whose node of a cluster does not answer."""

import re
import uuid

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compliance.interfaces.console.permissions import OPERATOR
from compliance.tenancy.models import Organization
from tests.companies import make_present_company
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.tenancy.test_nodes import away, companies  # noqa: F401 - a fixture

ADDRESS = "/console/companies/"


def badge(text: str, company) -> str:
    """The status of the company's history in the list."""
    row = next(row for row in text.split("<tr>") if f"/companies/{company.organization_id}/" in row)
    return re.search(r'data-name="History"><span class="badge \w+">([^<]+)<', row)[1]


@pytest.fixture
def client(committed) -> Client:
    """An operator. Pending subjects are read with the owner's rights, which see only what is committed on a cluster."""
    return signed_in(make_staff(f"operator-{uuid.uuid4().hex}", OPERATOR))


def test_a_company_is_listed_with_the_status_of_its_history(client):
    company = make_present_company()
    assert badge(client.get(ADDRESS).content.decode(), company) == "healthy"


def test_a_page_of_companies_takes_as_many_statements_as_one_company(client):
    make_present_company()
    client.get(ADDRESS)
    with CaptureQueriesContext(connection) as one:
        client.get(ADDRESS)
    for _ in range(3):
        make_present_company()
    with CaptureQueriesContext(connection) as several:
        client.get(ADDRESS)
    of_another_node = 2 if settings.CLUSTER else 0  # heads of histories and pending subjects
    assert 0 <= len(several) - len(one) <= of_another_node


def test_a_company_is_found_without_accents_and_as_it_is_typed(client):
    name = f"Société Générale d’Été {uuid.uuid4().hex[:8]}"
    organization_id = make_present_company().organization_id
    Organization.objects.filter(organization_id=organization_id).update(name=name)
    assert name in client.post(ADDRESS, {"q": "generale d'ete"}).content.decode()
    assert name not in client.post(ADDRESS, {"q": "ete_"}).content.decode()


@pytest.mark.cluster
def test_companies_whose_node_is_away_are_listed_as_without_an_answer(client, companies, administration):  # noqa: F811 - fixtures
    (dead, lost), (_, well) = companies.items()
    with away(administration, dead):
        text = client.get(ADDRESS).content.decode()
        assert (badge(text, lost), badge(text, well)) == ("no answer", "healthy")
        assert client.get(f"/console/companies/{well.organization_id}/").status_code == 200
    assert badge(client.get(ADDRESS).content.decode(), lost) == "healthy"
