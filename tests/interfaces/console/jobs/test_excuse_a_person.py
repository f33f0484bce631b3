"""The job: excuse a person from everything that falls due between two days; four clicks at most."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from tests.interfaces.accessibility import axe
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser


def test_a_person_is_excused_while_away_by_at_most_four_clicks(full, desk) -> None:
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, full.company.organization_id)
    today = timezone.now().date()
    walk.click(page.locator("nav.side").get_by_role("link", name="Excuse while away"))
    walk.type("Person", "Person 003")
    walk.type("From", (today - timedelta(days=99)).isoformat())
    walk.type("To", (today + timedelta(days=40)).isoformat())
    walk.button("Show what will change")
    expect(page.locator("main")).to_contain_text("instead of")
    assert axe.findings(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / "excusing.png", full_page=True)
    walk.type("Why you do this", "Leave, as agreed with her team")
    walk.button("Excuse while away")
    expect(page.get_by_role("status").first).to_contain_text("The person is excused")
    assert walk.clicks <= 4
    for width in (1280, 390, 320):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            if folder := os.environ.get("SCREENSHOTS"):
                page.screenshot(path=Path(folder) / f"excused {width} {scheme}.png", full_page=True)
