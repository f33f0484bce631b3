"""HR's spreadsheet in a real browser: its preview, and the choice of columns."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.tasks import run_job
from tests.interfaces.accessibility import axe
from tests.provisioning.spreadsheets.exports import employees, personio, renamed

pytestmark = pytest.mark.browser


def _keep(page: Page, name: str) -> None:
    """Saves a screenshot of the page if `SCREENSHOTS` names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_the_preview_is_without_a_finding_and_its_columns_are_changed_on_the_page(full, desk, tmp_path) -> None:
    people = employees(30)
    first, later = tmp_path / "first.csv", tmp_path / "later.csv"
    first.write_bytes(personio(people))
    later.write_bytes(personio([renamed(people[0], "Lovelace"), people[1], *employees(34)[24:], people[1]]))
    page = desk(OPERATOR)
    address = f"/console/companies/{full.company.organization_id}/act/import-people/"
    page.goto(address)
    _keep(page, "form")
    assert axe.findings(page) == []
    page.get_by_label("HR's spreadsheet").set_input_files(first)
    page.get_by_role("button", name="Show what will change").click()
    page.get_by_label("Why you do this").fill("HR's list of new people")
    page.get_by_role("button", name="Take in this file").click()
    job_id = re.search(r"/work/([0-9a-f-]{36})/", page.url)
    assert job_id
    run_job(str(full.company.organization_id), job_id[1])
    page.goto(address)
    page.get_by_label("HR's spreadsheet").set_input_files(later)
    page.get_by_label("The file names everybody").check()
    page.get_by_role("button", name="Show what will change").click()
    expect(page.locator("dl.pairs")).to_contain_text("Join4Change1Move0Leave")
    assert axe.findings(page) == []
    for width in (1280, 390, 320):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            _keep(page, f"preview {width} {scheme}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Take the wrong rows along").click()
    assert download.value.suggested_filename == "wrong-rows.xlsx"
    page.get_by_label("What the column Vorname holds").select_option("Not used")
    page.get_by_label("What the column E-Mail holds").select_option("Not used")
    page.get_by_label("What the column Personalnummer holds").select_option("Not used")
    page.get_by_role("button", name="Look again").click()
    expect(page.get_by_role("alert")).to_contain_text("No column is matched to the e-mail address")
    assert axe.findings(page) == []
    _keep(page, "columns")
