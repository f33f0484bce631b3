"""The chart of weeks in a browser: it displays its values on hover and on focus, and links to the rows."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER
from compliance.interfaces.console.understand import refreshing

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_the_values_of_a_week_are_displayed_on_hover_and_focus_and_lead_to_their_rows(full, desk):
    organization_id = full.company.organization_id
    refreshing.refresh(organization_id, timezone.now())
    page = desk(COMPLIANCE_MANAGER)
    page.goto(reverse("console:dashboard", args=[organization_id]))
    slider, readout = page.get_by_role("slider", name="Week"), page.locator(".readout")
    expect(readout).to_contain_text("today")
    box = page.locator(".plot").bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    expect(slider).to_have_js_property("value", "0")
    expect(readout).not_to_contain_text("today")
    slider.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    week = page.locator("table.weeks tbody tr").nth(1)
    value_text = slider.get_attribute("aria-valuetext")
    cells = [week.locator("td").nth(number).text_content().strip() for number in range(4)]
    assert value_text == f"{cells[0]}: {cells[2]} / {cells[1]}, {cells[3]}"
    done = readout.get_by_role("link").first
    number = done.text_content()
    done.click()
    page.wait_for_url("**show=required-done**")
    expect(page.locator("main")).to_contain_text(f"{number} ")
