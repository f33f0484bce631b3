"""People sign in a real browser: typed and drawn, by mouse, touch and keyboard, on a phone and a desk."""

import os
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from compliance.facts.policies.chain import verify
from compliance.facts.policies.models import RawSignature, Receipt
from compliance.interfaces.pages.links import SigningLink, make_token
from compliance.tenancy import context
from tests.facts.story import Story

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}


class Signer:
    """Somebody with a personal link and a window; any error of the page's scripts or CSP fails the test."""

    def __init__(self, shared: tuple[Story, uuid.UUID], browser: Any, served: str, **window: Any) -> None:
        story, share_id = shared
        self.profile_id = story.employee("Ana Reis")
        self.story = story
        link = SigningLink(story.organization_id, share_id, self.profile_id, datetime.now(UTC) + timedelta(days=1))
        self.complaints: list[str] = []
        self.page = browser.new_page(**window)
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(f"{served}/sign/{make_token(link, datetime.now(UTC))}")
        self.page.get_by_role("button", name="Open the policy").click()

    def shot(self, name: str) -> None:
        """Saves a picture if SCREENSHOTS is set."""
        if os.environ.get("SCREENSHOTS"):
            self.page.screenshot(path=f"{os.environ['SCREENSHOTS']}/{name}.png", full_page=True)

    def confirm(self) -> None:
        """Reads and agrees."""
        assert "Lock your screen" in self.page.frame_locator("iframe").locator("body").inner_text()
        self.page.get_by_label(re.compile("I have read the policy")).check()

    def finish(self, button: str = "Sign the policy") -> Receipt:
        """Submits, and finds the receipt on the page and in the chain."""
        self.page.get_by_role("button", name=button).click()
        self.page.get_by_role("button", name="Show the receipt").click()
        self.page.get_by_text("is recorded.").wait_for()
        self.page.wait_for_load_state()
        with context.company(self.story.organization_id):
            receipt = Receipt.objects.get(learner_profile_id=self.profile_id)
            assert verify(self.story.organization_id) >= 1
        body = self.page.locator("main").inner_text()
        for value in (receipt.receipt_sha256, receipt.previous_sha256, receipt.document_sha256, receipt.receipt_id):
            assert str(value) in body
        assert self.complaints == []
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert self.page.evaluate(overflow) <= 0
        return receipt

    def signature(self, receipt: Receipt) -> Any:
        """The stored signature."""
        with context.company(self.story.organization_id):
            return RawSignature.objects.get(receipt_id=receipt.receipt_id).signature


@pytest.fixture
def shared(served: str) -> tuple[Story, uuid.UUID]:
    story = Story(datetime.now(UTC))
    _, share_id = story.shared_policy()
    return story, share_id


@pytest.mark.parametrize("window", [PHONE, DESK], ids=["phone", "desk"])
def test_a_typed_signature(shared: Any, browser: Any, served: str, window: Any) -> None:
    signer = Signer(shared, browser, served, viewport=window)
    signer.confirm()
    signer.page.get_by_label("Type your full name").fill("Ana Reis")
    signer.shot(f"sign-typed-{window['width']}")
    receipt = signer.finish()
    signer.shot(f"receipt-typed-{window['width']}")
    assert signer.signature(receipt) == {"typed": "Ana Reis"}
    signer.page.reload()
    assert receipt.receipt_sha256 in signer.page.locator("main").inner_text()
    signer.page.close()


def test_a_signature_drawn_with_a_mouse_and_with_the_keyboard(shared: Any, browser: Any, served: str) -> None:
    signer = Signer(shared, browser, served, viewport=DESK, color_scheme="dark")
    signer.confirm()
    signer.page.get_by_label("Draw my signature").check()
    pad = signer.page.locator("#pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    mouse = signer.page.mouse
    mouse.move(box["x"] + 60, box["y"] + 120)
    mouse.down()
    for step in range(1, 12):
        mouse.move(box["x"] + 60 + step * 18, box["y"] + (70 if step % 2 else 140))
    mouse.up()
    pad.focus()
    for key in ["Space", *["ArrowRight"] * 8, *["ArrowDown"] * 3, "Space"]:
        signer.page.keyboard.press(key)
    signer.page.get_by_text("2 strokes drawn.").wait_for()
    signer.shot("sign-drawn-1280")
    receipt = signer.finish()
    signer.shot("receipt-drawn-1280")
    drawn = signer.signature(receipt)["drawn"]
    assert [len(stroke) >= 6 for stroke in drawn] == [True, True]
    assert drawn[1][:2] == [150, 100]
    assert drawn[1][-2:] == [182, 112]
    assert signer.page.locator("svg.signature polyline").count() == 2
    signer.page.close()


def test_a_signature_drawn_with_a_finger_on_a_phone(shared: Any, browser: Any, served: str) -> None:
    signer = Signer(shared, browser, served, viewport=PHONE, has_touch=True, is_mobile=True)
    signer.confirm()
    signer.page.get_by_label("Draw my signature").check()
    pad = signer.page.locator("#pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    touch = signer.page.context.new_cdp_session(signer.page)

    def send(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": box["x"] + x, "y": box["y"] + y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    send("touchStart", (40, 60))
    for step in range(1, 8):
        send("touchMove", (40 + step * 30, 90 if step % 2 else 40))
    send("touchEnd")
    signer.page.get_by_text("One stroke drawn.").wait_for()
    signer.shot("sign-drawn-390")
    receipt = signer.finish()
    assert len(signer.signature(receipt)["drawn"][0]) >= 8
    signer.shot("receipt-drawn-390")
    signer.page.close()


def test_without_javascript_a_typed_signature_works(shared: Any, browser: Any, served: str) -> None:
    signer = Signer(shared, browser, served, viewport=PHONE, java_script_enabled=False)
    signer.page.get_by_label(re.compile("I have read the policy")).check()
    signer.page.get_by_label("Type your full name").fill("Ana Reis")
    signer.page.get_by_role("button", name="Sign the policy").click()
    signer.page.get_by_role("button", name="Show the receipt").click()
    signer.page.get_by_text("Your signature is recorded.").wait_for()
    with context.company(signer.story.organization_id):
        assert Receipt.objects.get().learner_profile_id == signer.profile_id
    signer.page.close()
