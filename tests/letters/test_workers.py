"""Letters with several workers at once."""

import threading
from datetime import timedelta

from django.core import mail
from django.db import connection

from compliance.history.actions import capture_all
from compliance.letters import news, sending
from compliance.letters.actions import Kind, ask
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW, make_company


def together(work, times=3):
    """Does the work in several threads at once, each with a connection of its own; returns what each returned."""
    found = []

    def do():
        found.append(work())
        connection.close()

    threads = [threading.Thread(target=do) for _ in range(times)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def test_two_workers_at_once_send_each_letter_once(committed):
    company = make_company()
    with context.company(company.organization_id):
        for number in range(12):
            learner = company.join(f"Person {number}").learner_profile_id
            ask(company.organization_id, Kind.STAFF_LINK, now=NOW, learner_profile_id=learner)
    mail.outbox = []
    assert sum(together(lambda: sending.send_due(company.organization_id, lambda: NOW).sent)) == 12
    assert sorted(letter.to[0] for letter in mail.outbox) == sorted(f"person.{n}@example.org" for n in range(12))
    with context.company(company.organization_id):
        assert not Letter.objects.filter(organization_id=company.organization_id, sent_at=None).exists()


def test_two_workers_that_look_at_once_ask_for_each_letter_once(committed):
    company = make_company()
    capture_all(company.organization_id, NOW)
    news.read(company.organization_id, NOW)
    for number in range(5):
        company.join(f"Person {number}")
    company.share(company.course("Fire safety"), NOW - timedelta(days=1))
    capture_all(company.organization_id, NOW)
    assert sum(together(lambda: news.read(company.organization_id, NOW))) == 5
    with context.company(company.organization_id):
        assert Letter.objects.filter(organization_id=company.organization_id).count() == 5
