"""Installations that send no letters write them to a folder, one file for each, as a mail program reads them."""

import email
import email.policy
from pathlib import Path
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives, get_connection

BACKEND = "compliance.letters.mailbox.EmailBackend"


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.EMAIL_FILE_PATH = str(tmp_path / "letters")
    return tmp_path / "letters"


def letter(subject: str, to: str = "anna@example.org") -> EmailMultiAlternatives:
    made = EmailMultiAlternatives(subject, "Bonjour Zoé,\n.\nà bientôt", "svc@example.org", [to] if to else [])
    made.attach_alternative('<html lang="fr"><p>Bonjour Zoé</p></html>', "text/html")
    return made


def test_each_letter_is_a_file_in_the_order_of_sending(folder: Path) -> None:
    sent = get_connection(BACKEND).send_messages([letter(f"Échéance {number}") for number in range(3)])
    files = sorted(folder.iterdir())
    read = [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]
    assert (sent, [file.suffix for file in files]) == (3, [".eml"] * 3)
    assert [each["Subject"] for each in read] == ["Échéance 0", "Échéance 1", "Échéance 2"]
    assert read[0]["To"] == "anna@example.org"
    text, html = (read[0].get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert text.get_content().splitlines() == ["Bonjour Zoé,", ".", "à bientôt"]
    assert html is not None
    assert "<p>Bonjour Zoé</p>" in html.get_content()


def test_letters_are_for_the_owner_alone(folder: Path) -> None:
    get_connection(BACKEND).send_messages([letter("One")])
    (file,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_letter_to_nobody_is_not_written(folder: Path) -> None:
    assert get_connection(BACKEND).send_messages([letter("Nobody", to="")]) == 0
    assert not folder.exists()


def test_where_letters_are_not_sent_the_mailbox_is_the_way() -> None:
    from config import settings as configured

    assert configured.PRODUCTION is False
    assert configured.EMAIL_BACKEND == BACKEND
