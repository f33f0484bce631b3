"""axe-core, pinned by a lock file beside this module and fetched once by `npm ci` into `var/accessibility`.

It runs inside the page that is looked at, handed over by the browser's own protocol, so the page's content security
policy stays as it is. Every rule of axe-core runs, best practices and target sizes (WCAG 2.2, 2.5.8) among them.
"""

import hashlib
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "var" / "accessibility"

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


@lru_cache(maxsize=1)
def script() -> str:
    """The text of axe-core. Skips the test where npm is missing; what npm refuses is a failure."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing, by which axe-core is fetched: apt-get install -y npm")
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = FOLDER / "installed"
    digest = hashlib.sha256(lock).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, FOLDER / name)
        subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)
        stamp.write_text(digest)
    return (FOLDER / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def findings(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it stands, at both widths, light and dark: rule, element, reason.

    Every rule is run at both widths; of light and dark, only contrast can differ.
    """
    page.evaluate(script())
    found = []
    orders: tuple[tuple[Literal["light", "dark"], ...], ...] = (("light", "dark"), ("dark", "light"))
    for width, schemes in zip(WIDTHS, orders, strict=True):
        page.set_viewport_size({"width": width, "height": 900})
        for number, scheme in enumerate(schemes):
            page.emulate_media(color_scheme=scheme)
            said = page.evaluate(_RUN, _COLOURS if number else _RULES)
            found += [f"{width} {scheme}: {each}" for each in said]
    return found
