"""Two members of staff confirm the same act simultaneously: a person, a team and an auditor are created only once."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from compliance.facts.people.models import Profile, Team
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.companies import Company, make_present_company
from tests.interfaces.console.conftest import make_staff, signed_in
from tests.interfaces.console.test_acting import confirm, preview


@pytest.fixture
def company(committed: None) -> Company:
    return make_present_company()


@pytest.fixture
def two(company: Company) -> list[Client]:
    return [signed_in(make_staff(f"manager-{uuid.uuid4().hex[:8]}", COMPLIANCE_MANAGER)) for _ in range(2)]


def both(company: Company, two: list[Client], act: str, told: Callable[[int], dict[str, Any]]) -> list[HttpResponse]:
    """The answers to both; each had a preview before either confirmed."""
    previews = [preview(client, company, act, **told(number))[1] for number, client in enumerate(two)]
    together = threading.Barrier(2, timeout=60)

    def confirmed(number: int) -> HttpResponse:
        connection.ensure_connection()
        together.wait()
        try:
            return confirm(two[number], company, act, previews[number])
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(confirmed, range(2)))


def test_a_person_is_added_once(company: Company, two: list[Client]) -> None:
    answers = both(company, two, "add-person", lambda _: {"person_name": "Zoë", "account_email": "zoe@example.org"})
    assert sorted(answer.status_code for answer in answers) == [200, 302]
    with context.company(company.organization_id):
        assert Profile.objects.filter(account_email="zoe@example.org").count() == 1


def test_two_teams_never_get_the_same_name(company: Company, two: list[Client]) -> None:
    teams = [company.team("Sales"), company.team("Buying")]
    both(company, two, "rename-team", lambda number: {"team_id": str(teams[number]), "name": "Trade"})
    with context.company(company.organization_id):
        assert Team.objects.filter(name="Trade").count() == 1


def test_an_auditor_gets_one_account(company: Company, two: list[Client]) -> None:
    until = (timezone.now() + timedelta(days=3)).date().isoformat()
    email = f"ada-{uuid.uuid4().hex[:8]}@example.org"
    both(company, two, "invite-auditor", lambda _: {"person_name": "Ada", "email": email, "until": until})
    assert User.objects.filter(email=email).count() == 1
