"""Compares what a page gives to screen readers with what is visible on it.

Chromium's accessibility tree is what it gives to screen readers. Every visible heading, link, button, field and group
of answers has to be in it, in the same order, with its role, and with its visible text as its name.
"""

from itertools import pairwise
from typing import Any, NamedTuple

from playwright.sync_api import Page

_SEEN = """() => {
  const words = text => (text || "").replace(/\\s+/g, " ").trim();
  const kinds = {a: "link", button: "button", summary: "DisclosureTriangle", fieldset: "group", iframe: "Iframe",
    img: "image", textarea: "textbox"};
  const found = [];
  for (const each of document.querySelectorAll("h1, h2, h3, h4, h5, h6, a[href], button, summary, textarea, fieldset,"
      + "input:not([type=hidden]), iframe, img")) {
    const box = each.getBoundingClientRect();
    if (!each.checkVisibility({checkVisibilityCSS: true, checkOpacity: true}) || each.alt === ""
      || each.closest("[aria-hidden=true], .hidden")  // for those who see alone, and for those who hear alone
      || box.width < 2 || box.height < 2 || box.bottom + scrollY < 0) continue;
    const level = /^h[1-6]$/.test(each.localName) ? Number(each.localName[1]) : 0;
    const kind = level ? "heading" : kinds[each.localName]
      || (["radio", "checkbox"].includes(each.type) ? each.type : "textbox");
    const text = {fieldset: () => each.querySelector("legend")?.innerText, iframe: () => each.title,
      img: () => each.alt}[each.localName] || (() => (each.labels && each.labels[0] || each).innerText);
    found.push({kind, level, words: words(text())});
  }
  return found;
}"""
_SAME = {
    "radiogroup": "group", "searchbox": "textbox", "img": "image", "summary": "DisclosureTriangle",
    "disclosuretriangle": "DisclosureTriangle", "iframe": "Iframe", "Iframe": "Iframe",
}  # fmt: skip


class Told(NamedTuple):
    """One element of a page: its role and its name."""

    kind: str
    words: str


def told(page: Page) -> list[Told]:
    """The accessible elements, in reading order."""
    session = page.context.new_cdp_session(page)
    nodes: dict[str, Any] = {each["nodeId"]: each for each in session.send("Accessibility.getFullAXTree")["nodes"]}
    session.detach()
    found, waiting = [], [next(iter(nodes))]
    while waiting:
        node = nodes[waiting.pop()]
        waiting += [child for child in reversed(node.get("childIds", [])) if child in nodes]
        role = node.get("role", {}).get("value", "")
        if not node.get("ignored"):
            found.append(Told(_SAME.get(role, role), " ".join(str(node.get("name", {}).get("value", "")).split())))
    return found


def differences(page: Page) -> list[str]:
    """Visible elements that are missing or have another role, and accessible ones without a name."""
    seen = page.evaluate(_SEEN)
    heard = told(page)
    missing, at = [], 0
    for each in seen:
        wanted = _plain(each["words"])
        found = next(
            (
                number
                for number in range(at, len(heard))
                if heard[number].kind == each["kind"] and wanted in _plain(heard[number].words) and heard[number].words
            ),
            None,
        )
        if found is None:
            missing.append(f"seen and not told: {each['kind']} {each['words']!r}")
        else:
            at = found
    unnamed = [
        f"told without a name: {each.kind}"
        for each in heard
        if each.kind in ("link", "button", "heading", "textbox", "checkbox", "radio", "image") and not each.words
    ]
    levels = [each["level"] for each in seen if each["level"]]
    skipped = [
        f"a heading of level {after} follows one of level {before}"
        for before, after in pairwise(levels)
        if after > before + 1
    ]
    tops = [] if levels.count(1) == 1 else [f"{levels.count(1)} headings of level 1"]
    return [*missing, *unnamed, *skipped, *tops]


def announced(page: Page) -> list[str]:
    """The present text of live regions."""
    said = page.evaluate(
        """() => [...document.querySelectorAll("[role=status], [role=alert], [aria-live=polite]")]
          .filter(each => each.checkVisibility()).map(each => each.innerText.replace(/\\s+/g, " ").trim())"""
    )
    return [each for each in said if each]


def _plain(words: str) -> str:
    return "".join(each for each in words.casefold() if each.isalnum())
