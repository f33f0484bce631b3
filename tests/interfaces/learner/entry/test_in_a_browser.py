"""Signing in, in a real browser: by keyboard, without scripts, and without findings of axe-core."""

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from compliance.learning import links
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon
from tests.interfaces.accessibility import axe

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def window(browser: Any, served: str) -> Iterator[Page]:
    """A window as wide as a small phone."""
    opened: BrowserContext = browser.new_context(
        base_url=served, viewport={"width": 320, "height": 640}, reduced_motion="reduce"
    )
    yield opened.new_page()
    opened.close()


@pytest.fixture
def plain(browser: Any, served: str) -> Iterator[Page]:
    """A window of a browser that runs no scripts."""
    opened: BrowserContext = browser.new_context(
        base_url=served, viewport={"width": 320, "height": 640}, java_script_enabled=False
    )
    yield opened.new_page()
    opened.close()


@pytest.fixture
def company(committed: None) -> Any:
    """A company whose rows the server in this process sees."""
    return make_present_company(f"Entry {uuid.uuid4().hex[:8]}")


def link(company: Any, **what: Any) -> str:
    now = what.pop("now", datetime.now(UTC))
    with context.company(company.organization_id):
        return f"/learn/in/{links.make(company.organization_id, now=now, life=timedelta(hours=1), **what)}"


def looked_at(page: Page, name: str) -> list[str]:
    """The findings on the page, as it is and with its menu open; and whether it is wider than its window."""
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    wrong = [f"{name}: {each}" for each in axe.findings(page)]
    page.set_viewport_size({"width": 320, "height": 640})
    wide = page.evaluate("document.documentElement.scrollWidth")
    return wrong + ([f"{name}: {wide} px wide"] if wide > 320 else [])


def test_every_page_of_coming_in_is_without_a_finding(company: Any, window: Page) -> None:
    anna, ben = (company.join(name, at=noon(9)).learner_profile_id for name in ("Anna", "Ben"))
    invitation_id = verbs.invite_person(
        organization_id=company.organization_id, at=noon(3), now=datetime.now(UTC), work_email="d@w.example",
        person_name="Dana",
    )  # fmt: skip
    found = []
    for name, address in (
        ("asking", "/learn/"),
        ("asked", "/learn/asked"),
        ("link", link(company, learner_profile_id=anna)),
        ("ran out", link(company, learner_profile_id=anna, now=datetime.now(UTC) - timedelta(days=1))),
        ("invitation", link(company, invitation_id=invitation_id)),
        ("broken", "/learn/in/broken"),
        ("nothing", "/learn/nothing"),
    ):
        window.goto(address)
        found += looked_at(window, name)
    window.goto("/learn/")
    window.get_by_label("Your e-mail address").fill("anna")
    window.get_by_role("button", name="Send me a link").click()
    expect(window.get_by_role("alert")).to_be_visible()
    found += looked_at(window, "asking, with a fault")
    window.goto(link(company, learner_profile_id=anna))
    window.get_by_role("button", name="Open my pages").click()
    window.goto("/learn/devices")
    found += looked_at(window, "devices")
    window.goto(link(company, learner_profile_id=ben))
    found += looked_at(window, "somebody else")
    window.goto("/learn/devices")
    window.get_by_role("button", name="Sign out", exact=True).click()
    found += looked_at(window, "signed out")
    assert found == []


def test_one_comes_in_and_goes_out_by_keyboard_alone_and_without_script(company: Any, plain: Page) -> None:
    anna = company.join("Anna", at=noon(9)).learner_profile_id
    plain.goto(link(company, learner_profile_id=anna, leads_to="devices"))
    plain.keyboard.press("Tab")
    assert plain.locator(":focus").inner_text() == "Skip to the content"
    for _ in range(9):
        plain.keyboard.press("Tab")
        if plain.locator(":focus").inner_text() == "Open my pages":
            break
    plain.keyboard.press("Enter")
    expect(plain).to_have_url(re.compile("/learn/devices$"))
    plain.locator("details.menu summary").focus()
    plain.keyboard.press("Enter")
    plain.get_by_role("button", name="العربية").focus()
    plain.keyboard.press("Enter")
    expect(plain.locator("html")).to_have_attribute("dir", "rtl")
    expect(plain).to_have_url(re.compile("/learn/devices$"))
    plain.locator("nav form button").focus()
    plain.keyboard.press("Enter")
    expect(plain).to_have_url(re.compile("/learn/out$"))
    plain.goto("/learn/devices")
    assert plain.url.endswith("/learn/?to=devices")


def test_the_way_in_weighs_little_and_asks_no_other_host(window: Page, served: str) -> None:
    asked: list[str] = []
    weights: list[int] = []
    window.on("request", lambda request: asked.append(request.url))
    window.on("response", lambda response: weights.append(len(response.body())))
    window.goto("/learn/", wait_until="networkidle")
    assert [each for each in asked if not each.startswith(served)] == []
    assert sum(weights) < 60_000
