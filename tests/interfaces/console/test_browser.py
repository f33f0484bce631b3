"""Staff in a real browser, as each group: sign in, look at a past moment, read a story, act."""

import re
import zipfile

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from compliance.interfaces.console.evidence import tasks as evidence
from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.tasks import run_job
from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import context

pytestmark = pytest.mark.browser


def _fits(page: Page) -> None:
    page.wait_for_load_state()  # before that, the page may not have its style sheet
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page.url


@pytest.mark.parametrize(
    "group, width, scheme", [(OPERATOR, 1280, "light"), (COMPLIANCE_MANAGER, 390, "dark"), (AUDITOR, 390, "light")]
)
def test_each_group_walks_from_a_company_to_a_story_and_a_proof(group, width, scheme, full, desk):
    page = desk(group, width, scheme)
    page.get_by_label("Name or id").fill(str(full.company.organization_id))
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Browser").click()
    expect(page.get_by_role("heading", name="Today", exact=True).last).to_be_visible()
    _fits(page)
    if width < 860:
        page.get_by_role("button", name="Menu").click()
    page.locator("nav.side").get_by_role("link", name="Training records", exact=True).click()
    expect(page.locator("main")).to_contain_text("4 rows")
    _fits(page)
    page.get_by_label("As at the end of").fill((full.company.start.date()).isoformat())
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("main")).to_contain_text("You see")
    page.get_by_role("link", name="Why?").first.click()
    expect(page.get_by_role("heading", name="What the history says")).to_be_visible()
    _fits(page)
    page.get_by_role("link", name="Person 000").click()
    expect(page.get_by_role("heading", name="Person 000")).to_be_visible()
    _fits(page)
    page.get_by_role("link", name="Receipt", exact=True).first.click()
    page.get_by_role("link", name="Verify").click()
    expect(page.get_by_role("status")).to_contain_text("It holds.")
    _fits(page)
    page.goto(f"/console/companies/{full.company.organization_id}/act/")
    offered = page.locator("main").get_by_role("link", name="Suspend", exact=True)
    expect(offered).to_have_count(0 if group == AUDITOR else 1)


def test_a_manager_waives_a_selection_with_a_reason_and_watches_the_worker(full, desk):
    page = desk(COMPLIANCE_MANAGER)
    page.goto(f"/console/companies/{full.company.organization_id}/registers/training-records/?show=open")
    for number in range(2):
        page.locator("input[name=record_ids]").nth(number).check()
    page.get_by_role("button", name="Waive", exact=True).click()
    page.get_by_label("Why they need not").select_option("medical")
    page.get_by_role("button", name="Show what will change").click()
    expect(page.locator("main")).to_contain_text("Nothing has been changed yet")
    expect(page.locator("main")).to_contain_text("2 records change")
    page.get_by_label("Why you do this").fill("Asked for by the company")
    page.get_by_role("button", name="Waive", exact=True).click()
    expect(page.locator("main")).to_contain_text("Waits for the worker")
    job_id = re.search(r"/work/([0-9a-f-]{36})/", page.url)
    assert job_id
    run_job(str(full.company.organization_id), job_id[1])
    expect(page.get_by_role("status")).to_contain_text("2 of 2 records waived")
    with context.company(full.company.organization_id):
        assert Job.objects.get(job_id=job_id[1]).state == Job.State.DONE
    assert AccessLog.objects.get(organization_id=full.company.organization_id, act="waive-many").reason


def test_a_key_is_issued_and_shown_once(full, desk):
    page = desk(OPERATOR)
    page.goto(f"/console/companies/{full.company.organization_id}/keys/")
    page.get_by_role("link", name="Issue a key").click()
    page.get_by_label("Name", exact=True).fill("Warehouse")
    page.get_by_label("training:read").check()
    page.get_by_role("button", name="Show what will change").click()
    page.get_by_label("Why you do this").fill("Asked for by the company")
    page.get_by_role("button", name="Issue an API key").click()
    token = page.locator("#secret").inner_text()
    assert token.startswith("svc_test_")
    page.get_by_role("link", name="Done").click()
    expect(page.locator("main")).to_contain_text(token[-4:])
    assert token not in page.content()


@pytest.mark.parametrize(
    "group, width, scheme", [(OPERATOR, 390, "dark"), (COMPLIANCE_MANAGER, 1280, "light"), (AUDITOR, 1280, "dark")]
)
def test_each_group_understands_a_company_from_its_dashboard_down_to_a_cell(group, width, scheme, full, desk):
    """Dashboard, work list, matrix: each number links to its rows; operators cannot download anything."""
    organization_id = full.company.organization_id
    refreshing.refresh(organization_id, timezone.now())
    page = desk(group, width, scheme)
    main = page.locator("main")
    page.goto(f"/console/companies/{organization_id}/dashboard/")
    expect(page.get_by_role("link", name="3 Owed and not done")).to_be_visible()
    _fits(page)
    page.get_by_text("The weeks as a table").click()
    today = page.get_by_role("row", name="today")
    expect(today).to_contain_text("25 %")
    today.get_by_role("link", name="4").click()
    expect(main).to_contain_text("4 rows")
    page.go_back()
    page.get_by_role("link", name="Sales").click()
    expect(main).to_contain_text("3 rows.")
    expect(page.get_by_role("link", name="Person 001")).to_be_visible()
    _fits(page)
    page.get_by_label("Show", exact=True).select_option("unsigned")
    page.get_by_label("Team", exact=True).select_option("")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(main).to_contain_text("1 row.")
    expect(page.get_by_role("link", name="Person 003")).to_be_visible()
    page.goto(f"/console/companies/{organization_id}/matrix/")
    expect(main).to_contain_text("4 people. 1 course.")
    expect(main.get_by_role("link", name="Overdue")).to_have_count(3)
    _fits(page)
    takes = page.locator("main").get_by_role("link", name="CSV")
    expect(takes).to_have_count(0 if group == OPERATOR else 1)
    if group != OPERATOR:
        with page.expect_download() as taken:
            takes.click()
        assert "Person 003" in taken.value.path().read_text(encoding="utf-8-sig")
    main.get_by_role("link", name="On time").click()
    expect(page.get_by_role("heading", name="What the history says")).to_be_visible()
    expect(page.locator("nav.side").get_by_text("Evidence packs")).to_have_count(0 if group == OPERATOR else 1)


@pytest.mark.parametrize("group, width, scheme", [(COMPLIANCE_MANAGER, 390, "light"), (AUDITOR, 390, "dark")])
def test_whoever_may_take_things_away_has_an_evidence_pack_built(group, width, scheme, full, desk, settings, tmp_path):
    settings.LOG_FOLDER = str(tmp_path / "log")
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    page = desk(group, width, scheme)
    page.goto(f"/console/companies/{full.company.organization_id}/evidence/")
    expect(page.locator("main")).to_contain_text("No pack is kept")
    _fits(page)
    page.get_by_role("button", name="Build a pack").click()
    expect(page.locator("main")).to_contain_text("Waits for the worker")
    job_id = re.search(r"/evidence/([0-9a-f-]{36})/", page.url)
    assert job_id
    evidence.build(str(full.company.organization_id), job_id[1])
    expect(page.get_by_role("heading", name="How it is checked")).to_be_visible()
    expect(page.locator("main")).to_contain_text("4People in the period")
    _fits(page)
    with page.expect_download() as taken:
        page.get_by_role("link", name="Take the ZIP").click()
    with zipfile.ZipFile(taken.value.path()) as pack:
        assert pack.testzip() is None
        assert {"verify.py", "SHA256SUMS", "summary.pdf", "registers/people.csv"} <= set(pack.namelist())
