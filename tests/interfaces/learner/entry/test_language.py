"""The language of the pages: a choice of the person, of the browser, or what the browser asks for."""

import pytest
from django.test import Client

from compliance.interfaces.learner.languages import interface_language, languages_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("accepted", "languages"),
    [
        ("de-CH, de;q=0.9, en;q=0.8", ("de-CH", "de", "en")),
        ("en;q=0.1, fr;q=0.9", ("fr", "en")),
        ("fr;q=0, es", ("es",)),
        ("*", ()),
        ("", ()),
        ("de;q=nan, en;q=abc, fr;q=9", ("de", "en", "fr")),
        ("<script>, " + "x" * 40 + ", ar", ("ar",)),
    ],
)
def test_what_the_browser_asks_for_is_read_strictly(rf, accepted, languages):
    assert languages_of(rf.get("/learn/", headers={"accept-language": accepted})) == languages


def test_the_pages_speak_the_first_language_that_they_can():
    assert interface_language(("nl", "de-CH", "fr")) == "de"
    assert interface_language(("nl",)) == interface_language(()) == "en"


def test_arabic_is_written_from_right_to_left():
    response = Client().get("/learn/", headers={"accept-language": "ar-EG"})
    assert '<html lang="ar" dir="rtl">' in response.content.decode()
    assert response["Content-Language"] == "ar"


def test_a_choice_before_signing_in_is_the_browser_s(rf):
    browser = Client()
    response = browser.post("/learn/language", {"language": "fr", "back": "/learn/?to=devices"})
    assert (response.status_code, response["Location"]) == (303, "/learn/?to=devices")
    assert '<html lang="fr"' in browser.get("/learn/").content.decode()


def test_a_choice_of_somebody_signed_in_is_found_on_their_next_device(company, anna, signed_in):
    here, there = (signed_in(company.organization_id, anna.learner_profile_id) for _ in range(2))
    response = here.post("/learn/language", {"language": "es", "back": "/learn/devices"})
    assert response["Location"] == "/learn/devices"
    for browser in (here, there):
        assert '<html lang="es"' in browser.get("/learn/devices", headers={"accept-language": "de"}).content.decode()
    here.post("/learn/language", {"language": "de", "back": "/learn/devices"})
    assert '<html lang="de"' in there.get("/learn/devices").content.decode()


@pytest.mark.parametrize("language", ["", "x" * 36, "de; drop", "../../etc", "日本"])
def test_what_is_no_language_changes_nothing(language):
    response = Client().post("/learn/language", {"language": language, "back": "/learn/"})
    assert response.status_code == 303
    assert "learner-language" not in response.cookies


@pytest.mark.parametrize(
    "back",
    ["//evil.example", "https://evil.example/", "/console/", "/learn/../console/", "/learn/out", "javascript:alert(1)",
     "/learn//evil.example", "\\\\evil", "", "/learn/?to=//evil.example"],
)  # fmt: skip
def test_a_choice_leads_back_to_these_pages_alone(back):
    assert Client().post("/learn/language", {"language": "de", "back": back})["Location"] == "/learn/"


def test_the_page_of_a_link_is_shown_again_in_the_language_chosen(anna, link):
    address = link(learner_profile_id=anna.learner_profile_id)
    assert Client().post("/learn/language", {"language": "de", "back": address})["Location"] == address
