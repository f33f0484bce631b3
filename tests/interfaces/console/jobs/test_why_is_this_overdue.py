"""The job: find out why something is overdue, in one sentence with the deadline's arithmetic; two clicks at most."""

import os
import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand import refreshing
from tests.interfaces.accessibility import axe
from tests.interfaces.console.jobs.walking import Walk

pytestmark = pytest.mark.browser
BECAUSE = re.compile(r"Overdue since \d+ \w+ \d{4}: added on \d+ \w+ \d{4}, 10 days later is \d+ \w+ \d{4}\.")


def test_why_something_is_overdue_is_said_by_at_most_two_clicks(full, desk) -> None:
    refreshing.refresh(full.company.organization_id, timezone.now())
    page = desk(COMPLIANCE_MANAGER)
    walk = Walk(page, full.company.organization_id)
    walk.click(page.locator("nav.side").get_by_role("link", name="Work list"))
    walk.click(page.locator("main").get_by_role("link", name="Person 003").first)
    expect(page.locator("main .why").first).to_have_text(BECAUSE)
    assert walk.clicks <= 2
    assert axe.findings(page) == []
    for width in (1280, 390, 320):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            if folder := os.environ.get("SCREENSHOTS"):
                page.screenshot(path=Path(folder) / f"why {width} {scheme}.png", full_page=True)
