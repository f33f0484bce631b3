"""Films: played from their scenes, by keyboard, at one's own pace; their questions stop them and cannot be skipped."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from compliance.learning import sessions
from compliance.learning.models import Answer, Take
from compliance.tenancy import context
from development.demo.telling import PACKAGES
from tests.interfaces.accessibility import axe
from tests.learning import courses_to_take as small

pytestmark = pytest.mark.browser
expect.set_options(timeout=30_000)
PHISHING = str(PACKAGES / "phishing")


def _counted(viewer, model):
    with context.company(viewer.company.organization_id):
        return list(model.objects.filter(organization_id=viewer.company.organization_id))


def _in_focus(page):
    return page.evaluate("document.activeElement.textContent.trim()")


def test_a_film_is_seen_to_its_end_by_keyboard_alone(viewer):
    seen = viewer(PHISHING)
    page = seen.open("one-click")
    assert "played to the end" in page.locator("#onward").inner_text()
    for _ in range(30):
        page.keyboard.press("Tab")
        if _in_focus(page) == "Play the film":
            break
    page.keyboard.press("Enter")
    assert _in_focus(page) == "Pause"
    page.keyboard.press("Tab")
    assert _in_focus(page) == "Next scene"
    for _ in range(4):
        page.keyboard.press("Enter")
    # The question stops the film, is announced, has the focus, and blocks the way forward.
    expect(page.locator("[data-status]")).to_have_text("The film has paused for a question.")
    assert page.evaluate("document.activeElement.tagName") == "FIELDSET"
    expect(page.get_by_role("button", name="Next scene")).to_be_disabled()
    expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    for key in (
        "Tab",
        "Tab",
        "Tab",
        "Tab",
        "Space",
        "Tab",
        "Enter",
    ):  # the last choice, which is wrong; then the button
        page.keyboard.press(key)
    expect(page.locator("[data-verdict]")).to_be_focused()
    assert "That is not right" in _in_focus(page)
    expect(page.get_by_role("button", name="Next scene")).to_be_disabled()
    page.locator("#choice-give-away_sender").focus()
    for key in ("Space", "Tab", "Space", "Tab", "Space", "Tab", "Space", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("[data-verdict]")).to_contain_text("That is right.")
    assert [answer.right for answer in _counted(seen, Answer)] == [False, True]
    page.get_by_role("button", name="Next scene").focus()
    for _ in range(6):
        page.keyboard.press("Enter")
    expect(page.locator("[data-status]")).to_have_text("The film has ended.")
    assert _in_focus(page) == "Play again"
    expect(page.locator("#onward")).not_to_contain_text("played to the end")
    page.reload()
    expect(page.locator("#onward")).not_to_contain_text("played to the end")
    assert seen.complaints == []


def test_a_film_plays_by_itself_stops_at_its_question_and_goes_on_when_the_attempts_are_used_up(viewer):
    one = small.lesson("one", small.page("p1", small.film(small.question("q1", attempts=1))))
    seen = viewer(one)
    page = seen.open("p1", clock=True)
    page.get_by_role("button", name="Play the film").click()
    expect(page.locator("[data-place]")).to_have_text("Scene 1 of 2")
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    expect(page.locator("[data-place]")).to_have_text("Scene 1 of 2")
    page.get_by_role("button", name="Play", exact=True).click()
    page.clock.run_for(6_000)
    expect(page.locator("[data-place]")).to_have_text("Scene 2 of 2")
    expect(page.locator("[data-caption]")).to_have_text("p1.c0")
    page.clock.run_for(600_000)
    assert not _counted(seen, Take)[0].completion_receipt_id
    page.get_by_label("p1.q1.no").check()
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("[data-verdict]")).to_contain_text("no attempts left")
    page.get_by_role("button", name="Go on with the film").click()
    page.clock.run_for(100)
    expect(page.locator("[data-status]")).to_have_text("The film has ended.")
    expect(page.locator("#onward")).not_to_contain_text("counts as done")
    (take,) = _counted(seen, Take)
    assert take.completion_receipt_id is not None
    assert not take.assessed
    assert seen.complaints == []


def test_with_reduced_motion_each_scene_waits_for_a_button(viewer):
    seen = viewer(PHISHING)
    page = seen.open("one-click", clock=True, reduced_motion="reduce")
    page.get_by_role("button", name="Play the film").click()
    page.clock.run_for(300_000)
    expect(page.locator("[data-place]")).to_have_text("Scene 1 of 10")
    page.get_by_role("button", name="Next scene").click()
    expect(page.locator("[data-place]")).to_have_text("Scene 2 of 10")
    assert page.evaluate("document.getAnimations().filter(each => each.playState === 'running').length") == 0
    assert seen.complaints == []


@pytest.mark.parametrize("window", [{}, {"reduced_motion": "reduce"}], ids=["paused", "reduced motion"])
def test_nothing_of_a_film_moves_while_it_pauses_or_where_motion_is_reduced(viewer, window):
    film = small.film(small.question("q1")) | {
        "style": "@keyframes turn { to { rotate: 1turn } }\n"
        ".scene.scene-title .element.card.card { animation: turn 1s infinite }\n"
        ".card::before, .card::after { content: ''; animation: turn 1s infinite }\n"
        ".card { display: list-item } .card::marker { animation: turn 1s infinite }\n"
    }
    film["scenes"][0]["elements"] = [{"id": "card", "kind": "box", "class": "card"}]
    page = viewer(small.lesson("one", small.page("p1", film))).open("p1", **window)
    page.get_by_role("button", name="Play the film").click()
    moving = "document.getAnimations().filter(each => each.playState === 'running').length"
    if not window:
        assert page.evaluate(moving) >= 3
        page.get_by_role("button", name="Pause").click()
    assert page.evaluate(moving) == 0


def test_an_answer_that_cannot_be_sent_holds_the_film_and_is_sent_again(viewer):
    one = small.lesson("one", small.page("p1", small.film(small.question("q1"))))
    seen = viewer(one)
    page = seen.open("p1")
    page.get_by_role("button", name="Play the film").click()
    page.get_by_role("button", name="Next scene").click()
    page.get_by_label("p1.q1.yes").check()
    page.context.set_offline(True)
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("[data-status]")).to_contain_text("could not be sent")
    expect(page.get_by_role("button", name="Next scene")).to_be_disabled()
    page.context.set_offline(False)
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("[data-verdict]")).to_contain_text("That is right.")
    assert len(_counted(seen, Answer)) == 1


def test_without_script_a_film_can_be_read_and_its_question_answered(viewer):
    seen = viewer(PHISHING)
    page = seen.open("one-click", java_script_enabled=False)
    body = page.locator("main").inner_text()
    assert "open it in a browser with scripts switched on" in body
    for words in ("your salary is on hold", "Sam's finger is on the button", "600", "inboxes cleaned"):
        assert words in body
    for choice in ("sender", "hurry", "greeting"):
        page.locator(f"#choice-give-away_{choice}").check()
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("main")).to_contain_text("That is right.")
    assert "played to the end" in page.locator("#onward").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_no_page_of_a_course_has_a_finding_and_none_is_wider_than_its_window(viewer):
    seen = viewer(PHISHING)
    page = seen.open("", width=320)
    found = {}

    def look(where):
        page.set_viewport_size({"width": 320, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, where
        if said := axe.findings(page):
            found[where] = said

    look("overview")
    page.goto(f"{seen.there}one-click")
    look("film")
    page.get_by_role("button", name="Play the film").click()
    for _ in range(4):
        page.get_by_role("button", name="Next scene").click()
    look("film, asking")
    page.get_by_label("It is short.").check()
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("[data-verdict]")).to_be_focused()
    look("film, wrong")
    page.goto(f"{seen.there}reading-addresses")
    page.get_by_role("button", name="Check my answer").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look("nothing chosen")
    for path in ("what-to-do", "urgent-transfer", "finished/"):
        page.goto(seen.there + path)
        look(path)
    assert found == {}
    # The answer to a form without a choice is a 422, which the browser logs.
    assert [said for said in seen.complaints if "422" not in said] == []


def test_what_is_wrong_and_what_came_of_an_answer_have_the_focus_without_script(viewer):
    asked = viewer(small.lesson("one", small.page("p1", small.question("q1", attempts=2)), small.page("p2")))
    page = asked.open("p1", java_script_enabled=False)
    page.get_by_role("button", name="Check my answer").click()
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_role("link", name="Choose an answer: p1.q1").click()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Check my answer").click()
    expect(page.locator("#verdict-q1")).to_be_focused()


def _about_to_answer(viewer):
    """A viewer and their page, on which the answer to the film's question is chosen and not sent yet."""
    seen = viewer(small.lesson("one", small.page("p1", small.film(small.question("q1")))))
    page = seen.open("p1")
    page.get_by_role("button", name="Play the film").click()
    page.get_by_role("button", name="Next scene").click()
    page.get_by_label("p1.q1.yes").check()
    return seen, page


def test_a_film_whose_session_ends_leads_to_the_way_in(viewer):
    seen, page = _about_to_answer(viewer)
    with context.company(seen.company.organization_id):
        sessions.end_all(seen.company.organization_id, datetime.now(UTC))
    page.get_by_role("button", name="Check my answer").click()
    expect(page.get_by_label("Your e-mail address")).to_be_visible()
    assert str(seen.course.course_id) in page.url  # the page to which the requested link leads
    assert _counted(seen, Answer) == []


def test_a_film_whose_viewer_has_left_the_company_says_so(viewer):
    seen, page = _about_to_answer(viewer)
    seen.company.leave(seen.anna, at=datetime.now(UTC) - timedelta(seconds=1))
    page.get_by_role("button", name="Check my answer").click()
    expect(page.get_by_role("heading", name="You cannot come in at present")).to_be_visible()
    assert _counted(seen, Answer) == []
