"""Simultaneous requests have an effect once: a link used, an invitation accepted, letters counted."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client

from compliance.facts.people.models import Employment
from compliance.interfaces.learner.entry import answering
from compliance.learning import link_requests, links
from compliance.learning.models import LearnerSession, LinkRequest
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon

TIMES = 6


@pytest.fixture
def company(committed):
    """A company whose rows every connection sees."""
    return make_present_company(f"At once {uuid.uuid4().hex[:8]}")


def at_once(act: Callable[[int], int]) -> list[int]:
    """The results of `act` in several threads, each with a connection of its own, that begin together."""
    together = threading.Barrier(TIMES)

    def run(number: int) -> int:
        try:
            connection.ensure_connection()
            together.wait(30)
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(TIMES) as pool:
        return sorted(pool.map(run, range(TIMES)))


def make_link(company, **whose):
    with context.company(company.organization_id):
        token = links.make(company.organization_id, now=datetime.now(UTC), life=timedelta(minutes=9), **whose)
    return f"/learn/in/{token}"


def test_a_link_that_is_used_by_many_at_one_moment_lets_one_in(company):
    anna = company.join("Anna", at=noon(9)).learner_profile_id
    address = make_link(company, learner_profile_id=anna)
    assert at_once(lambda _: Client().post(address).status_code) == [303] + [410] * (TIMES - 1)
    with context.company(company.organization_id):
        assert LearnerSession.objects.filter(organization_id=company.organization_id).count() == 1


def test_an_invitation_that_is_accepted_by_many_links_at_one_moment_makes_one_person(company):
    invitation_id = verbs.invite_person(
        organization_id=company.organization_id, at=noon(3), now=datetime.now(UTC), work_email="d@w.example"
    )
    addresses = [make_link(company, invitation_id=invitation_id) for _ in range(TIMES)]
    answers = at_once(lambda number: Client().post(addresses[number], {"name": f"Dana {number}"}).status_code)
    assert answers == [303] + [410] * (TIMES - 1)
    with context.company(company.organization_id):
        assert Employment.objects.filter(organization_id=company.organization_id).count() == 1


def test_requests_that_are_answered_at_one_moment_make_three_letters_and_each_is_answered_once(company):
    address = f"{uuid.uuid4().hex}@home.example"
    company.join("Anna", at=noon(9), account_email=address)
    now = datetime.now(UTC)
    same = link_requests.take_in(address, now)
    assert at_once(lambda _: answering.answer(same, now)) == [0] * (TIMES - 1) + [1]
    others = [link_requests.take_in(address, now) for _ in range(TIMES)]
    assert sum(at_once(lambda number: answering.answer(others[number], now))) == 2
    assert not LinkRequest.objects.filter(request_id__in=[same, *others]).exists()
    with context.company(company.organization_id):
        assert Letter.objects.filter(organization_id=company.organization_id).count() == 3
