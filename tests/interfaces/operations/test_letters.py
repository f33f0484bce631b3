"""Scheduled letters: which companies are checked each minute, what REMINDERS suppresses, and what operators see."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.lines.kinds import FixedDeadline
from compliance.facts.training.models import Reminder
from compliance.history.actions import capture_all
from compliance.interfaces.operations import metrics, reminders, tasks, tidying
from compliance.letters import news
from compliance.letters.actions import Kind, ask
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW, make_present_company
from tests.facts.story import Story

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")


@pytest.fixture
def company():
    """A company that was checked, and in which Anna was then given something to do."""
    company = make_present_company()
    capture_all(company.organization_id, company.now)
    news.read(company.organization_id, company.now)
    company.join("Anna")
    company.share(company.course("Fire safety"), company.now - timedelta(days=1))
    capture_all(company.organization_id, company.now)
    return company


@pytest.fixture
def handed_out(monkeypatch):
    """The tasks that were sent."""
    sent: list[tuple[str, list[str]]] = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args=(), **_: sent.append((name, list(args))))
    return sent


def test_only_companies_with_something_to_send_are_handed_out(company, handed_out, settings):
    settings.REMINDERS = False
    tasks.look_at_letters()
    assert handed_out == []
    settings.REMINDERS = True
    tasks.look_at_letters()
    assert handed_out == [("compliance.letters.look", [str(company.organization_id)])]


@pytest.mark.one_server("it is asked once for each node that has companies")
def test_a_look_at_letters_takes_as_many_statements_for_many_companies_as_for_one(company, handed_out, settings):
    settings.REMINDERS = True
    counted = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as statements:
            tasks.look_at_letters()
        counted.append(len(statements))
        for _ in range(3):
            made = make_present_company()
            with context.company(made.organization_id):
                learner = made.join("Boris").learner_profile_id
                ask(made.organization_id, Kind.LINK, now=NOW, learner_profile_id=learner)
    assert counted[0] == counted[1]


def test_with_reminders_off_nothing_goes_out_by_itself_and_what_was_asked_for_does(company, settings):
    settings.REMINDERS = False
    with context.company(company.organization_id):
        anna = company.join("Boris").learner_profile_id
        ask(company.organization_id, Kind.LINK, now=datetime.now(UTC), learner_profile_id=anna)
    tasks.look_at_letters_of(str(company.organization_id))
    assert [letter.to for letter in mail.outbox] == [["boris@example.org"]]


def test_with_reminders_on_what_is_new_goes_out_once(company, settings):
    settings.REMINDERS = True
    for _ in range(2):
        tasks.look_at_letters_of(str(company.organization_id))
    assert [letter.subject for letter in mail.outbox] == ["New for you: Fire safety"]


def test_operators_see_what_waits_and_what_was_given_up(company):
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        for _ in range(2):
            anna = company.join("Boris").learner_profile_id
            ask(company.organization_id, Kind.LINK, now=now - timedelta(minutes=20), learner_profile_id=anna)
        given_up = Letter.objects.filter(organization_id=company.organization_id).first()
        assert given_up is not None
        Letter.objects.filter(organization_id=company.organization_id, pk=given_up.pk).update(
            due_at=None, settled_at=now, failure="SMTPRecipientsRefused"
        )
    status = metrics.service_status(now)
    assert (status.letters_waiting, status.letters_given_up) == (1, 1)
    assert 1199 < status.letters_waiting_seconds < 1201
    assert tidying.tidy_company(company.organization_id, now + timedelta(days=91)) == 1


def test_a_policy_that_is_due_is_reminded_of_and_is_no_fact():
    story = Story(NOW)
    story.employee("Anna", account_email="anna@example.org")
    version = story.version()
    story.tell([version])
    story.share(version.course_id, deadline=FixedDeadline(due_at=NOW + timedelta(hours=12)))
    capture_all(story.organization_id, NOW)
    assert reminders.send_due(story.organization_id, lambda: NOW) == (1, 1, 0, False)
    assert reminders.send_due(story.organization_id, lambda: NOW) == (0, 0, 0, False)
    (letter,) = mail.outbox
    assert letter.subject == "Still to do, tomorrow by 01:00: Use of devices"
    with context.company(story.organization_id):
        assert not Reminder.objects.exists()
