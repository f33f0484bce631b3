"""axe-core, which finds what is wrong with a page.

It runs inside the page that is looked at, handed over by the browser's own protocol, so the page's content security
policy stays as it is. Every rule of axe-core runs, best practices and target sizes (WCAG 2.2, 2.5.8) among them.
"""

from typing import Literal

from playwright.sync_api import Page

from tests.interfaces.accessibility import npm

SCRIPT = "axe-core/axe.min.js"
WIDTHS = (1280, 390)
_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
          "rules": {"target-size": {"enabled": True}}}  # fmt: skip
_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
_RUN = """async rules => {
  const underWay = document.getAnimations().filter(each => each instanceof CSSTransition);
  await Promise.allSettled(underWay.map(each => each.finished));  // a colour half way to another is nobody's choice
  const found = await axe.run(document, {resultTypes: ["violations"], ...rules});
  return found.violations.flatMap(each => each.nodes.map(node =>
    `${each.id}: ${node.target.join(" ")}: ${(node.any[0] || node.all[0] || node.none[0]).message}`));
}"""


def findings(page: Page, widths: tuple[int, int] = WIDTHS, *, seen_elsewhere: bool = False) -> list[str]:
    """What axe-core finds wrong with the page as it stands, at both widths, light and dark: rule, element, reason.

    Every rule is run at both widths; of light and dark, only contrast can differ. What consists of parts that are also
    `seen_elsewhere` in all four is looked at light when wide and dark when narrow.
    """
    page.evaluate(npm.script(SCRIPT))
    found = []
    orders: tuple[tuple[Literal["light", "dark"], ...], ...] = (("light", "dark"), ("dark", "light"))
    for width, schemes in zip(widths, orders, strict=True):
        page.set_viewport_size({"width": width, "height": 900})
        for number, scheme in enumerate(schemes[:1] if seen_elsewhere else schemes):
            page.emulate_media(color_scheme=scheme)
            said = page.evaluate(_RUN, _COLOURS if number else _RULES)
            found += [f"{width} {scheme}: {each}" for each in said]
    return found
