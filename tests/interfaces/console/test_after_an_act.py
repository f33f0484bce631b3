"""After an act its page has the new state, or says that it is coming."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone
from playwright.sync_api import expect

from compliance.facts.ledger.models import PendingSubject
from compliance.history.actions import capture_all
from compliance.interfaces.console import awaiting
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.interfaces.console.test_acting import company, confirm, preview, record_ids

__all__ = ["company"]

COMING = "waits for the history"


def _suspended(client, company):
    """The address that suspending somebody leads to."""
    anna = company.join("Anna Berg")
    record_ids(company)
    _, sent = preview(client, company, "suspend", learner_profile_id=str(anna.learner_profile_id))
    return confirm(client, company, "suspend", sent).url


@pytest.mark.django_db
def test_where_the_writer_lags_the_page_says_that_the_new_state_is_coming_and_looks_again(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    where = _suspended(client, company)
    page = client.get(where)
    assert COMING in page.content.decode()
    assert page.headers["Refresh"].startswith("2;url=")
    record_ids(company)  # captures
    page = client.get(where)
    assert COMING not in page.content.decode()
    assert 'badge warn">Suspended' in page.content.decode()
    assert "Refresh" not in page.headers


@pytest.mark.django_db
def test_what_the_writer_could_not_decide_is_said(staff, company):
    client = staff(COMPLIANCE_MANAGER)
    where = _suspended(client, company)
    with context.company(company.organization_id):
        PendingSubject.objects.update(attempts=1, set_aside_reason="refused")
    page = client.get(where)
    assert "could not decide it yet" in page.content.decode()
    assert "Refresh" not in page.headers


@pytest.mark.django_db
@pytest.mark.parametrize("told", ["", "soon", "-1", "9" * 17, "9" * 40, "1", "٣"])
def test_an_address_that_speaks_of_no_act_waits_for_nothing(staff, company, told, monkeypatch):
    monkeypatch.setattr(awaiting, "WAITS_SECONDS", 60)
    company.join("Anna Berg")
    record_ids(company)
    company.join("Ben Ito")  # pending
    began = time.monotonic()
    page = staff(COMPLIANCE_MANAGER).get(
        f"/console/companies/{company.organization_id}/registers/people/", {"told": told}
    )
    assert (page.status_code, COMING in page.content.decode()) == (200, False)
    assert time.monotonic() - began < 30


@pytest.mark.django_db
def test_an_old_address_waits_for_nothing(staff, company):
    told = timezone.now() - awaiting.LOOKED_FOR - timedelta(seconds=1)
    company.join("Anna Berg")
    with context.company(company.organization_id):
        PendingSubject.objects.update(recorded_at=told)
    page = awaiting.address(f"/console/companies/{company.organization_id}/act/", told)
    assert COMING not in staff(COMPLIANCE_MANAGER).get(page).content.decode()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_after_an_act_the_page_waits_for_the_writer_and_shows_the_new_state(full, desk, monkeypatch, width):
    monkeypatch.setattr(awaiting, "WAITS_SECONDS", 60)
    organization_id, anna = full.company.organization_id, full.people[0]
    page = desk(COMPLIANCE_MANAGER, width)
    page.goto(f"/console/companies/{organization_id}/people/{anna.learner_profile_id}/")
    expect(page.locator(".lead .badge")).to_have_text("Active")
    page.locator(".act-menu > summary").click()
    page.get_by_role("button", name="Suspend").click()
    page.get_by_label("Why you do this").fill("Asked for by the company")
    writer = threading.Thread(target=_write_soon, args=[organization_id])
    writer.start()
    page.get_by_role("button", name="Suspend").click()
    expect(page.locator(".lead .badge")).to_have_text("Suspended")
    writer.join()
    expect(page.locator("main")).to_contain_text("The person is suspended.")
    expect(page.locator("main")).not_to_contain_text(COMING)


def _write_soon(organization_id):
    """Captures a little later, like the writer."""
    while True:
        with context.company(organization_id), transaction.atomic():
            if PendingSubject.objects.filter(organization_id=organization_id).exists():
                break
        time.sleep(0.05)
    time.sleep(0.5)
    capture_all(organization_id, timezone.now())
    connection.close()
