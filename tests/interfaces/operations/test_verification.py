"""Verification closes a company whose history is not intact, records a run, and alerts."""

import logging
import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, InternalError, connection, connections, transaction

from compliance.access.models import ApiKey
from compliance.history import actions, queries
from compliance.history.models import HistoryHead
from compliance.interfaces.operations import tidying, verification
from compliance.interfaces.operations.models import CompanyStanding, VerificationRun
from compliance.tenancy import context
from tests.companies import NOW, make_company

pytestmark = pytest.mark.django_db
assert connections


@pytest.fixture
def company():
    company = make_company()
    company.join("Anna")
    actions.capture_all(company.organization_id, NOW)
    return company


def runs(company):
    with context.company(company.organization_id):
        rows = VerificationRun.objects.filter(organization_id=company.organization_id)
        return {row.kind: (row.well, row.fault) for row in rows}


def test_what_holds_is_kept_as_a_run_of_each_kind(company):
    verification.verify_company(company.organization_id, lambda: NOW)
    assert runs(company) == {"history": (True, ""), "receipts": (True, ""), "checkpoints": (True, "")}
    row = CompanyStanding.objects.get(organization_id=company.organization_id)
    assert (row.verified_at, row.verified_well) == (NOW, True)


def test_a_fault_closes_the_company_and_alerts_until_it_holds_again(company, caplog):
    right = queries.head(company.organization_id).chain_hash
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="f" * 64)
    with caplog.at_level(logging.CRITICAL):
        verification.verify_company(company.organization_id, lambda: NOW)
    head = queries.head(company.organization_id)
    assert not head.available
    assert "chain_hash" in head.unavailable_reason
    assert [record.message for record in caplog.records] == ["verification_failed"]
    assert runs(company)["history"][0] is False
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash=right)
    verification.verify_company(company.organization_id, lambda: NOW)
    assert queries.head(company.organization_id).available


def test_a_fault_closes_the_company_although_what_is_verified_next_cannot_be_read(company, caplog):
    HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="f" * 64)
    kept = []

    def broken(execute, sql, params, many, given):
        if sql.startswith("INSERT") and "operations_verificationrun" in sql:
            kept.append(sql)
            if len(kept) == 2:
                raise InternalError("invalid page in block 7")
        return execute(sql, params, many, given)

    with pytest.raises(InternalError), connection.execute_wrapper(broken):
        verification.verify_company(company.organization_id, lambda: NOW)
    assert not queries.head(company.organization_id).available
    assert [record.message for record in caplog.records] == ["verification_failed"]


def test_runs_are_never_changed(company):
    verification.verify_company(company.organization_id, lambda: NOW)
    with pytest.raises(DatabaseError), transaction.atomic(), context.company(company.organization_id):
        VerificationRun.objects.filter(organization_id=company.organization_id).update(well=True)


def test_keys_whose_life_is_over_are_revoked(company, caplog):
    def key(expires_at):
        return ApiKey.objects.create(
            organization_id=company.organization_id, digest=uuid.uuid4().bytes, scopes=["training:read"],
            created_at=NOW - timedelta(days=9), expires_at=expires_at,
        )  # fmt: skip

    over, living, endless = key(NOW), key(NOW + timedelta(seconds=1)), key(None)
    assert tidying.expire_keys(NOW) == 1
    assert [each.actor for each in caplog.records if each.msg == "api_key_revoked"] == ["tidy"]
    found = dict(ApiKey.objects.filter(organization_id=company.organization_id).values_list("key_id", "revoked_reason"))
    assert found == {over.key_id: "expired", living.key_id: "", endless.key_id: ""}
