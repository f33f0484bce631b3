"""One link, pressed by twenty people at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier

from django.db import connection
from django.test import Client

from compliance.learning import links
from compliance.learning.models import LearnerSession
from compliance.tenancy import context
from tests.companies import make_present_company

THREADS = 20


def test_a_link_for_one_use_begins_one_session(committed: None) -> None:
    company = make_present_company()
    anna = company.join()
    with context.company(company.organization_id):
        token = links.make(
            company.organization_id,
            now=datetime.now(UTC),
            life=timedelta(minutes=15),
            learner_profile_id=anna.learner_profile_id,
        )
    barrier = Barrier(THREADS, timeout=60)

    def press(_: int) -> int:
        connection.ensure_connection()
        barrier.wait()
        try:
            return Client().post(f"/learn/in/{token}").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(press, range(THREADS)))
    assert sorted(found) == [303] + [410] * (THREADS - 1)
    with context.company(company.organization_id):
        assert LearnerSession.objects.filter(organization_id=company.organization_id).count() == 1
