"""Letters as mail: HTML and text with the same content, whatever names and titles hold, and nothing is fetched."""

import html
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from compliance.letters import wording
from compliance.letters.content import Enclosure, one_line, within
from compliance.letters.message import draw, message, sender
from compliance.letters.models import Letter
from compliance.letters.samples import sample
from compliance.letters.wording import ToDo, Way, Writing
from compliance.tenancy.models import Organization
from tests.letters.reading import Seen, html_of

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
WAY = Way("https://records.example.com/learn/in/abc-_1", NOW + timedelta(days=30))
WRITING = Writing("Acme", "Anna", NOW, ZoneInfo("Europe/Paris"))
HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>",
    "Fire\r\nBcc: all@example.org\r\n\r\nsafety",
    "{{ company }} {% load x %} %(company)s %s",
    "invoice\u202egpj.exe",
    "\u2067\u2066\u202aTurned\u0000\u0007",
    "a\u2028b\u0085c",
)


@pytest.fixture(params=HOSTILE)
def hostile(request):
    return request.param


def drawn(kind, language="en"):
    return sample(kind, Organization(name="Acme & Söhne", time_zone="Europe/Paris"), language, NOW)


@pytest.mark.parametrize("kind", Letter.Kind)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_kind_is_html_of_one_button_that_fetches_nothing_and_text_that_says_the_same(kind, language):
    found = drawn(kind, language)
    seen = Seen(found.html)
    assert len(seen.links) == 1
    assert seen.fetched == []
    assert not seen.tags & {"img", "script", "link", "form", "iframe", "svg"}
    assert seen.attributes["html"]["lang"] == language
    assert len(found.html) < 20_000
    words = found.text.replace("\n-- \n", "\n").split()
    missing = {word.lstrip("-").rstrip(":") for word in words} - {word.rstrip(":") for word in seen.words} - {""}
    assert missing == set()


@pytest.mark.parametrize("write", [wording.new, wording.policy, wording.reminder])
def test_what_a_title_holds_is_words_and_nothing_else(write, hostile):
    things = [ToDo(hostile, policy=False, due_at=None)]
    found = message(write(WRITING, WAY, things), company=hostile, address="a@example.org", letter_id=uuid.uuid4())
    raw = found.message().as_bytes().decode()
    assert found.message()["Bcc"] is None
    assert found.message().get_all("Subject") == [found.message()["Subject"]]
    assert "\n" not in found.subject
    seen = Seen(html_of(found))
    assert not seen.tags & {"img", "script"}
    plain = " ".join(one_line(hostile).split())
    assert plain in seen.text
    assert plain in found.body
    for control in ("\u202e", "\u2067", "\u2066", "\u202a", "\u0000", "\u0007"):
        assert control not in found.body + html_of(found) + found.subject + raw


def test_a_persons_name_is_words_and_nothing_else(hostile):
    found = draw(wording.staff_link(replace(WRITING, person_name=hostile), WAY), "Acme")
    assert html.escape(one_line(hostile)) in found.html
    assert found.text.startswith(f"Hello {one_line(hostile)},\n")


def test_a_title_in_the_other_direction_is_set_apart():
    assert within("السلامة", right_to_left=False) == "\u2068السلامة\u2069"
    assert within("Fire", right_to_left=True) == "\u2068Fire\u2069"
    assert within("Fire", right_to_left=False) == "Fire"


def test_who_a_letter_is_from_is_one_mailbox_whatever_the_company_is_called(settings, hostile):
    settings.DEFAULT_FROM_EMAIL = "Records <records@example.com>"
    for name in (hostile, 'Acme, "Inc" <a@b.org>', "ソニー株式会社"):
        found = message(wording.link(WRITING, WAY), company=name, address="a@example.org", letter_id=uuid.uuid4())
        (mailbox,) = found.message()["From"].split(" <")[-1:]
        assert mailbox == "records@example.com>"
    assert sender("Acme") == "Acme <records@example.com>"


def test_a_deadline_stands_in_words_and_lateness_goes_first():
    things = [
        ToDo("Later", policy=False, due_at=NOW + timedelta(days=4)),
        ToDo("Never", policy=True, due_at=None),
        ToDo("Late", policy=False, due_at=NOW - timedelta(days=3)),
    ]
    found = draw(wording.reminder(WRITING, WAY, things), "Acme")
    assert found.subject == "3 things still to do at Acme"
    assert "- Late: 3 days late\n- Later: by Friday 27 November, 10:00\n- Never: no deadline\n" in found.text


def test_a_long_title_makes_no_endless_subject():
    assert len(draw(wording.new(WRITING, WAY, [ToDo("x" * 900, policy=False, due_at=None)]), "Acme").subject) == 150


def test_a_file_goes_with_the_letter():
    file = Enclosure("certificate.pdf", b"%PDF-1.7", "application/pdf")
    issued = wording.Certificate("Fire safety", NOW, None, "ABC", "https://records.example.com/check/ABC")
    content = wording.certificate(WRITING, WAY, issued, (file,))
    found = message(content, company="Acme", address="a@example.org", letter_id=uuid.uuid4())
    assert found.attachments == [("certificate.pdf", b"%PDF-1.7", "application/pdf")]
    assert "The certificate is attached as a PDF." in found.body


def test_a_letter_is_drawn_in_the_language_that_is_active_and_in_its_direction():
    with translation.override("ar"):
        found = draw(wording.link(WRITING, WAY), "Acme")
    assert Seen(found.html).attributes["html"] == {"lang": "ar", "dir": "rtl"}
