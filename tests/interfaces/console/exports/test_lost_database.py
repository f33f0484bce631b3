"""An export whose connection is lost in the middle, as when another server takes over."""

import threading
from datetime import timedelta

import psycopg
import pytest
from django.db import OperationalError, connection, connections
from django.utils import timezone

from compliance.history.actions import capture_all
from compliance.interfaces.console.exports import keeping
from compliance.interfaces.console.exports.models import StandingExport
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.companies import Company, make_company, noon
from tests.interfaces.console.conftest import make_staff
from tests.interfaces.ingest.test_lost import end_when_waiting


@pytest.fixture
def standing(committed):
    """An export that is due, of a company whose rows are committed."""
    company = Company(make_company().organization_id, start=noon(90), now=timezone.now())
    company.join("Anna Berg")
    capture_all(company.organization_id, timezone.now())
    user, now = make_staff("manuela", COMPLIANCE_MANAGER), timezone.now()
    with context.company(company.organization_id):
        made = StandingExport.objects.create(
            organization_id=company.organization_id, registers=["people"], written_as="csv", personal=True,
            every="day", hour=5, keep=2, days=30, user_id=user.pk, username=user.username, made_at=now,
            next_run_at=now - timedelta(seconds=1),
        )  # fmt: skip
    yield made
    with context.company(company.organization_id):
        StandingExport.objects.filter(organization_id=company.organization_id).delete()


def test_a_run_whose_connection_is_lost_is_ended_on_another_one(standing):
    values = connections["owner"].settings_dict
    with psycopg.connect(
        host=values["HOST"], port=values["PORT"], user=values["USER"], password=values["PASSWORD"],
        dbname=connections["default"].settings_dict["NAME"],
    ) as owner:  # fmt: skip
        owner.execute("LOCK TABLE exports_exportfile IN ACCESS EXCLUSIVE MODE")
        killer = threading.Thread(target=end_when_waiting, args=[connection.connection.info.backend_pid])
        killer.start()
        with pytest.raises(OperationalError):
            keeping.run(standing.organization_id, standing.export_id, timezone.now())
        killer.join()
        owner.rollback()
    with context.company(standing.organization_id):
        standing.refresh_from_db()
    assert standing.begun_at is None
    assert "It stopped with a fault of the service" in standing.problem
