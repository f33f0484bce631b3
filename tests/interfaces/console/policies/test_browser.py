"""Policies written and read in a real browser: from Word to publication, in the editor, without scripts, printed."""

import uuid

import pytest
from playwright.sync_api import expect

from compliance.facts.policies.queries import newest_row
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.tenancy import context
from tests.interfaces.accessibility import axe
from tests.interfaces.console.jobs.walking import Walk
from tests.interfaces.console.policies.documents import docx, paragraph, picture, run, table

pytestmark = pytest.mark.browser


@pytest.fixture
def travel(tmp_path):
    """A Word document with a picture, which a policy cannot hold."""
    path = tmp_path / "travel.docx"
    body = (paragraph("Scope", "berschrift1"), paragraph("For ", inside=run("all", "<w:b/>") + picture()))
    path.write_bytes(docx(paragraph("Travel", "Titel"), *body, table(("Hotel", "140"))))
    return path


def published(full, page):
    """The newest version of the policy whose page is open."""
    course_id = uuid.UUID(page.url.split("/policies/of/")[1].split("/")[0])
    with context.company(full.company.organization_id):
        return newest_row(full.company.organization_id, course_id)


def test_a_policy_comes_from_word_and_is_mended_in_the_editor_before_it_is_published(full, desk, travel):
    walk = Walk(desk(COMPLIANCE_MANAGER), full.company.organization_id)
    page, main = walk.page, walk.page.locator("main")
    walk.link("Policies", page.locator("nav.side"))
    walk.link("New policy", main)
    walk.file("Word or Markdown file", travel)
    walk.button("Show what will change")
    expect(main).to_contain_text("1 picture was left out")
    expect(page.get_by_role("region", name="What travel.docx says")).to_contain_text("Hotel")
    expect(page.get_by_role("region", name="What people will read").get_by_role("cell", name="140")).to_be_visible()
    walk.button("Edit this text")
    sheet = page.get_by_role("textbox", name="Text of the policy")
    sheet.get_by_text("140").click()
    page.keyboard.press("End")
    page.keyboard.type(" EUR")
    walk.button("Show what will change")
    page.get_by_label("Why you do this").fill("Decided by the board")
    walk.button("Publish a policy")
    expect(page.get_by_role("heading", name="Travel", level=1)).to_be_visible()
    assert published(full, page).html.splitlines() == [
        "<h1>Travel</h1>",
        "<h2>Scope</h2>",
        "<p>For <strong>all</strong></p>",
        "<table><tbody><tr><td><p>Hotel</p></td><td><p>140 EUR</p></td></tr></tbody></table>",
    ]
    assert walk.clicks <= 8


def test_the_editor_makes_nothing_that_is_refused(full, desk):
    """Text is typed, formatted with the tools, and pasted with all kinds of web markup."""
    page = desk(COMPLIANCE_MANAGER)
    page.goto(f"/console/companies/{full.company.organization_id}/act/publish-policy/")
    sheet = page.get_by_role("textbox", name="Text of the policy")
    sheet.click()
    page.keyboard.type("Care")
    page.keyboard.press("Enter")
    page.keyboard.type("Lock it")
    page.keyboard.press("Shift+Home")
    page.get_by_role("button", name="Bold").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    sheet.evaluate(
        """sheet => {
            const data = new DataTransfer();
            data.setData("text/html", `<div style="color:red" onclick="x()">
                <h6>Deep</h6><p class=MsoNormal>Go<o:p></o:p>
                <img src=x onerror="document.title='ran'"><script>document.title='ran'<\\/script></p></div>`);
            sheet.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    page.get_by_role("button", name="Show what will change").click()
    made = page.get_by_role("region", name="What people will read")
    expect(made.get_by_role("heading", name="Care", level=1)).to_be_visible()
    expect(made.get_by_role("heading", name="Deep", level=4)).to_be_visible()
    expect(made.locator("strong")).to_have_text("Lock it")
    expect(made).to_contain_text("Go")
    assert made.locator("img, script, [style], [class], [onclick]").count() == 0
    assert page.title().startswith("Publish a policy")


def test_without_script_markdown_is_written_into_the_same_field(full, desk, browser, served):
    signed_in = desk(COMPLIANCE_MANAGER).context.storage_state()
    opened = browser.new_context(java_script_enabled=False, storage_state=signed_in, base_url=served)
    try:
        page = opened.new_page()
        page.goto(f"/console/companies/{full.company.organization_id}/act/publish-policy/")
        page.get_by_label("Text", exact=True).fill("# Care\n\nLock *it*, <script>x</script> please.")
        page.get_by_role("button", name="Show what will change").click()
        expect(page.get_by_role("region", name="What people will read").locator("em")).to_have_text("it")
        expect(page.locator("main")).to_contain_text("1 script, form or embedded page was left out.")
        page.get_by_role("button", name="Edit this text").click()
        expect(page.get_by_label("Text", exact=True)).to_have_value("<h1>Care</h1>\n<p>Lock <em>it</em>,  please.</p>")
    finally:
        opened.close()


def test_pages_of_policies_have_nothing_that_axe_finds(full, desk, travel):
    page = desk(COMPLIANCE_MANAGER)
    company = f"/console/companies/{full.company.organization_id}"
    page.goto(f"{company}/policies/")
    page.locator("main").get_by_role("link", name="Code of conduct").click()
    for address in (
        f"{company}/policies/",
        page.url,
        f"{company}/policies/{full.samples['course_release_id']}/",
        f"{company}/receipts/{full.samples['receipt_id']}/",
        f"{company}/act/publish-policy/",
    ):
        page.goto(address)
        for folded in page.locator("main details").all():
            folded.locator("summary").click()
        look(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_label("Word or Markdown file").set_input_files(travel)
    page.get_by_role("button", name="Show what will change").click()
    look(page)


def look(page):
    """Checks that axe finds nothing, and that at 320 pixels nothing scrolls sideways."""
    page.wait_for_load_state()
    assert axe.findings(page) == [], page.url
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page.url


def test_a_receipt_prints_with_its_words_and_without_the_console(full, desk):
    page = desk(AUDITOR)
    page.goto(f"/console/companies/{full.company.organization_id}/receipts/{full.samples['receipt_id']}/")
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    page.emulate_media(media="print")
    receipt = page.locator("section.receipt")
    expect(receipt).to_contain_text("I will follow it.")
    expect(receipt).to_contain_text("P. Person")
    expect(receipt).to_contain_text("SHA-256")
    for hidden in ("nav.side", "header.top", ".doings"):
        expect(page.locator(hidden)).to_be_hidden()
