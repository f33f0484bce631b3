"""`manage.py learner_link`: one link, for a person who may sign in."""

import io
import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from tests.companies import make_present_company, noon

pytestmark = pytest.mark.django_db


def link(*arguments):
    printed = io.StringIO()
    call_command("learner_link", *map(str, arguments), stdout=printed)
    (line,) = printed.getvalue().splitlines()
    assert line.startswith(f"{settings.BASE_URL}/learn/in/")
    return line.removeprefix(settings.BASE_URL)


def test_a_link_opens_once_and_with_days_as_often_as_one_likes():
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    once = link(company.organization_id, anna.learner_profile_id)
    assert [Client().post(once).status_code for _ in range(2)] == [303, 410]
    often = link(company.organization_id, anna.learner_profile_id, "--days", 3)
    assert [Client().post(often).status_code for _ in range(3)] == [303, 303, 303]


def test_what_is_wrong_is_said_in_a_sentence():
    company = make_present_company()
    anna, ben = company.join("Anna", at=noon(20)), company.join("Ben", at=noon(20))
    company.leave(ben, at=noon(0) - timedelta(days=1))
    for arguments, words in (
        ((uuid.uuid4(), anna.learner_profile_id), "There is no organization"),
        ((company.organization_id, uuid.uuid4()), "The company knows nobody"),
        ((company.organization_id, ben.learner_profile_id), "This person has left, or is suspended."),
        ((company.organization_id, anna.learner_profile_id, "--days", 0), "--days is 1 to 366."),
        ((company.organization_id, "anna"), "invalid UUID value"),
    ):
        with pytest.raises(CommandError, match=words):
            link(*arguments)
