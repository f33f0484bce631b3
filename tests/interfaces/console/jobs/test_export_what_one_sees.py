"""The job: export the displayed list to Excel; two clicks at most."""

import pytest
from python_calamine import CalamineWorkbook

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand import refreshing
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_a_list_is_taken_into_a_workbook_by_at_most_two_clicks(full, desk, tmp_path) -> None:
    refreshing.refresh(full.company.organization_id, full.company.now)
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, full.company.organization_id)
    walk.click(page.locator("nav.side").get_by_role("link", name="Work list"))
    shown = [text.strip() for text in page.locator("thead th:not(.choose)").all_inner_texts()]
    with page.expect_download() as download:
        walk.link("Excel")
    book = tmp_path / "list.xlsx"
    download.value.save_as(book)
    rows = CalamineWorkbook.from_path(str(book)).get_sheet_by_index(0).to_python()
    assert set(shown) - {"Why"} <= set(rows[0])
    assert {row[0] for row in rows[1:]} == {"Person 001", "Person 002", "Person 003"}
    assert walk.clicks <= 2
