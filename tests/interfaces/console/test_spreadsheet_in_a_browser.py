"""HR's spreadsheet in a real browser: how many clicks it takes from the home page, and what its preview looks like."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from compliance.interfaces.console.tasks import run_job
from compliance.interfaces.console.who_may import OPERATOR
from tests.interfaces.accessibility import axe
from tests.provisioning.spreadsheets.exports import employees, personio, renamed

pytestmark = pytest.mark.browser
AT_MOST = 6


class Clicks:
    """Counts what is pressed, followed, ticked and chosen."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target: Locator) -> None:
        self.count += 1
        target.click()

    def choose(self, target: Locator, path: Path) -> None:
        self.count += 1
        target.set_input_files(path)


def _keep(page: Page, name: str) -> None:
    """A picture of the page, where `SCREENSHOTS` names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_fifty_new_people_come_in_with_their_teams_by_at_most_six_clicks(full, desk, tmp_path) -> None:
    file = tmp_path / "new people.csv"
    file.write_bytes(personio(employees(50)))
    page, click = desk(OPERATOR), Clicks()
    page.goto("/console/companies/")
    page.get_by_label("Name or id").fill(str(full.company.organization_id))
    page.get_by_label("Name or id").press("Enter")
    click(page.get_by_role("link", name="Browser"))
    click(page.locator("nav.side").get_by_role("link", name="People from a spreadsheet"))
    click.choose(page.get_by_label("HR's spreadsheet"), file)
    click(page.get_by_role("button", name="Show what will change"))
    expect(page.locator("dl.pairs")).to_contain_text("Join50")
    expect(page.locator("main")).to_contain_text("new teams will be made")
    page.get_by_label("Why you do this").fill("HR's list of new people")
    click(page.get_by_role("button", name="Take in this file"))
    expect(page.locator("main")).to_contain_text("Waits for the worker")
    job_id = re.search(r"/work/([0-9a-f-]{36})/", page.url)
    assert job_id
    run_job(str(full.company.organization_id), job_id[1])
    expect(page.get_by_role("status")).to_contain_text("50 join")
    assert click.count <= AT_MOST


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
