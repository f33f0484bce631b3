"""Staff withdraw the personal links of somebody."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.pages.links import SigningLink, make_token
from tests.interfaces.console.test_acting import company, confirm, preview

__all__ = ["company"]

pytestmark = pytest.mark.django_db


def test_staff_withdraw_a_persons_links(staff, company):
    client, now = staff(OPERATOR), timezone.now()
    person = company.join("Linked", account_email="linked@example.org")
    link = SigningLink(company.organization_id, uuid.uuid4(), person.learner_profile_id, now + timedelta(days=1))
    token = make_token(link, now)
    assert client.get(f"/sign/{token}").status_code == 200
    shown, sent = preview(client, company, "revoke-links", learner_profile_id=str(person.learner_profile_id))
    assert "Links that would stop working" in shown
    assert confirm(client, company, "revoke-links", sent).status_code == 302
    assert client.get(f"/sign/{token}").status_code == 410
