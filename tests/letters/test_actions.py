"""Requesting letters: in the transaction of their subject, and once for each with a `letter_id`."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from compliance.letters import queries
from compliance.letters.actions import Asked, Kind, ask, ask_many
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization_id():
    """A company, in whose context the test runs."""
    company = make_company()
    with context.company(company.organization_id):
        yield company.organization_id


def letters(organization_id):
    return Letter.objects.filter(organization_id=organization_id)


def test_a_letter_that_is_asked_for_is_due_at_once(organization_id):
    anna = uuid.uuid4()
    ask(organization_id, Kind.LINK, now=NOW, learner_profile_id=anna)
    found = letters(organization_id).get()
    assert (found.kind, found.learner_profile_id, found.made_at, found.due_at) == ("link", anna, NOW, NOW)
    assert queries.asked_since(organization_id, Kind.LINK, NOW, learner_profile_id=anna) == 1
    assert queries.asked_since(organization_id, Kind.NEW, NOW, learner_profile_id=anna) == 0


def test_a_letter_asked_for_in_a_transaction_that_is_taken_back_is_not_asked_for(organization_id):
    with transaction.atomic():
        ask(organization_id, Kind.LINK, now=NOW, learner_profile_id=uuid.uuid4())
        transaction.set_rollback(True)
    assert not letters(organization_id).exists()


def test_the_same_letter_is_asked_for_once(organization_id):
    anna, letter_id = uuid.uuid4(), uuid.uuid4()
    for _ in range(2):
        ask(organization_id, Kind.SIGNED, now=NOW, learner_profile_id=anna, letter_id=letter_id)
    assert letters(organization_id).count() == 1


def test_a_letter_is_for_one_person_or_one_invitation(organization_id):
    with pytest.raises(IntegrityError), transaction.atomic():
        ask(organization_id, Kind.LINK, now=NOW)


def test_a_thousand_letters_are_asked_for_in_few_statements(organization_id, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        ask_many(organization_id, Kind.NEW, [Asked(uuid.uuid4()) for _ in range(1000)], now=NOW)
    assert {letter.made_at for letter in letters(organization_id)} == {NOW}
    assert letters(organization_id).count() == 1000
