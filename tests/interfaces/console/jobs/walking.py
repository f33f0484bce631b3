"""A walk through the console that counts clicks, to measure the effort of a job.

Clicks are following a link, pressing a button, ticking a box, opening a menu, choosing a file or confirming. Typing and
choosing in a select or a picker do not count.
"""

from typing import Any

from playwright.sync_api import Locator, Page


class Walk:
    """One job, beginning on a company's first page; `clicks` counts those made so far."""

    def __init__(self, page: Page, organization_id: Any) -> None:
        self.page = page
        self.clicks = 0
        page.goto(f"/console/companies/{organization_id}/")

    def link(self, name: str, within: Locator | None = None) -> None:
        """Follows the first link of exactly this name."""
        self.click((within or self.page).get_by_role("link", name=name, exact=True).first)

    def button(self, name: str, within: Locator | None = None) -> None:
        """Presses the first button of exactly this name."""
        self.click((within or self.page).get_by_role("button", name=name, exact=True).first)

    def tick(self, label: str) -> None:
        """Ticks a box or a radio button."""
        self.click(self.page.get_by_label(label, exact=True).first)

    def file(self, label: str, path: Any) -> None:
        """Chooses a file."""
        self.clicks += 1
        self.page.get_by_label(label).set_input_files(path)

    def click(self, what: Locator) -> None:
        """Clicks on anything else."""
        self.clicks += 1
        what.click()

    def type(self, label: str, words: str) -> None:
        """Types into a field, which does not count."""
        self.page.get_by_label(label, exact=True).first.fill(words)

    def select(self, label: str, option: str) -> None:
        """Chooses in a select, which does not count."""
        self.page.get_by_label(label, exact=True).first.select_option(label=option)
