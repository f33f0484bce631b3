"""People sign within their pages in a real browser: by keyboard, by drawing, and without scripts."""

import os
import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import RawSignature, Receipt
from compliance.learning import sessions
from compliance.tenancy import context
from tests.facts.story import Story
from tests.interfaces.accessibility import axe

pytestmark = pytest.mark.browser


class Signer:
    """Ana in a window, signed in and at the policy; errors of the page's scripts or content policy fail the test."""

    def __init__(self, browser: Any, served: str, **window: Any) -> None:
        self.story = Story(datetime.now(UTC))
        self.version, _ = self.story.shared_policy()
        self.profile_id: uuid.UUID = self.story.employee("Ana Reis")
        with context.company(self.story.organization_id):
            token = sessions.begin(self.story.organization_id, self.profile_id, "Chromium", datetime.now(UTC))
        self.context = browser.new_context(base_url=served, **window)
        self.context.add_cookies([{"name": "learner", "value": token, "url": served}])
        self.complaints: list[str] = []
        self.page: Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(f"/learn/policies/{self.version.course_id}")

    def _heard(self, said: Any) -> None:
        if said.type == "error" and "status of 422" not in said.text:  # the answer to a form with a fault
            self.complaints.append(said.text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, name: str) -> None:
        """Presses Tab until the element with that id or text has the focus."""
        for _ in range(40):
            self.page.keyboard.press("Tab")
            at = self.page.evaluate("[document.activeElement.id, document.activeElement.textContent.trim()]")
            if name in at:
                return
        raise AssertionError(f"Tab does not lead to {name}.")

    def signature(self) -> Any:
        """The stored signature."""
        with context.company(self.story.organization_id):
            assert verify(self.story.organization_id) == 1
            return RawSignature.objects.get(receipt_id=Receipt.objects.get().receipt_id).signature

    def look(self, name: str) -> None:
        """No findings, nothing wider than a phone of 320 px; with SCREENSHOTS, a picture of each size."""
        folder = os.environ.get("SCREENSHOTS")
        for width in (320, 390, 1280) if folder else (320,):
            self.page.set_viewport_size({"width": width, "height": 844})
            too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert self.page.evaluate(too_wide) <= 0
            for scheme in ("light", "dark") if folder else ():
                self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                self.page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        assert axe.findings(self.page) == []

    def close(self) -> None:
        assert self.complaints == []
        self.context.close()


@pytest.fixture
def window(browser: Any, served: str) -> Any:
    """Makes a window."""
    return lambda **options: Signer(browser, served, **options)


def test_by_keyboard_alone_with_another_name_that_is_confirmed(window: Any) -> None:
    signer = window()
    page = signer.page
    expect(page.frame_locator("iframe.policy").locator("body")).to_contain_text("Lock your screen")
    signer.look("policy")
    signer.tab_to("typed")
    page.keyboard.type("Ana Reis")
    signer.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Confirm the statement")
    expect(page.get_by_label("Type your full name")).to_have_value("Ana Reis")
    signer.look("policy-fault")
    signer.tab_to("agree")
    signer.press("Space")
    signer.tab_to("typed")
    signer.press("Control+a")
    page.keyboard.type("Ana M. Reis")
    signer.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Is this the name to sign with?")
    signer.look("other-name")
    signer.tab_to("Sign as Ana M. Reis")
    signer.press("Enter")
    expect(page.get_by_text("Your signature is recorded.")).to_be_visible()
    assert signer.signature() == {"typed": "Ana M. Reis"}
    signer.look("receipt")
    page.locator("details.fold").evaluate("each => { each.open = true; }")
    signer.look("receipt-open")
    signer.tab_to("The policy as you signed it")
    signer.press("Enter")
    expect(page.frame_locator("iframe.policy").locator("body")).to_contain_text("Lock your screen")
    signer.look("as-signed")
    signer.close()


def test_a_signature_drawn_with_a_mouse_and_with_the_keyboard(window: Any) -> None:
    signer = window(viewport={"width": 390, "height": 844})
    page = signer.page
    page.get_by_label(re.compile("I have read the policy")).check()
    page.get_by_label("Draw my signature").check()
    pad = page.locator("#pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 30, box["y"] + 60)
    page.mouse.down()
    for step in range(1, 12):
        page.mouse.move(box["x"] + 30 + step * 12, box["y"] + (40 if step % 2 else 80))
    page.mouse.up()
    pad.focus()
    signer.press("Space", *["ArrowRight"] * 8, *["ArrowDown"] * 3, "Space")
    expect(page.get_by_text("Strokes drawn: 2.")).to_be_visible()
    signer.look("drawn")
    page.get_by_role("button", name="Sign the policy").click()
    expect(page.locator("svg.signature polyline")).to_have_count(2)
    assert len(signer.signature()["drawn"]) == 2
    signer.look("receipt-drawn")
    signer.close()


def test_what_was_drawn_is_there_again_after_a_fault(window: Any) -> None:
    signer = window()
    page = signer.page
    page.get_by_label("Draw my signature").check()
    page.locator("#pad").focus()
    signer.press("Space", *["ArrowRight"] * 8, "Space")
    page.get_by_role("button", name="Sign the policy").click()
    expect(page.get_by_role("alert")).to_contain_text("Confirm the statement first")
    expect(page.get_by_text("One stroke drawn.")).to_be_visible()
    page.get_by_label(re.compile("I have read the policy")).check()
    page.get_by_role("button", name="Sign the policy").click()
    expect(page.locator("svg.signature polyline")).to_have_count(1)
    signer.close()


def test_without_script_a_typed_signature_works(window: Any) -> None:
    signer = window(java_script_enabled=False)
    page = signer.page
    page.get_by_label(re.compile("I have read the policy")).check()
    page.get_by_label("Type your full name").fill("Ana Reis")
    page.get_by_role("button", name="Sign the policy").click()
    expect(page.get_by_text("Your signature is recorded.")).to_be_visible()
    expect(page.get_by_role("button", name="Print this receipt")).to_have_count(0)
    assert signer.signature() == {"typed": "Ana Reis"}
    signer.close()
