"""Converts an uploaded file to the text of a policy: Word, Markdown or HTML, recognised by its content."""

import re
from typing import NamedTuple

from django.utils.translation import gettext as _

from compliance.interfaces.console.policies.texts import markdown, tidying, word
from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Losses

FILE_BYTES = 32 * 1024 * 1024
TEXT_BYTES = 256 * 1024
WORDS_NAMED = 20
_WEB_PAGE = re.compile(r"\s*(?:<!doctype\s+html|<html|<h1|<body)", re.IGNORECASE)


class Original(NamedTuple):
    """The original file, for comparison: its text line by line, and the words that are missing in the policy."""

    name: str
    lines: list[str]
    lost: list[str]


class Made(NamedTuple):
    """The text of a policy, converted from a file."""

    html: str
    title: str
    losses: Losses
    original: Original


def read(data: bytes, name: str) -> Made:
    """The text of a policy from a file. Raises UnreadableTextError, which says what to do instead."""
    if len(data) > FILE_BYTES:
        raise UnreadableTextError(_("The file is larger than 32 MiB. Take the pictures out of it, or save the text."))
    title = re.sub(r"[-_\s]+", " ", name.rpartition(".")[0] or name).strip()[:200]
    if data.startswith(b"PK\x03\x04"):
        document = word.read(data)
        return _made(name, document.html, title, document.paragraphs, document.losses, document=True)
    text = _decoded(data)
    if _WEB_PAGE.match(text) or name.lower().endswith((".html", ".htm")):
        return _made(name, text, title, text.splitlines(), Losses())
    html, given, losses = markdown.to_html(text)
    return _made(name, html, given or title, text.splitlines(), losses)


def written(text: str) -> Made:
    """The text of a policy written in the console: the editor's HTML, or Markdown.

    Raises UnreadableTextError.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if text.startswith("<"):
        tidied = tidying.tidy(text)
        lines_before = text.splitlines() if tidied.losses else []
        return Made(tidied.html, tidied.title, tidied.losses, Original("", lines_before, []))
    if len(text.encode()) > TEXT_BYTES:
        raise UnreadableTextError(_("The text is longer than 256 KiB."))
    html, title, losses = markdown.to_html(text)
    return _made("", html, title, text.splitlines(), losses)


def _made(name: str, html: str, title: str, lines: list[str], losses: Losses, *, document: bool = False) -> Made:
    tidied = tidying.tidy(html, title)
    words = lines if document else [" ".join(tidying.words(tidied.read))]
    original = Original(name[:200], lines, tidying.lost(words, tidied.html, WORDS_NAMED))
    return Made(tidied.html, tidied.title, losses + tidied.losses, original)


def _decoded(data: bytes) -> str:
    """The text of a file that is not an archive. Raises UnreadableTextError if it is not text."""
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableTextError(
            _("This is a document of an old kind (.doc), or one with a password. Save it as .docx without a password.")
        )
    if data.startswith(b"%PDF"):
        raise UnreadableTextError(_("A PDF holds pages, not a text. Choose the Word document that it was made from."))
    if data.startswith(b"{\\rtf"):
        raise UnreadableTextError(_("This is rich text (.rtf). Open it in Word and save it as .docx."))
    if len(data) > TEXT_BYTES:
        raise UnreadableTextError(_("The text is longer than 256 KiB."))
    try:
        text = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableTextError(_("The file is neither Word nor text in UTF-8. Save it as one of these.")) from None
    if "\0" in text:
        raise UnreadableTextError(_("The file is neither Word nor text in UTF-8. Save it as one of these."))
    return text.replace("\r\n", "\n").replace("\r", "\n")
