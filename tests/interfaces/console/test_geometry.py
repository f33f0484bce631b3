"""Tables in a browser: cells are below their headings and touch no others; rows on phones are cards or three lines."""

import uuid

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from compliance.history.actions import capture_all
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import COMPLIANCE_MANAGER, GROUPS
from compliance.interfaces.console.understand import refreshing
from compliance.registers.listings import LISTINGS
from compliance.tenancy import context
from tests.interfaces.console.companies import full_company
from tests.verbs import share_lesson

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

# The faults of a page's tables, in words. A cell is measured by its text and pictures, not only by its box.
MEASURE = """narrow => {
  const faults = [];
  const near = (one, other) => Math.abs(one - other) <= 1;
  const inside = (cell, box, name) => {
    for (const each of cell.querySelectorAll("*")) {
      const r = each.getBoundingClientRect();
      const seen = r.width > 2 && r.height > 2;  // what only screen readers get is one pixel large
      const out = r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1;
      if (seen && out)
        faults.push(`${name}: ${each.tagName} sticks out of its cell`);
    }
    const range = document.createRange();
    range.selectNodeContents(cell);
    for (const r of range.getClientRects())
      if (r.width > 2 && (r.left < box.left - 1 || r.right > box.right + 1))
        faults.push(`${name}: its text sticks out of its cell`);
  };
  const words = cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return [...range.getClientRects()].filter(each => each.width > 2 && each.height > 2);
  };
  const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
    && one.top < other.bottom - 2 && other.top < one.bottom - 2;
  const card = row => {  // of three lines: what it says overlaps nowhere
    const cells = [...row.cells].filter(each => each.getBoundingClientRect().width);
    const lines = new Set(cells.map(each => getComputedStyle(each).gridRowStart));
    if (lines.size > 3) faults.push(`a card of ${lines.size} lines`);
    if (row.closest(".lines") && !cells.some(each => each.className.includes("line-title")))
      faults.push("a card without a title");
    for (const [place, cell] of cells.entries()) {
      const box = cell.getBoundingClientRect();
      if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${cell.className}: outside of the page`);
      for (const other of cells.slice(place + 1))
        if (words(cell).some(one => words(other).some(two => meet(one, two))))
          faults.push(`${cell.className} and ${other.className} overlap`);
    }
  };
  for (const table of document.querySelectorAll("main table.stacks, main table.lines")) {
    if (narrow && table.matches(".lines, .brief")) {
      for (const row of table.tBodies[0].rows) card(row);
      continue;
    }
    const heads = [...table.tHead.rows[0].cells];
    for (const row of table.tBodies[0].rows) {
      const cells = [...row.cells];
      if (cells.length !== heads.length) faults.push(`${cells.length} cells under ${heads.length} heads`);
      let before = null;
      cells.forEach((cell, place) => {
        const name = heads[place].innerText.trim() || heads[place].textContent.trim();
        const box = cell.getBoundingClientRect();
        if (!cell.dataset.name && table.matches(".stacks") && !cell.matches(".choose"))
          faults.push(`${name}: the cell does not name its column`);
        if (box.width === 0) return;  // an empty one, which a card leaves out
        if (narrow) {
          if (box.left < -1 || box.right > innerWidth + 1) faults.push(`${name}: outside of the page`);
          if (before && box.top < before.bottom - 1) faults.push(`${name}: overlaps the cell above`);
        } else {
          const head = heads[place].getBoundingClientRect();
          if (!near(box.left, head.left) || !near(box.right, head.right)) faults.push(`${name}: not under its head`);
          if (before && box.left < before.right - 1) faults.push(`${name}: overlaps the cell before`);
          if (before && !near(box.top, before.top)) faults.push(`${name}: not in line with its row`);
        }
        inside(cell, box, name);
        before = box;
      });
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  return [...new Set(faults)];
}"""

# Tables that are wider than their frame, and words that have no room for three letters.
SQUEEZED = """() => [
  ...[...document.querySelectorAll("main .wide:not(:has(.weeks, .matrix))")]
    .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => `scrolls: ${each.innerText.slice(0, 40)}`),
  ...[...document.querySelectorAll("main td a, main td .badge")]
    .filter(each => each.offsetWidth && each.innerText.length > 3 && each.offsetWidth < 24)
    .map(each => `squeezed: ${each.innerText}`),
]"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_cells_of_every_table_lie_under_their_heads_and_do_not_overlap(width: int, full, desk) -> None:
    organization_id = full.company.organization_id
    share_lesson(
        organization_id=organization_id, course_id=full.course.course_id, lesson_release_id=uuid.uuid4(), title="Doors",
        version=1, content_sha256="0" * 64, at=timezone.now(),
    )  # fmt: skip  # its row of courses has the longest badge
    with context.company(organization_id):
        capture_all(organization_id, timezone.now())
    refreshing.refresh(organization_id, timezone.now())
    page: Page = desk(COMPLIANCE_MANAGER, width)
    rows, faults = {}, {}
    for each in PAGES:
        if (
            "GET" not in each.methods
            or each.name.startswith(("act-", "confirm-"))
            or any(word in each.path for word in ("job_id", "export", "readings/<", "/file/"))
        ):
            continue
        wanted = {part.split(">")[0].rpartition(":")[2] for part in each.path.split("<")[1:]}
        values = {name: full.samples.get(name) for name in wanted}
        if each.permission not in GROUPS[COMPLIANCE_MANAGER] or None in values.values():
            continue
        if each.company:
            values["organization_id"] = full.company.organization_id
        if each.name == "policy-page":
            continue  # the samples have no policy; tests/interfaces/console/policies has pages of policies
        page.goto(reverse(f"console:{each.name}", kwargs=values))
        rows[each.name] = page.locator("main table:is(.stacks, .lines) > tbody > tr").count()
        faults[each.name] = page.evaluate(MEASURE, width < 560)
    assert {name: found for name, found in faults.items() if found} == {}
    assert all(rows[register_page(name)] for name in LISTINGS), rows
    assert all(rows[name] for name in ("work", "matrix", "captures", "person")), rows


LONG = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswessenschafe"
PAGES_WITH_NAMES = ("course", "dashboard", "log-person", "matrix", "person", "team", "training-records", "webhooks")


@pytest.mark.parametrize("width", [390, 1280])
def test_names_without_a_blank_stay_inside_of_the_page_and_of_their_cells(width: int, committed, desk) -> None:
    full = full_company(2, LONG)
    company = full.company
    team = company.team(f"{LONG}ward", at=company.now)
    person = company.join(LONG, at=company.start, team_ids=(team,), account_email="long@example.org")
    course = company.course(f"{LONG}course")
    company.share(course, days=10)
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    refreshing.refresh(company.organization_id, timezone.now())
    known = {"learner_profile_id": person.learner_profile_id, "team_id": team, "course_id": course.course_id}
    page: Page = desk(COMPLIANCE_MANAGER, width)
    faults = {}
    for each in PAGES:
        if each.name in PAGES_WITH_NAMES:
            values = {name: value for name, value in known.items() if f":{name}>" in each.path}
            page.goto(reverse(f"console:{each.name}", kwargs=values | {"organization_id": company.organization_id}))
            expect(page.get_by_text(LONG).first).to_be_attached()
            faults[each.name] = page.evaluate(MEASURE, width < 560) + page.evaluate(SQUEEZED)
    assert faults == {name: [] for name in PAGES_WITH_NAMES}
