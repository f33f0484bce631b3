"""The content of a letter before it is rendered, from which both its HTML and its plain text are made."""

import re
import unicodedata
from dataclasses import dataclass, field

_BLANKS = re.compile(r"\s+")
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
_JOINERS = "\u200c\u200d"
"""Invisible characters that are needed to write Persian or Hindi words and many emoji."""


@dataclass(frozen=True)
class Button:
    """The only button, and the address that it opens."""

    label: str
    address: str


@dataclass(frozen=True)
class Thing:
    """Something to do: its title, and the deadline in words."""

    title: str
    due: str
    late: bool = False


@dataclass(frozen=True)
class Enclosure:
    """A file attached to a letter."""

    name: str
    content: bytes
    media_type: str


@dataclass(frozen=True)
class Content:
    """A letter in its recipient's language. All texts are one line each, without markup.

    `particulars` are pairs of a name and a value; `closing` follows the button.
    """

    subject: str
    greeting: str
    paragraphs: tuple[str, ...]
    button: Button
    things: tuple[Thing, ...] = ()
    particulars: tuple[tuple[str, str], ...] = ()
    closing: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = field(default=(), repr=False)


def one_line(text: str) -> str:
    """A name or a title from outside as one line of plain characters.

    Without line breaks and direction controls, with which a name could begin another line or change the order of words.
    """
    plain = _BLANKS.sub(" ", text).strip()
    return "".join(each for each in plain if each in _JOINERS or unicodedata.category(each) not in ("Cc", "Cf"))


def within(text: str, *, right_to_left: bool) -> str:
    """A name or a title within a sentence: isolated if it is written in the other direction than the sentence."""
    line = one_line(text)
    directions = {unicodedata.bidirectional(each) for each in line}
    foreign = directions & ({"L"} if right_to_left else {"R", "AL"})
    return f"{_ISOLATE}{line}{_END_ISOLATE}" if foreign else line
