"""Webhooks as operators see them: metrics of waiting and failing events, and tries that are removed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from compliance.interfaces.operations import metrics, tidying
from compliance.webhooks import actions, sending, tasks
from tests.companies import make_present_company
from tests.webhooks.conftest import attempts, change, made
from tests.webhooks.receiver import receiver


@pytest.mark.usefixtures("seen_by_all_roles")
def test_operators_see_what_waits_what_fails_and_what_was_given_up(settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True
    company = make_present_company()
    with receiver(answers=lambda request: 500) as found:
        _, webhook = made(company, found)
        change(company, "Anna", "Boris")
        tasks.send()
        later = datetime.now(UTC) + timedelta(hours=2)
        status = metrics.service_status(later)
        assert (status.webhooks_waiting, status.webhooks_failing, status.webhooks_paused) == (2, 1, 0)
        assert 7100 < status.webhooks_waiting_seconds < 7300
        found.answers = lambda request: 410
        sending.send_due(lambda: later)
        status = metrics.service_status(later)
        assert (status.webhooks_waiting, status.webhooks_failing, status.webhooks_paused) == (0, 0, 1)
    assert len(attempts(webhook)) == 2
    then = later + actions.ATTEMPTS_KEPT + timedelta(seconds=1)
    assert tidying.tidy_company(company.organization_id, then) == 2


def test_webhooks_are_looked_at_every_few_seconds():
    tick = settings.CELERY_BEAT_SCHEDULE["webhooks"]
    assert (tick["task"], tick["schedule"]) == (tasks.look.name, 5.0)
