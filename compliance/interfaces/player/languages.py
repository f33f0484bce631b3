"""The languages of a package: which one a reader gets, its name, and its direction."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import get_language_info

# Languages and scripts that are written from right to left, as the subtags of BCP 47 name them.
_RIGHT_TO_LEFT = frozenset(
    ("ar", "arc", "azb", "ckb", "dv", "fa", "glk", "he", "ks", "lrc", "mzn", "nqo", "pnb", "prs", "ps", "rhg", "sd",
     "syr", "ug", "ur", "yi")
)  # fmt: skip
_RIGHT_TO_LEFT_SCRIPTS = frozenset(("adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"))


class Language(NamedTuple):
    """A language as a menu offers it."""

    tag: str
    name: str
    direction: str


def direction(tag: str) -> str:
    """`rtl` or `ltr`, by the tag's script, or by its language where it names no script."""
    first, *others = tag.lower().split("-")
    script = next((each for each in others if len(each) == 4 and each.isalpha()), None)
    right = script in _RIGHT_TO_LEFT_SCRIPTS if script else first in _RIGHT_TO_LEFT
    return "rtl" if right else "ltr"


def described(tag: str) -> Language:
    """A language with its name in that language; with its tag where Django knows no name."""
    try:
        name = get_language_info(tag.lower())["name_local"]
    except KeyError:
        name = tag
    return Language(tag, name[:1].upper() + name[1:], direction(tag))


def best(wanted: Sequence[str], available: Sequence[str]) -> str:
    """The first wanted language that is available, exactly or in another region; else the first available one."""
    by_tag = {tag.lower(): tag for tag in available}
    for each in wanted:
        tag = each.lower()
        if tag in by_tag:
            return by_tag[tag]
        plain = tag.partition("-")[0]
        near = [other for other in by_tag if other.partition("-")[0] == plain]
        if near:
            return by_tag[min(near, key=lambda other: other != plain)]
    return available[0] if available else ""
