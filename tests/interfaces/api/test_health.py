"""`/livez` and `/readyz` report a writer that is behind; the failure of one company affects no other."""

from datetime import UTC, datetime, timedelta

import pytest

from compliance.interfaces.operations import metrics
from compliance.tenancy import context, sql
from tests.companies import NOW, make_company
from tests.interfaces.api.conftest import Caller, issue_everything


@pytest.fixture
def company(committed):
    """A company whose pending subjects are committed, for statements about all companies; none of them is left over."""
    made = make_company()
    yield made
    with context.company(made.organization_id):
        sql.execute("DELETE FROM pending_pendingsubject WHERE organization_id = %s", [made.organization_id])


def pend(organization_id, *, attempts=0, aside=None, waits_until=None):
    with context.company(organization_id):
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, first, recorded_at, attempts, set_aside_at,"
            " set_aside_reason, waits_until) VALUES (%s, 'person', gen_random_uuid(), %s, %s, %s, '', %s)",
            [organization_id, NOW, attempts, aside, waits_until],
        )


def writer(client) -> str:
    return client.get("/readyz").json()["checks"]["writer"]


def test_a_subject_that_fails_is_its_companys_trouble_and_no_reason_to_leave_service(company, client):
    before = writer(client)  # companies of other tests may have left facts waiting
    counted = metrics.service_status(NOW)
    pend(company.organization_id, attempts=3)
    pend(company.organization_id, attempts=8, aside=NOW)
    assert writer(client) == before
    status = metrics.service_status(NOW)
    assert (status.failing, status.set_aside) == (counted.failing + 1, counted.set_aside + 1)
    assert status.oldest_pending_seconds == counted.oldest_pending_seconds


def test_a_subject_that_nobody_tries_makes_the_service_unready(company, client):
    pend(company.organization_id)
    assert client.get("/readyz").status_code == 503
    assert writer(client) == "behind"


def test_what_waits_for_its_moment_makes_neither_the_service_unready_nor_its_company_unreadable(
    company, client, settings
):
    settings.WRITER_LAG_SECONDS = 60
    before, counted = writer(client), metrics.service_status(datetime.now(UTC))
    pend(company.organization_id, waits_until=datetime.now(UTC) + timedelta(minutes=3))  # recorded long ago
    caller = Caller(issue_everything(company.organization_id, datetime.now(UTC)))
    assert writer(client) == before
    assert metrics.service_status(datetime.now(UTC)).oldest_pending_seconds <= counted.oldest_pending_seconds + 5
    assert caller("/v1/snapshot").status_code == 200
    assert caller("/v1/people?from=2026-01-01&to=2026-02-01").status_code == 200
    pend(company.organization_id, waits_until=datetime.now(UTC) - timedelta(minutes=2))
    assert writer(client) == "behind"
    assert caller("/v1/snapshot").json()["code"] == "writer_unavailable"


@pytest.mark.django_db
def test_whoever_looks_after_the_process_needs_no_host_name_and_no_tls(client, settings):
    settings.ALLOWED_HOSTS = ["records.example.com"]
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/livez", headers={"host": "10.1.2.3:8000"}).json() == {"status": "ok"}
    assert "checks" in client.get("/readyz", headers={"host": "10.1.2.3:8000"}).json()
    assert client.get("/docs", headers={"host": "10.1.2.3:8000"}).status_code == 400
