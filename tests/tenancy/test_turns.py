"""Turns of a company's long work."""

import uuid

import pytest

from compliance.tenancy.turns import short_turn, turn

pytestmark = pytest.mark.django_db


def test_a_company_has_one_turn_at_a_time_for_each_kind_of_work():
    company = uuid.uuid4()
    with turn(company, "work") as first:
        with turn(company, "work") as second, turn(company, "other work") as other, turn(uuid.uuid4(), "work") as apart:
            assert (first, second, other, apart) == (True, False, True, True)
        with turn(company, "work") as still:
            assert not still
    with turn(company, "work") as after:
        assert after


def test_a_turn_ends_with_what_goes_wrong_in_it():
    company = uuid.uuid4()
    with pytest.raises(ZeroDivisionError), turn(company, "work"):
        raise ZeroDivisionError
    with turn(company, "work") as mine:
        assert mine


def test_a_short_turn_is_the_same_turn_on_the_connection_at_hand():
    company = uuid.uuid4()
    with short_turn(company, "work") as first, turn(company, "work") as second:
        assert (first, second) == (True, False)
    with turn(company, "work") as first, short_turn(company, "work") as second:
        assert (first, second) == (True, False)
    with short_turn(company, "work") as after:
        assert after
