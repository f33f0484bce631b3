"""Which companies the sweep finds: those with due or pending subjects, in a query over all companies.

These tests commit: on a cluster that query runs on other connections, which do not see an open transaction.
"""

from datetime import timedelta

import pytest

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.ledger import queries as ledger
from compliance.history import actions, queries, tasks
from compliance.history.verify import Verified, verify_history
from compliance.rules.vocabulary import LOGIC
from compliance.tenancy import context, sql
from tests.companies import NOW, day, make_company
from tests.history.reading import at, only, rows

TRAINING = TRAINING_RECORDS.number
SOON = NOW + timedelta(minutes=2)


@pytest.fixture
def anna_owes(committed):
    """A company in which Anna owes a course by day 600; captured. Nothing in it is left due or pending afterwards."""
    company = make_company()
    course, anna = company.course(), company.join("Anna")
    company.share(course, due_at=day(600))
    actions.capture_all(company.organization_id, NOW)
    yield company, course, anna
    with context.company(company.organization_id):
        sql.execute("DELETE FROM pending_pendingsubject WHERE organization_id = %s", [company.organization_id])


def test_the_sweep_finds_companies_by_what_is_due_or_pending_and_no_others(anna_owes):
    company, _, anna = anna_owes
    idle = make_company("Idle")
    assert not {company.organization_id, idle.organization_id} & set(queries.companies_with_work(NOW))
    _pend(company, anna)
    found = queries.companies_with_work(NOW)
    assert company.organization_id in found
    assert idle.organization_id not in found


def test_a_new_logic_version_decides_everything_again_as_the_clocks_doing(anna_owes):
    company, _, _ = anna_owes
    organization_id = company.organization_id
    sql.execute("UPDATE history_historyhead SET logic_version = 0 WHERE organization_id = %s", [organization_id])
    before = queries.head(organization_id)
    assert organization_id in queries.companies_with_work(NOW)
    actions.sweep_company(organization_id, NOW)
    after = queries.head(organization_id)
    assert (after.sequence, after.capture_sequence) == (before.sequence, before.capture_sequence)
    assert organization_id not in queries.companies_with_work(NOW)


def test_a_company_without_subjects_is_done_with_a_new_logic_version_by_one_sweep(committed):
    organization_id = make_company("Nobody").organization_id
    sql.execute("UPDATE history_historyhead SET logic_version = 0 WHERE organization_id = %s", [organization_id])
    assert organization_id in queries.companies_with_work(NOW)
    assert actions.sweep_company(organization_id, NOW) == []
    assert organization_id not in queries.companies_with_work(NOW)
    assert isinstance(verify_history(organization_id), Verified)


def test_a_release_leaves_a_company_that_a_later_logic_version_has_decided_to_the_later_release(anna_owes):
    """Workers are replaced one by one: a history in which the older logic follows the newer one does not verify."""
    company, course, anna = anna_owes
    organization_id = company.organization_id
    decided = "UPDATE history_historyhead SET logic_version = %s WHERE organization_id = %s"
    sql.execute(decided, [LOGIC.version + 1, organization_id])
    before = queries.head(organization_id)
    company.complete(anna, course, NOW)
    assert actions.capture_all(organization_id, NOW) == []
    tasks.capture(str(organization_id))
    assert queries.head(organization_id) == before
    with context.company(organization_id):
        assert not queries.is_pending(organization_id, NOW)
    sql.execute(decided, [LOGIC.version, organization_id])
    assert sum(each.rows for each in actions.capture_all(organization_id, NOW)) > 0
    assert isinstance(verify_history(organization_id), Verified)


def test_a_fact_ahead_of_time_is_recorded_at_once_and_captured_when_its_moment_has_come(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    before = queries.head(organization_id)
    receipt = company.complete(anna, course, SOON)
    with context.company(organization_id):
        assert sql.fetch("SELECT completion_receipt_id FROM training_completion") == [(receipt,)]
    for moment in (NOW, SOON - timedelta(microseconds=1)):
        assert actions.capture_all(organization_id, moment) == []
        assert actions.sweep_company(organization_id, moment) == []
        assert organization_id not in queries.companies_with_work(moment)
    assert queries.head(organization_id) == before
    assert organization_id in queries.companies_with_work(SOON)
    (captured,) = actions.sweep_company(organization_id, SOON)
    assert captured.rows == 1
    row = rows(organization_id, TRAINING)[-1]
    assert (row.valid_from, row.recorded_at, row.cause) == (SOON, SOON, "change")
    assert only(at(organization_id, TRAINING, SOON))["completion_receipt_id"] == str(receipt)
    assert isinstance(verify_history(organization_id), Verified)


def test_the_sweep_task_hands_out_the_companies_that_have_work(anna_owes, monkeypatch, settings):
    waiting, _, _ = anna_owes
    waiting.join("Ben")
    idle = make_company("Idle")
    handed = []
    monkeypatch.setattr(tasks.sweep_company, "apply_async", lambda given, *, expires: handed.append((*given, expires)))
    tasks.sweep()
    assert (str(waiting.organization_id), settings.TICK_EXPIRES_SECONDS) in handed  # it must not pile up
    assert str(idle.organization_id) not in dict(handed)
    tasks.sweep_company(str(waiting.organization_id))
    with context.company(waiting.organization_id):
        assert sum(ledger.waiting(waiting.organization_id)[:2]) == 0


def test_what_waits_for_its_moment_makes_no_writer_late(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    company.complete(anna, course, SOON)
    assert ledger.backlogs()[organization_id].untried_since == SOON
    with context.company(organization_id):
        assert ledger.waiting(organization_id).oldest == SOON


def test_what_was_tried_and_failed_makes_no_writer_late(anna_owes):
    company, _, anna = anna_owes
    _pend(company, anna)
    assert ledger.backlogs()[company.organization_id].untried_since == NOW
    with context.company(company.organization_id):
        sql.execute(
            "UPDATE pending_pendingsubject SET attempts = 8, set_aside_at = %s WHERE organization_id = %s",
            [NOW, company.organization_id],
        )
    found = ledger.backlogs()[company.organization_id]
    assert (found.set_aside, found.untried_since) == (1, None)


def _pend(company, person):
    with context.company(company.organization_id):
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, first, recorded_at, attempts, set_aside_reason)"
            " VALUES (%s, 'person', %s, %s, 0, '')",
            [company.organization_id, person.learner_profile_id, NOW],
        )
