"""HTML_CodeSniffer, the checker inside pa11y, run inside the page that is looked at, as axe-core is.

Its errors are findings; its warnings and notices ask a person to look, and are none.
"""

from typing import Literal

from playwright.sync_api import Page

from tests.interfaces.accessibility import npm

SCRIPT = "@pa11y/html_codesniffer/build/HTMLCS.js"
_RUN = """() => new Promise((resolve, reject) => HTMLCS.process("WCAG2AA", document, () => resolve(
  HTMLCS.getMessages().filter(each => each.type === HTMLCS.ERROR).map(each =>
    `${each.code}: ${(each.element.outerHTML || "the document").slice(0, 120)}: ${each.msg}`)), reject))"""


def findings(page: Page, widths: tuple[int, ...]) -> list[str]:
    """What HTML_CodeSniffer finds wrong with the page as it stands, at each width, light and dark."""
    page.evaluate(npm.script(SCRIPT))
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found += [f"{width} {scheme}: {each}" for each in page.evaluate(_RUN)]
    return found
