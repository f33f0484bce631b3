"""The canonical policy file: the HTML that people read, sign and verify, byte for byte.

A file is accepted exactly when cleaning it against the allow list changes nothing, so the same text is stored,
displayed and hashed, and nothing in it can run scripts, load resources or change the page's style.
"""

import html
import re
from typing import NamedTuple

import nh3

from compliance.facts.policies.errors import PolicyHtmlError
from compliance.proofs.digests import WHITE_SPACE

MOST_BYTES = 2 * 1024 * 1024
MOST_DEPTH = 64
LONGEST_TITLE = 300

_TEXT_TAGS = {
    "h1",
    "h2",
    "h3",
    "h4",
    "p",
    "ul",
    "ol",
    "li",
    "blockquote",
    "strong",
    "em",
    "a",
    "code",
    "pre",
    "br",
    "hr",
}
_TABLE_TAGS = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "th": {"colspan", "rowspan", "scope"}, "td": {"colspan", "rowspan"}}
_URL_SCHEMES = {"http", "https", "mailto"}
_VOID = frozenset({"br", "hr"})
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^>]*>")
_TAG_BEGINS = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_HEADING = re.compile(r"<h1>(.*?)</h1>", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")


class CanonicalPolicy(NamedTuple):
    """A policy file that passed the check, with the title from its main heading."""

    html: str
    policy_title: str


def clean(text: str) -> str:
    """Return the file as the allow list leaves it. The console displays how this differs from what was uploaded."""
    return nh3.clean(
        text,
        tags=_TEXT_TAGS | _TABLE_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_URL_SCHEMES,
        link_rel=None,
        strip_comments=True,
    )


def check(text: str) -> CanonicalPolicy:
    """Return the file with its title. Raises PolicyHtmlError with a sentence that states what to change."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise PolicyHtmlError("The policy holds half a surrogate pair, which is no Unicode text.") from error
    if size > MOST_BYTES:
        raise PolicyHtmlError(f"The policy has {size:,} bytes; at most {MOST_BYTES:,} (2 MiB) are allowed.")
    control = _CONTROL.search(text)
    if control is not None:
        raise PolicyHtmlError(f"The policy holds the control character U+{ord(control[0]):04X}.")
    headings = len(re.findall(r"<h1[\s>/]", text, re.IGNORECASE))
    if headings == 0:
        raise PolicyHtmlError("The policy has no main heading: begin it with one <h1>, which becomes its title.")
    if headings > 1:
        raise PolicyHtmlError(f"The policy has {headings} main headings; keep one <h1> and use <h2> to <h4> below it.")
    _refuse_deep_nesting(text)
    cleaned = clean(text)
    if cleaned != text:
        raise PolicyHtmlError(f"The policy is not canonical policy HTML: {_first_difference(text, cleaned)}")
    if not text.startswith("<h1>"):
        raise PolicyHtmlError("The policy must begin with its main heading: nothing may come before <h1>.")
    heading = _HEADING.match(text)
    title = _SPACES.sub(" ", html.unescape(_TAG.sub(" ", heading[1]))).strip() if heading else ""
    if not title:
        raise PolicyHtmlError("The policy's main heading is empty; it becomes the title.")
    if len(title) > LONGEST_TITLE:
        raise PolicyHtmlError(f"The policy's main heading has {len(title)} characters; at most {LONGEST_TITLE}.")
    return CanonicalPolicy(text, title)


def _refuse_deep_nesting(text: str) -> None:
    """Refuse what would make the cleaner slow: its time grows with the square of the depth (140 s at 2 MiB)."""
    if depth(text, MOST_DEPTH) > MOST_DEPTH:
        raise PolicyHtmlError(f"The policy nests its tags deeper than {MOST_DEPTH}, or leaves them open.")


def depth(text: str, most: int) -> int:
    """The depth of nesting of a text's tags, including tags left open, counted until it is more than `most`.

    Reads the text once, whatever it contains: the start of a tag that never ends is examined once.
    """
    deepest = found = at = 0
    while deepest <= most and (tag := _TAG_BEGINS.search(text, at)) is not None:
        at = text.find(">", tag.end()) + 1
        if not at:
            break
        if tag[1]:
            found = max(0, found - 1)
        elif tag[2].lower() not in _VOID:
            found += 1
        deepest = max(deepest, found)
    return deepest


def _first_difference(text: str, cleaned: str) -> str:
    """Return a sentence that states where the cleaned file first differs. The text is not personal."""
    at = next((index for index, pair in enumerate(zip(text, cleaned, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        at = min(len(text), len(cleaned))
    line = text.count("\n", 0, at) + 1
    begin = max(0, at - 20)
    found, kept = text[begin : at + 40], cleaned[begin : at + 40]
    return f"cleaning would change line {line}, from {found!r} to {kept!r}."
