"""Everything a learner does, from the link in a letter to signing out: by keyboard only, and without scripts.

Every page on the way is checked: axe-core and HTML_CodeSniffer at 320 and 1280 px, light and dark, nothing too wide,
nothing from another host, nothing that the browser complains of, and screen readers get all that is visible.
SCREENSHOTS=FOLDER keeps pictures of each.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from compliance.facts.policies.models import RawSignature
from compliance.facts.training.models import Completion
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests.interfaces.learner import hearing
from tests.interfaces.learner.walked import FILM_PAGE, Walked, blocks_of, everything, without_film
from tests.interfaces.learner.walking import Walker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

FIFTEEN = {
    "text", "heading", "list", "callout", "image", "table", "steps", "quote", "contact", "divider", "sources", "audio",
    "video", "question", "film",
}  # fmt: skip
_VERDICT = "'verdict' in document.activeElement.dataset"
MOST_BYTES = 60 * 1024


@pytest.fixture
def walkers(browser: Any, served: str) -> Iterator[Any]:
    """Makes windows, each with nothing stored."""
    made: list[Walker] = []

    def make(**window: Any) -> Walker:
        made.append(Walker(browser, served, **window))
        return made[-1]

    yield make
    for walker in made:
        walker.context.close()
    complaints = [each for walker in made for each in walker.complaints]
    assert not complaints, "\n".join(complaints)


def test_the_walk_by_keyboard_alone_with_a_film_and_on_two_devices(walkers: Any, tmp_path: Path) -> None:
    package = everything(tmp_path)
    assert blocks_of(package) == FIFTEEN
    walked = Walked(package)
    first = walkers(viewport={"width": 390, "height": 844})
    _come_in(first, walked)
    first.look("home")
    first.follow("Fire safety")
    first.look("overview")
    first.follow("Begin")
    _read_on(first, "the-alarm")
    _answer_wrong_then_right(first)

    second = walkers(viewport={"width": 1280, "height": 844})
    _come_in(second, walked)
    second.follow("Fire safety")
    second.look("overview-begun")
    second.follow("Continue")
    assert "/extinguisher-use" in second.page.url, "the other device goes on where the first one stopped"
    _finish_the_questions(second)
    _play_the_film(second)
    _look_at_the_certificate(second, walked)
    _sign(second, walked)
    second.follow("Sign out")
    expect(second.page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    second.look("signed-out")
    second.page.goto("/learn/done")
    expect(second.page.get_by_label("Your e-mail address")).to_be_visible()
    second.look("way-in")
    first.page.goto("/learn/")
    expect(first.page.get_by_text("There is nothing for you to do")).to_be_visible()
    first.look("home-done")


def _come_in(walker: Walker, walked: Walked) -> None:
    walker.page.goto(walked.link())
    walker.look("come-in")
    walker.follow("Open my pages", tag="button")
    expect(walker.page).to_have_url(re.compile("/learn/$"))


def _read_on(walker: Walker, page_id: str) -> None:
    assert walker.page.url.endswith(f"/{page_id}")
    walker.look(page_id)
    walker.follow("Continue")


def _answer_wrong_then_right(walker: Walker) -> None:
    walker.follow("Check my answer", tag="button")
    walker.refused()
    walker.look("question-left-out")
    walker.choose("blocked-stairs", "through")
    walker.follow("Check my answer", tag="button")
    expect(walker.page.locator("#question-blocked-stairs")).to_contain_text("That is not right")
    assert walker.page.evaluate(_VERDICT), "the verdict has the focus, so it is read aloud"
    walker.look("question-wrong")
    walker.choose("blocked-stairs", "other")
    walker.follow("Check my answer", tag="button")
    expect(walker.page.locator("#question-blocked-stairs")).to_contain_text("That is right")
    walker.look("question-right")


def _finish_the_questions(walker: Walker) -> None:
    walker.look("extinguisher-use")
    for value in ("heat", "cover"):
        walker.choose("burning-fat", value)
    walker.follow("Check my answer", tag="button")
    walker.follow("Continue")
    walker.look("prevention")
    walker.choose("wedge", "false")
    walker.follow("Check my answer", tag="button")
    walker.follow("Continue")
    assert walker.page.url.endswith(f"/{FILM_PAGE}")


def _play_the_film(walker: Walker) -> None:
    page = walker.page
    walker.look("film")
    walker.tab_to("Play the film", tag="button")
    walker.press("Enter")
    question = page.locator("[data-asked-in] [data-question]")
    for _ in range(20):
        if question.is_visible():
            break
        walker.tab_to("Next scene", tag="button")
        walker.press("Enter")
    expect(page.locator("[data-status]")).to_have_text("The film has paused for a question.")
    assert "The film has paused for a question." in hearing.announced(page)
    assert page.evaluate("document.activeElement.localName") == "fieldset", "the question has the focus"
    prompt = question.locator("legend").inner_text()
    assert any(each.kind == "group" and prompt in each.words for each in hearing.told(page))
    expect(page.get_by_role("button", name="Next scene")).to_be_disabled()
    walker.look("film-question")
    walker.choose("give-away", "length")
    walker.tab_to("Check my answer", tag="button")
    walker.press("Enter")
    expect(question.locator("[data-verdict]")).to_contain_text("That is not right")
    assert page.evaluate("'verdict' in document.activeElement.dataset"), (
        "the verdict has the focus, so it is read aloud"
    )
    walker.look("film-wrong")
    walker.choose("give-away", "length")
    for value in ("sender", "hurry", "greeting"):
        walker.choose("give-away", value)
    walker.tab_to("Check my answer", tag="button")
    walker.press("Enter")
    expect(question.locator("[data-verdict]")).to_contain_text("That is right")
    for _ in range(20):
        if "The film has ended." in hearing.announced(page):
            break
        walker.tab_to("Next scene", tag="button")
        walker.press("Enter")
    expect(page.locator("#onward").get_by_role("link", name="Finish")).to_be_visible()
    walker.look("film-ended")
    walker.follow("Finish")


def _look_at_the_certificate(walker: Walker, walked: Walked) -> None:
    expect(walker.page.get_by_role("heading", level=1)).to_have_text("You have finished this course")
    walker.look("finished")
    with context.company(walked.organization_id):
        (completion,) = Completion.objects.all()
        assert completion.learner_profile_id == walked.profile_id
    walked.take_in()
    walker.page.reload()
    walker.follow("Your certificate")
    expect(walker.page.get_by_role("heading", level=1)).to_contain_text("Safe at work")
    walker.look("certificate")
    walker.page.goto("/learn/done")
    walker.look("done")
    walker.page.goto("/learn/about-me")
    walker.look("about-me")
    walker.page.goto("/learn/devices")
    walker.look("devices")


def _sign(walker: Walker, walked: Walked) -> None:
    walker.page.goto("/learn/")
    walker.follow("Use of devices")
    walker.look("policy")
    walker.tab_to("agree")
    walker.press("Space")
    walker.tab_to("typed")
    walker.page.keyboard.type("Ana Reis")
    with walker.page.expect_navigation():
        walker.press("Enter")
    expect(walker.page.get_by_text("Your signature is recorded.")).to_be_visible()
    walker.look("receipt")
    with context.company(walked.organization_id):
        assert RawSignature.objects.get().signature == {"typed": "Ana Reis"}
    walked.take_in()


def test_the_walk_without_script(walkers: Any, tmp_path: Path) -> None:
    package = without_film(tmp_path)
    assert blocks_of(package) == FIFTEEN - {"film"}
    walked = Walked(package)
    walker = walkers(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page = walker.page

    def press(name: str) -> None:
        with page.expect_navigation():
            page.get_by_role("button", name=name).click()

    def follow(name: str) -> None:
        with page.expect_navigation():
            page.get_by_role("link", name=name, exact=True).first.click()

    page.goto(walked.link())
    press("Open my pages")
    follow("Fire safety in the workplace")
    follow("Begin")
    follow("Continue")
    press("Check my answer")
    expect(page.get_by_role("alert")).to_contain_text("Choose an answer")
    walker.refused()
    page.locator("#choice-blocked-stairs_through").check()
    press("Check my answer")
    expect(page.locator("#question-blocked-stairs")).to_contain_text("That is not right")
    page.locator("#choice-blocked-stairs_other").check()
    press("Check my answer")
    page.goto("/learn/")
    follow("Fire safety in the workplace")
    follow("Continue")
    for _ in range(6):
        if page.url.endswith("/finished/"):
            break
        _answer_what_is_asked(page)
        follow("Finish" if page.get_by_role("link", name="Finish", exact=True).count() else "Continue")
    expect(page.get_by_role("heading", level=1)).to_have_text("You have finished this course")
    walked.take_in()
    page.reload()
    follow("Your certificate")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Safe at work")
    page.goto("/learn/")
    follow("Use of devices")
    page.locator("#agree").check()
    page.locator("#typed").fill("Ana Reis")
    press("Sign the policy")
    expect(page.get_by_text("Your signature is recorded.")).to_be_visible()
    press("Sign out")
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    with context.company(walked.organization_id):
        assert Completion.objects.count() == 1
        assert RawSignature.objects.count() == 1


def _answer_what_is_asked(page: Page) -> None:
    """Answers each question of a page with the correct choices of its package."""
    for question, right in (("burning-fat", ("heat", "cover")), ("wedge", ("false",))):
        for value in right:
            choice = page.locator(f"#choice-{question}_{value}")
            if choice.count():
                choice.check()
    if page.get_by_role("button", name="Check my answer").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Check my answer").click()


def test_a_course_from_right_to_left_is_looked_at_in_its_language(walkers: Any) -> None:
    walked = Walked(PACKAGES / "personal-data")
    walker = walkers(locale="ar")
    page = walker.page
    page.goto(walked.link())
    with page.expect_navigation():
        page.locator("main form button").click()
    walker.look("arabic-home")
    page.goto(f"/learn/courses/{walked.course_id}/")
    walker.look("arabic-overview")
    begin = page.locator("main .buttons a.button").first.get_attribute("href")
    assert begin is not None
    page.goto(begin)
    walker.look("arabic-page")
    for part in ("html", ".player"):
        assert page.locator(part).first.evaluate("each => [each.lang, each.dir]") == ["ar", "rtl"]
    page.goto(f"/learn/policies/{walked.version.course_id}")
    walker.look("arabic-policy")
    frame = page.frame_locator("iframe.policy").locator("html")
    assert [frame.get_attribute(name) for name in ("lang", "dir")] == ["en", "ltr"], "the policy is in English"


@pytest.mark.parametrize("signed_in", [False, True], ids=["the way in", "home"])
def test_the_first_page_takes_60_kilobytes_at_most(signed_in: bool, walkers: Any) -> None:
    walker = walkers()
    if signed_in:
        walker.page.goto(Walked(PACKAGES / "fire-safety").link())
        with walker.page.expect_navigation():
            walker.page.get_by_role("button", name="Open my pages").click()
    network = walker.context.new_cdp_session(walker.page)
    network.send("Network.enable")
    network.send("Network.clearBrowserCache")
    received: list[float] = []
    network.on("Network.loadingFinished", lambda each: received.append(each["encodedDataLength"]))
    walker.page.goto("/learn/", wait_until="networkidle")
    assert len(received) >= 2
    assert sum(received) <= MOST_BYTES, f"{sum(received)} bytes"


def test_what_is_wrong_with_a_page_is_found(walkers: Any) -> None:
    walker = walkers()
    walker.page.goto("/learn/")
    walker.page.evaluate(
        """() => {
          document.querySelector("main").innerHTML = "<h1>Seen</h1><h3>Skipped</h3>"
            + "<a href='/' aria-label='Other'>Go</a>"
            + "<h2 aria-hidden=true>Silent</h2><button aria-label=''></button><form><input id=x></form>"
            + "<p id=wide>Wide</p><p id=pale>Pale</p>";
          document.getElementById("wide").style.width = "2000px";
          document.getElementById("pale").style.color = "#ccc";
          console.error("complained");
          fetch("https://example.invalid/").catch(() => {});
        }"""
    )
    walker.look("broken")
    found = "\n".join(walker.complaints)
    walker.complaints.clear()
    for part in ("complained", "Content Security Policy", "wider than 320 px", "seen and not told: link 'Go'"):
        assert part in found
    for part in (
        "a heading of level 3 follows one of level 1",
        "told without a name: textbox",
        "color-contrast",
        "H32.2",
    ):
        assert part in found
