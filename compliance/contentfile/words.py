"""The words of one language: the string of every text id. Words are plain text, never markup.

A blank line separates paragraphs. Missing words are errors, because a reader would see an id; unused ones are warnings.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from compliance.contentfile import identifiers, limits
from compliance.contentfile.faults import EnoughFaults, FaultCode, MemberPart, Path, Report, pointer_of, quoted
from compliance.contentfile.walk import Key, Shape, Walk, constant, is_valid_language

SCHEMA: Final = "svc.words/2"

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_EMAIL: Final = re.compile(r"[^\s@<>,;]+@[^\s@.<>,;]+(?:\.[^\s@.<>,;]+)+")
_URL: Final = re.compile(r"https?://[^\s/?#@:<>\"]+(?::[0-9]{1,5})?(?:[/?#][^\s<>\"]*)?", re.IGNORECASE)


def walk_words(value: object, language: str, report: Report) -> dict[str, str]:
    """Check one parsed words file that the manifest lists for `language`; returns its valid words."""
    walk = Walk(report)
    with suppress(EnoughFaults):
        walk.check_object(value, (), _WORDS, "", what="a words file")
    if not isinstance(value, dict):
        return {}
    stated = value.get("language")
    if isinstance(stated, str) and identifiers.is_language(stated) and stated != language:
        walk.add(
            FaultCode.WRONG_LANGUAGE,
            ("language",),
            f"This file says {quoted(stated)}, the manifest lists it for {quoted(language)}; make them agree.",
        )
    words = value.get("words")
    if not isinstance(words, dict):
        return {}
    return {name: text for name, text in words.items() if isinstance(text, str)}


def check_resolution(
    words: Mapping[str, str], used: Mapping[str, Mapping[str, Path]], report: Report, *, complete: bool
) -> None:
    """Report text ids without words, and unused words if `complete` (no use was refused).

    `used` has, for each file that uses text ids, the place where it first uses each, for the sentence of the fault.
    """
    missing: set[str] = set()
    for file, texts in used.items():
        for name, path in texts.items():
            if name not in words and name not in missing:
                missing.add(name)
                where = f"{file} {pointer_of(path)}"
                report.add(
                    FaultCode.MISSING_WORDS, ("words",), f"The text id {quoted(name)} has no words ({where}); add them."
                )
    if complete:
        for name in words:
            if not any(name in texts for texts in used.values()):
                report.add(
                    FaultCode.UNUSED_WORDS,
                    ("words", name),
                    f"Nothing uses the text id {quoted(name)}; remove its words.",
                    part=MemberPart.KEY,
                )


def check_addresses(
    words: Mapping[str, str], emails: Mapping[str, Path], urls: Mapping[str, Path], report: Report
) -> None:
    """Report email addresses of contacts that cannot be written to and web addresses that cannot be opened."""
    for name in emails:
        text = words.get(name)
        if text is not None and _EMAIL.fullmatch(text) is None:
            report.add(
                FaultCode.INVALID_EMAIL,
                ("words", name),
                f"{quoted(text)} is no email address; write one such as help@example.com.",
            )
    for name in urls:
        text = words.get(name)
        if text is not None and _URL.fullmatch(text) is None:
            report.add(
                FaultCode.INVALID_URL,
                ("words", name),
                f"{quoted(text)} is no web address; write one that starts with https://.",
            )


def check_titles(words: Mapping[str, str], titles: Iterable[str], report: Report) -> None:
    """Report titles that no course or lesson can have: each is recorded as one line."""
    for name in titles:
        text = words.get(name)
        if text is not None and (len(text) > limits.TITLE_LENGTH or _CONTROL.search(text)):
            report.add(
                FaultCode.INVALID_TITLE,
                ("words", name),
                f"{quoted(text)} is a title; write one line of at most {limits.TITLE_LENGTH} characters.",
            )


def _language(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if walk.string(value, path):
        is_valid_language(walk, value, path)


def _words(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if not isinstance(value, dict):
        walk.check_object(value, path, {}, prefix)
        return
    for name, text in value.items():
        here = (*path, name)
        if not identifiers.is_text_id(name):
            reason = identifiers.what_is_wrong(name, limits.TEXT_ID_LENGTH, "._")
            walk.add(FaultCode.INVALID_TEXT_ID, here, f"{quoted(name)} is no text id: {reason}.", MemberPart.KEY)
        if not walk.string(text, here):
            continue
        if not text.strip():
            walk.add(FaultCode.EMPTY_WORDS, here, f"The words of {quoted(name)} are blank; write them.")
        elif not unicodedata.is_normalized("NFC", text):
            walk.add(
                FaultCode.NOT_NFC, here, f"The words of {quoted(name)} are not in Unicode form NFC; normalise them."
            )


_WORDS: Final[Shape] = {
    "schema": Key(constant(SCHEMA, FaultCode.WRONG_SCHEMA)),
    "language": Key(_language),
    "words": Key(_words),
}
