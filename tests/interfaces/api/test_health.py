"""`/livez` and `/readyz` tell a writer that is behind, and make no company's trouble everybody's (design 9)."""

import pytest

from compliance.interfaces.operations import metrics
from compliance.tenancy import context, sql
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db


def pend(organization_id, *, attempts=0, aside=None):
    with context.company(organization_id):
        sql.execute(
            "INSERT INTO pending_pendingsubject (organization_id, kind, first, recorded_at, attempts, set_aside_at,"
            " set_aside_reason) VALUES (%s, 'person', gen_random_uuid(), %s, %s, %s, '')",
            [organization_id, NOW, attempts, aside],
        )


def writer(client) -> str:
    return client.get("/readyz").json()["checks"]["writer"]


def test_a_subject_that_fails_is_its_companys_trouble_and_no_reason_to_leave_service(client):
    company = make_company()
    before = writer(client)  # companies of other tests may have left facts waiting
    counted = metrics.standing(NOW)
    pend(company.organization_id, attempts=3)
    pend(company.organization_id, attempts=8, aside=NOW)
    assert writer(client) == before
    standing = metrics.standing(NOW)
    assert (standing.failing, standing.set_aside) == (counted.failing + 1, counted.set_aside + 1)
    assert standing.oldest_pending_seconds == counted.oldest_pending_seconds


def test_a_subject_that_nobody_tries_makes_the_service_unready(client):
    company = make_company()
    pend(company.organization_id)
    assert client.get("/readyz").status_code == 503
    assert writer(client) == "behind"


def test_whoever_looks_after_the_process_needs_no_host_name_and_no_tls(client, settings):
    settings.ALLOWED_HOSTS = ["records.example.com"]
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/livez", headers={"host": "10.1.2.3:8000"}).json() == {"status": "ok"}
    assert "checks" in client.get("/readyz", headers={"host": "10.1.2.3:8000"}).json()
    assert client.get("/docs", headers={"host": "10.1.2.3:8000"}).status_code == 400
