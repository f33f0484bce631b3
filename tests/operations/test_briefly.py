"""A short version of `make contention`, within the suite: the full length is for `make` (docs/operations.md)."""

import uuid
from datetime import UTC, datetime

import pytest

from compliance.history import actions
from compliance.interfaces.operations import reminders
from compliance.tenancy import context, sql
from tests.operations.contention import PEOPLE, company_with_due_changes

pytestmark = pytest.mark.django_db


def _renewals(organization_id: uuid.UUID) -> int:
    with context.company(organization_id):
        ((count,),) = sql.fetch(
            "SELECT count(*) FROM history_historyrow WHERE organization_id = %s AND cause = 'sweep' AND register = 1",
            [organization_id],
        )
    return int(count)


def test_what_the_clock_brought_is_captured_once_however_often_the_sweep_runs():
    organization_id = company_with_due_changes()
    assert _renewals(organization_id) == 0
    for _ in range(3):
        actions.sweep_company(organization_id, datetime.now(UTC))
        assert _renewals(organization_id) == PEOPLE


def test_everybody_of_that_company_is_reminded_once(mailoutbox):
    organization_id = company_with_due_changes()
    for _ in range(3):
        reminders.send_due(organization_id, lambda: datetime.now(UTC))
    assert len(mailoutbox) == PEOPLE
