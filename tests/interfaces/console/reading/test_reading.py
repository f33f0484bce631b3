"""Courses are read in the console in reading order, every block, in each language; films play, pause and stop."""

import uuid
from datetime import UTC, date, datetime

import pytest
from playwright.sync_api import expect

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.interfaces.console.who_may import AUDITOR, COMPLIANCE_MANAGER
from development.demo.telling import PACKAGES
from tests.companies import make_company
from tests.interfaces.console.conftest import PASSWORD, make_staff

expect.set_options(timeout=30_000)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def _company(name, *packages):
    """A company with these packages published, and their releases."""
    made = make_company(name, "Europe/Paris", date(2025, 1, 1))
    releases = [
        publish_package(
            organization_id=made.organization_id, package=check_package(PACKAGES / package), at=NOW, now=NOW
        ).course_release_id
        for package in packages
    ]
    return made.organization_id, releases


@pytest.mark.django_db
def test_a_course_is_shown_in_each_of_its_languages_with_its_media(staff):
    organization_id, (release,) = _company("Reader", "fire-safety")
    client = staff(AUDITOR)
    there = f"/console/companies/{organization_id}/readings/"
    assert b"Fire safety" in client.get(there).content
    english = client.get(f"{there}{release}/")
    german = client.get(f"{there}{release}/?language=de")
    assert english.status_code == german.status_code == 200
    assert 'lang="de"' in german.content.decode()
    assert english.content != german.content
    package = check_package(PACKAGES / "fire-safety")
    picture = next(item for item in package.media if item.kind == "image")
    shown = client.get(f"{there}{release}/media/{picture.id}")
    assert shown.content == package.read_media(picture.id)
    assert shown["Content-Type"] == picture.type
    assert "sandbox" in shown["Content-Security-Policy"]


@pytest.mark.django_db
def test_what_is_not_this_company_s_is_not_shown(staff):
    organization_id, _ = _company("Reader", "phishing")
    _, (foreign,) = _company("Other", "phishing")
    client = staff(COMPLIANCE_MANAGER)
    for path in (
        f"{foreign}/",
        f"{foreign}/media/nothing",
        f"{foreign}/style/film-one-click-1.css",
        f"{uuid.uuid4()}/",
    ):
        assert client.get(f"/console/companies/{organization_id}/readings/{path}").status_code == 404


@pytest.mark.browser
def test_a_film_plays_pauses_at_its_question_and_stops(committed, browser, served):
    organization_id, (release,) = _company(f"Film {uuid.uuid4().hex[:8]}", "phishing")
    user = make_staff(f"reader-{uuid.uuid4().hex[:8]}", COMPLIANCE_MANAGER)
    opened = browser.new_context(viewport={"width": 390, "height": 800}, base_url=served)
    page = opened.new_page()
    page.clock.install()
    complaints = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"/console/companies/{organization_id}/readings/{release}/")
    page.get_by_label("Name").fill(user.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    player = page.locator("[data-film]").first
    expect(player).to_be_visible()
    page.wait_for_load_state()
    scenes = player.locator("[data-scene]")
    assert scenes.count() == 10
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    player.get_by_role("button", name="Play").click()
    expect(player.locator("[data-scene].now")).to_have_count(1)
    for _ in range(60):
        if "waits" in player.locator("[data-clock]").inner_text():
            break
        page.clock.run_for(5_000)
    expect(player.locator("[data-clock]")).to_have_text("The film waits for an answer.")
    question = player.locator("li.now form[data-question]")
    for box in question.locator("input[data-correct]").all():
        box.check()
    question.get_by_role("button", name="Check the answer").click()
    expect(question.locator(".verdict")).to_have_text("That is right.")
    page.clock.run_for(2_000)
    expect(player.get_by_role("button", name="Pause")).to_be_visible()  # it goes on by itself
    player.get_by_role("button", name="Stop").click()
    expect(player.locator("[data-scene].now")).to_have_count(0)
    assert complaints == []
    opened.close()
