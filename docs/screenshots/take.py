"""Takes the console's screenshots again from a running demo: `make demo`, then `python docs/screenshots/take.py`.

Each page at 1280 and at 390 pixels, light and dark; `evidence-summary.png` is the first page of a pack's summary and is
made by hand. COMPLIANCE_FOLDER names the demo's folder, as everywhere.
"""

import json
import os
import re
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("COMPLIANCE_FOLDER", HERE.parent.parent / "var"))
HEIGHT, STORY_HEIGHT = 900, 1500


def main() -> None:
    """Signs in as the demo's administrator and writes the pictures beside this file."""
    demo = json.loads((FOLDER / "demo.json").read_text())
    company = f"{demo['base_url']}/console/companies/{demo['organizations'][0]['organization_id']}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.goto(demo["admin"]["url"])
        page.get_by_label("Name").fill(demo["admin"]["username"])
        page.get_by_label("Password").fill(demo["admin"]["password"])
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Companies").wait_for()
        addresses = _addresses(page, company)
        state = page.context.storage_state()
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                opened = browser.new_context(
                    viewport={"width": width, "height": HEIGHT},
                    color_scheme=scheme,
                    storage_state=state,
                    locale="en-GB",
                )
                shown = opened.new_page()
                for name, address in addresses.items():
                    shown.goto(address)
                    if name == "preview":
                        shown.get_by_label("Course", exact=True).select_option(label="Gifts, favours and bribery")
                        shown.get_by_role("button", name="Show what will change").click()
                    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                    assert shown.evaluate(fits), (name, width)
                    ending = ("-390" if width == 390 else "") + ("-dark" if scheme == "dark" else "")
                    height = STORY_HEIGHT if name == "story" and width == 390 else HEIGHT
                    shown.set_viewport_size({"width": width, "height": height})
                    shown.screenshot(path=HERE / f"console-{name}{ending}.png")
                opened.close()
        browser.close()
    sys.stdout.write(f"{4 * len(addresses)} pictures in {HERE}\n")


def _addresses(page: Page, company: str) -> dict[str, str]:
    """The pages to show: the most eventful of the first records, its person, a receipt."""
    page.goto(f"{company}/registers/training-records/")
    stories = re.findall(r"/records/training-records/[0-9a-f-]{36}/", page.content())
    story = max(stories, key=lambda each: _events(page, company + each))
    page.goto(company + story)
    person = page.locator("main a[href*='/people/']").first.get_attribute("href") or ""
    page.goto(f"{company}/registers/acknowledgements/")
    receipt = page.locator("main a[href*='/receipts/']").nth(3).get_attribute("href") or ""
    page.goto(f"{company}/teams/")
    team = page.get_by_role("link", name="Production").get_attribute("href") or ""
    page.goto(f"{company}/policies/")
    policy = page.get_by_role("link", name="Code of conduct").get_attribute("href") or ""
    learner = person.rstrip("/").rpartition("/")[2]
    base = company.partition("/console/")[0]
    return {
        "today": f"{company}/",
        "team": base + team,
        "policy": f"{base}{policy}?as_at=2026-03-31",
        "reports": f"{company}/reports/",
        "dashboard": f"{company}/dashboard/",
        "time-travel": f"{company}/registers/training-records/?as_at=2026-03-31&known=20",
        "story": company + story,
        "person": base + person,
        "work": f"{company}/work-list/",
        "matrix": f"{company}/matrix/",
        "receipt": f"{base}{receipt}?verify=1",
        "stored": f"{company.replace('/companies/', '/staff/records/')}/rows/1000/",
        "preview": f"{company}/act/waive/?learner_profile_id={learner}",
    }


def _events(page: Page, address: str) -> int:
    page.goto(address)
    return page.locator("ol.story > li").count() + 3 * page.locator("table.changes").count()


if __name__ == "__main__":
    main()
