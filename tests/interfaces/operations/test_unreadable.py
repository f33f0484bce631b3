"""What PostgreSQL cannot read any more closes its company, as what is not what was written does."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from compliance.history import queries
from compliance.interfaces.operations import verification
from compliance.interfaces.operations.verification import Kind
from tests.companies import NOW, make_company


@pytest.fixture
def unreadable_receipts(committed: None, administration: psycopg.Connection[Any]) -> Iterator[None]:
    """Receipts at which every statement ends with the error of a page that a disk has damaged."""
    ((condition,),) = administration.execute(
        "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy"
        " WHERE polname = 'company' AND polrelid = 'policies_receipt'::regclass"
    ).fetchall()
    administration.execute(
        "CREATE SCHEMA disk; GRANT USAGE ON SCHEMA disk TO app;"
        " CREATE FUNCTION disk.damaged() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS"
        " $$ BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'XX001'; END $$;"
        " ALTER POLICY company ON policies_receipt USING (disk.damaged())"
    )
    yield
    administration.execute(f"ALTER POLICY company ON policies_receipt USING ({condition})")
    administration.execute("DROP SCHEMA disk CASCADE")


@pytest.mark.usefixtures("unreadable_receipts")
def test_a_page_that_cannot_be_read_is_a_fault_that_closes_the_company_and_alerts(caplog: pytest.LogCaptureFixture):
    company = make_company()
    found = verification.verify_company(company.organization_id, lambda: NOW)
    assert found[Kind.RECEIPTS].fault == "PostgreSQL cannot read what is stored: invalid page in block 7."
    assert not queries.head(company.organization_id).available
    assert "verification_failed" in [record.message for record in caplog.records]
