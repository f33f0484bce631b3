"""Rows of companies are saved by a statement that names their company and does not write it."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.learning.models import PersonalLink
from compliance.tenancy import context
from tests.companies import make_present_company, noon

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("update_fields", [None, ["leads_to"]])
def test_a_saved_row_names_its_company_and_keeps_it(update_fields: list[str] | None) -> None:
    company = make_present_company()
    with context.company(company.organization_id):
        link = PersonalLink.objects.create(
            organization_id=company.organization_id, token_sha256="0" * 64, learner_profile_id=uuid.uuid4(),
            made_at=noon(2), expires_at=noon(-2),
        )  # fmt: skip
        link.leads_to = "records"
        with CaptureQueriesContext(connection) as asked:
            link.save(update_fields=update_fields)
        (statement,) = [each["sql"] for each in asked.captured_queries]
        changed, _, found = statement.partition(" WHERE ")
        assert changed.startswith("UPDATE")
        assert '"organization_id"' not in changed
        assert '"organization_id"' in found
        assert PersonalLink.objects.get(organization_id=company.organization_id).leads_to == "records"
