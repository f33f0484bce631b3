"""Staff at work in a real browser, as each group: sign in, travel in time, read a story, act (issue 8)."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from compliance.interfaces.console.models import AccessLog, Job
from compliance.interfaces.console.tasks import run_job
from compliance.interfaces.console.who_may import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.tenancy import context
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.conftest import PASSWORD, make_staff

expect.set_options(timeout=30_000)  # a machine that builds other things too answers late
pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def full(committed):
    """A company that the server sees."""
    return full_company(4, f"Browser {uuid.uuid4().hex[:8]}")


@pytest.fixture
def desk(browser, served):
    """Opens the console as a member of a group, at a width, light or dark; whatever the browser complains of fails."""
    complaints: list[str] = []
    contexts = []

    def open_as(group: str, width: int = 1280, scheme: str = "light") -> Page:
        user = make_staff(f"{group}-{uuid.uuid4().hex[:8]}", group)
        opened = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=served)
        contexts.append(opened)
        page = opened.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto("/console/")
        page.get_by_label("Name").fill(user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Companies")).to_be_visible()
        return page

    yield open_as
    for opened in contexts:
        opened.close()
    assert complaints == []


def _fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page.url


@pytest.mark.parametrize(
    "group, width, scheme", [(OPERATOR, 1280, "light"), (COMPLIANCE_MANAGER, 390, "dark"), (AUDITOR, 390, "light")]
)
def test_each_group_walks_from_a_company_to_a_story_and_a_proof(group, width, scheme, full, desk):
    page = desk(group, width, scheme)
    page.get_by_label("Name or id").fill(str(full.company.organization_id))
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Browser").click()
    expect(page.get_by_text("healthy")).to_be_visible()
    _fits(page)
    if width < 860:
        page.locator("label[for=menu]").click()
    page.get_by_role("link", name="Training records", exact=True).click()
    expect(page.locator("main")).to_contain_text("4 rows")
    _fits(page)
    page.get_by_label("As at (day)").fill((full.company.start.date()).isoformat())
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("main")).to_contain_text("You see")
    page.get_by_role("link", name="Story").first.click()
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
        page.get_by_label("Choose this record").nth(number).check()
    page.get_by_role("button", name="Waive records").click()
    page.get_by_label("Why they need not").select_option("medical")
    page.get_by_role("button", name="Show what will change").click()
    expect(page.locator("main")).to_contain_text("Nothing has been changed yet")
    expect(page.locator("main")).to_contain_text("2 row versions will be written")
    page.get_by_label("Why you do this").fill("Asked for by the company")
    page.get_by_role("button", name="Waive records").click()
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
