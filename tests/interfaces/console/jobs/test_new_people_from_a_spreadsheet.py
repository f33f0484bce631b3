"""The job: import fifty new people, with their teams, from HR's spreadsheet."""

import re

import pytest
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import OPERATOR
from compliance.interfaces.console.tasks import run_job
from tests.interfaces.console.jobs.walking import Walk
from tests.provisioning.spreadsheets.exports import employees, personio

pytestmark = pytest.mark.browser


def test_fifty_new_people_come_in_with_their_teams_by_at_most_six_clicks(full, desk, tmp_path):
    file = tmp_path / "new people.csv"
    file.write_bytes(personio(employees(50)))
    organization_id = full.company.organization_id
    page = desk(OPERATOR)
    walk = Walk(page, organization_id)
    walk.link("People from a spreadsheet")
    walk.file("HR's spreadsheet", file)
    walk.button("Show what will change")
    expect(page.locator("dl.pairs").first).to_contain_text("Join50")
    expect(page.locator("main")).to_contain_text("new teams will be made")
    walk.type("Why you do this", "HR's list of new people")
    walk.button("Take in this file")
    expect(page.locator("main")).to_contain_text("Waits for the worker")
    job_id = re.search(r"/work/([0-9a-f-]{36})/", page.url)
    assert job_id
    run_job(str(organization_id), job_id[1])
    expect(page.get_by_role("status").first).to_contain_text("50 join")
    assert walk.clicks <= 6
