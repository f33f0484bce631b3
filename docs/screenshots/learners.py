"""Takes the learners' screenshots again from a running demo: `make demo`, then `python docs/screenshots/learners.py`.

Each page at 390 pixels, light and dark, and at 1280; home in Arabic too. The first learner of the demo begins a course
on the way and signs nothing. COMPLIANCE_FOLDER names the demo's folder, as everywhere.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("COMPLIANCE_FOLDER", HERE.parent.parent / "var"))
HEIGHTS = {390: 844, 1280: 900}
LOOKS = ((390, "light", "-390"), (390, "dark", "-390-dark"), (1280, "light", ""), (1280, "dark", "-dark"))
COURSE = "Fire safety in the workplace"


def main() -> None:
    """Comes in by the link of the demo's first learner and writes the pictures beside this file."""
    demo = json.loads((FOLDER / "demo.json").read_text())
    base, link = demo["base_url"], demo["organizations"][0]["learners"][0]["link"]
    taken = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        state = _come_in(browser, link)
        for width, scheme, ending in LOOKS:
            opened = browser.new_context(
                viewport={"width": width, "height": HEIGHTS[width]},
                color_scheme=scheme,
                storage_state=state,
                locale="en-GB",
                reduced_motion="reduce",
            )
            page = opened.new_page()
            for name, go in PAGES.items():
                page.goto(f"{base}/learn/")
                go(page)
                fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                assert page.evaluate(fits), (name, width)
                page.screenshot(path=HERE / f"learner-{name}{ending}.png")
                taken += 1
            opened.close()
        browser.close()
    sys.stdout.write(f"{taken} pictures in {HERE}\n")


def _come_in(browser: Any, link: str) -> Any:
    """The state of a browser that has used the link."""
    page = browser.new_context(locale="en-GB").new_page()
    page.goto(link)
    page.locator("main button").first.click()
    page.wait_for_url("**/learn/")
    return page.context.storage_state()


def _home(page: Page) -> None:
    pass


def _course(page: Page) -> None:
    page.get_by_role("link", name=COURSE).click()


def _page(page: Page) -> None:
    _course(page)
    page.locator("main a.button").first.click()


def _policy(page: Page) -> None:
    page.locator("main a[href*='/policies/']").first.click()  # which one is owed depends on the day
    page.frame_locator("iframe").locator("h1").wait_for()


def _done(page: Page) -> None:
    page.get_by_role("link", name="What you have done").click()


def _certificate(page: Page) -> None:
    _done(page)
    page.locator("a[href*='/certificates/']").first.click()


def _receipt(page: Page) -> None:
    _done(page)
    page.locator("a[href*='/receipts/']").first.click()


def _about(page: Page) -> None:
    page.get_by_role("link", name="What is kept about you").click()


PAGES: dict[str, Callable[[Page], None]] = {
    "home": _home,
    "course": _course,
    "page": _page,
    "policy": _policy,
    "done": _done,
    "certificate": _certificate,
    "receipt": _receipt,
    "about": _about,
}


if __name__ == "__main__":
    main()
