"""Renders a letter as mail: HTML and plain text of the same content, in the company's name."""

import uuid
from email.utils import formataddr, parseaddr
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import translation

from compliance.letters.content import Content, one_line

_LONGEST_SUBJECT = 150


class Drawn(NamedTuple):
    """A rendered letter: the subject and both texts."""

    subject: str
    html: str
    text: str


def language_for(tag: str | None) -> str:
    """The language of letters for a person who chose this language tag: the same if we have it, else English."""
    primary = (tag or "").lower().partition("-")[0]
    return primary if primary in {code for code, _ in settings.LANGUAGES} else "en"


def can_be_written_to(address: str | None) -> bool:
    """Whether mail can be sent to the address: with a non-ASCII local part it would go to somebody else, or nobody.

    Django encodes such a local part like a name (RFC 2047), which no mail server takes for the same mailbox.
    """
    return bool(address) and str(address).rpartition("@")[0].isascii()


def draw(content: Content, company: str) -> Drawn:
    """Renders a letter in the active language."""
    right_to_left = translation.get_language_bidi()
    values = {
        "content": content,
        "company": one_line(company),
        "language": translation.get_language() or "en",
        "direction": "rtl" if right_to_left else "ltr",
        "start": "right" if right_to_left else "left",
    }
    subject = one_line(content.subject)
    if len(subject) > _LONGEST_SUBJECT:
        subject = f"{subject[: _LONGEST_SUBJECT - 1]}…"
    return Drawn(
        subject,
        render_to_string("letters/letter.html", values),
        render_to_string("letters/letter.txt", values),
    )


def message(content: Content, *, company: str, address: str, letter_id: uuid.UUID) -> EmailMultiAlternatives:
    """The mail of a letter to an address, in the active language.

    All tries of a letter have the same Message-ID, by which a mail server may recognise a duplicate. Headers ask
    automatic responders not to answer (RFC 3834).
    """
    drawn = draw(content, company)
    mail = EmailMultiAlternatives(
        subject=drawn.subject,
        body=drawn.text,
        from_email=sender(company),
        to=[address],
        headers={
            "Message-ID": f"<{letter_id}@{urlsplit(settings.BASE_URL).hostname or 'localhost'}>",
            "Auto-Submitted": "auto-generated",
            "X-Auto-Response-Suppress": "All",
            "Content-Language": translation.get_language() or "en",
        },
    )
    mail.attach_alternative(drawn.html, "text/html")
    for each in content.enclosures:
        mail.attach(each.name, each.content, each.media_type)
    return mail


def sender(company: str) -> str:
    """The sender of letters: the company's name with the deployment's address."""
    return formataddr((one_line(company), parseaddr(settings.DEFAULT_FROM_EMAIL)[1]))
