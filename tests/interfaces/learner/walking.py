"""A person at a keyboard, in a window whose network requests and errors are recorded."""

import os
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from tests.interfaces.accessibility import axe, sniffer
from tests.interfaces.learner import hearing

WIDTHS = (320, 1280)
_MOST_TABS = 120
_AT = """() => {
  let at = document.activeElement;
  if (!at || at === document.body) return null;
  const words = text => (text || "").replace(/\\s+/g, " ").trim();
  const shown = at.matches("input[type=radio], input[type=checkbox]") ? at.closest("label") || at : at;
  const style = getComputedStyle(shown), own = getComputedStyle(at);
  const box = shown.getBoundingClientRect();
  return {
    id: at.id, tag: at.localName, type: at.type || "", value: at.value || "",
    name: words(at.getAttribute("aria-label")) || words((at.labels && at.labels[0] || at).innerText),
    ringed: [style, own].some(each => each.outlineStyle !== "none" && parseFloat(each.outlineWidth) >= 2) ||
      at.localName === "iframe" || at.localName === "audio" || at.localName === "video" || at.localName === "main",
    inside: box.bottom > 0 && box.top < innerHeight,
  };
}"""
_SPACED = """spaced => {
  const sheet = new CSSStyleSheet();  // the text spacing that readers may set for themselves (WCAG 1.4.12)
  sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important; }"
    + "* { word-spacing: .16em !important; } p { margin-block-end: 2em !important; }");
  document.adoptedStyleSheets = spaced ? [sheet] : [];
}"""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Walker:
    """A person in a window of their own. `complaints` collects whatever no page of the walk may do."""

    def __init__(self, browser: Any, served: str, **window: Any) -> None:
        self.host = urlsplit(served).netloc
        self.complaints: list[str] = []
        self.context: BrowserContext = browser.new_context(base_url=served, reduced_motion="reduce", **window)
        self.context.on("request", self._asks)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error}"))

    def _asks(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != self.host:
            self.complaints.append(f"{self.page.url} asks {request.url}")

    def _heard(self, said: Any) -> None:
        if said.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {said.text}")

    def tab_to(self, name: str, *, tag: str = "", back: bool = False) -> None:
        """Moves by Tab, or by Shift and Tab, to what is called `name`; the focus must be visible at every step."""
        met = []
        for _ in range(_MOST_TABS):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            at = self.page.evaluate(_AT)
            if at is None:
                continue
            met.append(at["name"] or at["id"] or at["tag"])
            assert at["ringed"], f"Nothing shows that {met[-1]!r} has the focus, on {self.page.url}"
            assert at["inside"], f"{met[-1]!r} has the focus outside of the window, on {self.page.url}"
            if (name in at["name"] or name == at["id"]) and (not tag or tag == at["tag"]):
                return
        raise AssertionError(f"On {self.page.url} Tab does not lead to {name!r} but to {met}")

    def press(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def follow(self, name: str, *, tag: str = "") -> None:
        """Moves to a link or a button by Tab, presses Enter, and waits for its page."""
        self.tab_to(name, tag=tag)
        with self.page.expect_navigation():
            self.press("Enter")
        self.page.wait_for_load_state()

    def choose(self, group: str, value: str) -> None:
        """Chooses one of a question's answers by Tab and the arrow keys, as a person without a mouse does."""
        inputs = self.page.locator(f"#question-{group} input:not([type=hidden])")
        several = inputs.first.get_attribute("type") == "checkbox"
        wanted = f"choice-{group}_{value}"
        for _ in range(_MOST_TABS):
            self.press("Tab")
            at = self.page.evaluate(_AT)
            if at is None or not at["id"].startswith(f"choice-{group}_"):
                continue
            assert at["ringed"], f"Nothing shows that {at['name']!r} has the focus, on {self.page.url}"
            if several and at["id"] != wanted:
                continue
            if not several and at["id"] == wanted:
                self.press("Space")
            while not several and at["id"] != wanted:
                self.press("ArrowDown")
                at = self.page.evaluate(_AT)
            if several:
                self.press("Space")
            return
        raise AssertionError(f"Tab does not lead to the answers of {group}.")

    def refused(self) -> None:
        """A form was answered with its faults, on purpose: the browser's message about that is no complaint."""
        self.complaints = [each for each in self.complaints if "status of 422" not in each]

    def look(self, name: str) -> None:
        """No finding of axe-core and HTML_CodeSniffer, light and dark, nothing too wide, and all that is seen is heard.

        With SCREENSHOTS, a picture of each size.
        """
        folder, size = os.environ.get("SCREENSHOTS"), self.page.viewport_size
        for width in (320, 390, 1280) if folder else WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 844})
            for spaced in (False, True):
                self.page.evaluate(_SPACED, spaced)
                if self.page.evaluate(_TOO_WIDE) > 0:
                    self.complaints.append(f"{name} is wider than {width} px{' with wide text' if spaced else ''}")
            self.page.evaluate(_SPACED, False)
            for scheme in ("light", "dark") if folder else ():
                self.page.emulate_media(color_scheme=scheme)
                self.page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        found = [
            *axe.findings(self.page, WIDTHS),
            *sniffer.findings(self.page, WIDTHS),
            *hearing.differences(self.page),
        ]
        self.complaints += [f"{name}: {each}" for each in found]
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        if size:
            self.page.set_viewport_size(size)
