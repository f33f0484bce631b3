"""Home and the personal pages in a real browser: no findings of axe-core, nothing too wide, at most 60 KB."""

from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.facts.lines.kinds import Certificate
from compliance.learning import sessions
from compliance.rules.vocabulary import CertificateKind, Requirement
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_present_company, noon
from tests.interfaces.accessibility import axe
from tests.learning.courses_to_take import lesson, page, take_in, teach

pytestmark = pytest.mark.browser
MOST = 60 * 1024


@pytest.fixture
def window(browser: Any, served: str) -> Any:
    """A page where Anna is signed in, with a late task, one due soon, one done, and a certificate."""
    company = make_present_company("Harbour Works")
    anna = company.join("Anna Reis", at=noon(40))
    _has_a_life(company, anna)
    with context.company(company.organization_id):
        token = sessions.begin(company.organization_id, anna.learner_profile_id, "Chromium", datetime.now(UTC))
    made = browser.new_context(base_url=served)
    made.add_cookies([{"name": "learner", "value": token, "url": served}])
    yield made.new_page()
    made.close()


def _has_a_life(company: Company, anna: Any) -> None:
    told = Certificate(title="Forklift", kind=CertificateKind.COMPLETION, valid_months=12)
    forklift = company.course("Forklift", certificate=told)
    company.share(forklift)
    company.complete(anna, forklift, noon(20))
    company.share(company.course("Ladders"), days=60)
    company.share(company.course("Late", noon(90)), due_at=noon(3))
    company.share(company.course("As one likes"), requirement=Requirement.OPTIONAL)
    team = company.team("Warehouse")
    verbs.add_to_team(
        organization_id=company.organization_id, at=noon(39), now=datetime.now(UTC), team_id=team,
        learner_profile_id=anna.learner_profile_id,
    )  # fmt: skip
    teach(company, lesson("one", page("p1"), page("p2")), title="Fire safety")
    take_in(company)


def too_wide(shown: Any) -> int:
    shown.set_viewport_size({"width": 320, "height": 800})
    width: int = shown.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width


def test_nothing_is_wrong_with_any_of_the_pages_in_either_direction(window: Any) -> None:
    for address in ("/learn/", "/learn/done", "/learn/about-me"):
        window.goto(address)
        assert too_wide(window) <= 0, address
        assert axe.findings(window) == [], address
    window.goto("/learn/done")
    window.locator("a[href*=certificates]").first.click()
    window.locator("summary").filter(has_text="check it").click()
    assert too_wide(window) <= 0
    assert axe.findings(window) == []
    window.set_extra_http_headers({"accept-language": "ar"})
    window.goto("/learn/")
    assert window.locator("html").get_attribute("dir") == "rtl"
    assert too_wide(window) <= 0


def test_home_loads_at_most_60_kb_from_this_host_alone_and_every_task_is_reached_by_keyboard(
    window: Any, served: str
) -> None:
    loaded: list[tuple[str, int]] = []
    window.on("response", lambda answer: loaded.append((answer.url, len(answer.body()))))
    window.goto("/learn/")
    window.wait_for_load_state("networkidle")
    assert loaded
    assert all(url.startswith(served) for url, _ in loaded)
    assert sum(size for _, size in loaded) <= MOST, loaded
    reached = []
    for _ in range(20):
        window.keyboard.press("Tab")
        reached.append(window.evaluate("document.activeElement.textContent.trim()"))
    wanted = ["Fire safety", "What you have done", "What is kept about you"]
    assert [each for each in wanted if each not in reached] == []
