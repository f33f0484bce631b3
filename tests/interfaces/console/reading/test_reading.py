"""Previews of courses in the console, in the learners' player: languages, blocks, films; nothing is recorded."""

import re
import uuid
from datetime import UTC, date, datetime

import pytest
from playwright.sync_api import expect

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER
from compliance.learning.models import Answer, Take
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
    english = client.get(f"{there}{release}/pages/the-alarm").content.decode()
    german = client.get(f"{there}{release}/pages/the-alarm?language=de").content.decode()
    assert 'class="player" lang="en"' in english
    assert 'class="player" lang="de"' in german
    assert "Nothing is recorded" in english
    assert "language=de" in german.partition('id="onward"')[2]  # the link to the next page keeps the language
    package = check_package(PACKAGES / "fire-safety")
    picture = next(item for item in package.media if item.kind == "image")
    found = client.get(f"{there}{release}/media/{picture.id}")
    assert found.content == package.read_media(picture.id)
    assert found["Content-Type"] == picture.type
    assert "sandbox" in found["Content-Security-Policy"]


@pytest.mark.django_db
def test_answers_are_tried_out_and_nothing_is_recorded(staff):
    organization_id, (release,) = _company("Reader", "fire-safety")
    client = staff(AUDITOR)
    there = f"/console/companies/{organization_id}/readings/{release}/pages/know-your-way"
    page = client.get(there).content.decode()
    question = re.search(r'data-question|id="question-([a-z0-9-]+)"', page)[1]
    choices = re.findall(rf'id="choice-{question}_([a-z0-9-]+)"', page)
    assert "This choice is right" not in page
    assert client.get(f"{there}?reveal=1").content.decode().count("This choice is right") == 1
    said = []
    for choice in choices:
        asked = {"sent": question, f"answer-{question}": choice, f"after-{question}": "0"}
        said.append(client.get(there, asked).content.decode())
    assert sum("That is right." in each for each in said) == 1
    assert sum("You can try again once" in each for each in said) == len(choices) - 1
    nothing = client.get(there, {"sent": question}).content.decode()
    assert "There is a problem" in nothing
    assert not Take.objects.exists()
    assert not Answer.objects.exists()


@pytest.mark.django_db
def test_what_is_not_this_company_s_is_not_shown(staff):
    organization_id, (own,) = _company("Reader", "phishing")
    _, (foreign,) = _company("Other", "phishing")
    client = staff(COMPLIANCE_MANAGER)
    for path in (
        f"{foreign}/",
        f"{foreign}/pages/one-click",
        f"{foreign}/media/nothing",
        f"{foreign}/style/film-one-click-1.css",
        f"{uuid.uuid4()}/",
        f"{own}/pages/nothing",
        f"{own}/media/nothing",
        f"{own}/style/film-nothing-1.css",
    ):
        assert client.get(f"/console/companies/{organization_id}/readings/{path}").status_code == 404


@pytest.mark.browser
def test_a_film_is_previewed_with_its_question(committed, browser, served):
    organization_id, (release,) = _company(f"Film {uuid.uuid4().hex[:8]}", "phishing")
    user = make_staff(f"reader-{uuid.uuid4().hex[:8]}", COMPLIANCE_MANAGER)
    opened = browser.new_context(viewport={"width": 390, "height": 800}, base_url=served)
    page = opened.new_page()
    page.clock.install()
    complaints = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"/console/companies/{organization_id}/readings/{release}/pages/one-click")
    page.get_by_label("Name").fill(user.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    film = page.locator("[data-film]").first
    expect(film).to_be_visible()
    page.wait_for_load_state()
    assert film.locator("[data-scene]").count() == 10
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    film.get_by_role("button", name="Play the film").click()
    for _ in range(4):
        film.get_by_role("button", name="Next scene").click()
    expect(film.get_by_role("status")).to_have_text("The film has paused for a question.")
    expect(film.get_by_role("button", name="Next scene")).to_be_disabled()
    for choice in ("sender", "hurry", "greeting"):
        film.locator(f"#choice-give-away_{choice}").check()
    film.get_by_role("button", name="Check my answer").click()
    expect(film.locator("[data-verdict]")).to_contain_text("That is right.")
    film.get_by_role("button", name="Go on with the film").click()
    page.clock.run_for(500)
    expect(film.locator("[data-place]")).to_have_text("Scene 6 of 10")
    assert complaints == []
    opened.close()
