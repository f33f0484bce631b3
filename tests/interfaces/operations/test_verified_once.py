"""A company is verified by one process at a time, so none opens what another has closed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from compliance.history import actions, queries
from compliance.history.models import HistoryHead
from compliance.interfaces.operations import tasks, verification
from compliance.interfaces.operations.errors import BeingVerifiedError
from compliance.interfaces.operations.models import VerificationRun
from compliance.tenancy import context
from tests.companies import NOW, make_company


@pytest.mark.usefixtures("committed")
def test_a_verification_that_read_a_row_before_it_was_changed_opens_no_company_that_another_closed():
    company = make_company()
    company.join("Anna")
    actions.capture_all(company.organization_id, NOW)
    told: list[BaseException | None] = []

    def change_and_verify() -> None:
        try:
            HistoryHead.objects.filter(organization_id=company.organization_id).update(chain_hash="f" * 64)
            tasks.verify(str(company.organization_id))  # the nightly one has nothing to do
            verification.verify_company(company.organization_id, lambda: NOW)
        finally:
            connection.close()

    def when_the_history_was_read(execute, sql, params, many, given):
        if "operations_verificationrun" in sql and not told:
            with ThreadPoolExecutor(1) as threads:
                told.append(threads.submit(change_and_verify).exception(60))
        return execute(sql, params, many, given)

    with connection.execute_wrapper(when_the_history_was_read):
        verification.verify_company(company.organization_id, lambda: NOW)
    assert [type(each) for each in told] == [BeingVerifiedError]
    with context.company(company.organization_id):
        runs = VerificationRun.objects.filter(organization_id=company.organization_id)
        assert set(runs.values_list("well", flat=True)) == {True}  # nobody has found the change yet
    tasks.verify(str(company.organization_id))
    assert not queries.head(company.organization_id).available
