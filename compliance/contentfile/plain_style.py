"""Recognises film styles in everyday CSS quickly, so that a course may hold as many films as its size allows.

This takes 0.03 s per megabyte, where parsing token by token takes 0.7 s, and up to 3 s for hostile CSS (22 November
2026); a content file may hold 16 MiB of styles. A style that matches the grammar below (a small part of CSS: rules,
`@keyframes`, one level of `@media` or `@supports`, comments) has no fault that `style.check_style` would find; all
other styles are left to that function. `scope_style` parses every style that it writes, so no style is
displayed that only this module has checked.
"""

import re
from typing import Final

from compliance.contentfile import limits
from compliance.contentfile.allowed_style import (
    FORBIDDEN,
    FUNCTIONS,
    POSITIONS,
    PROPERTIES,
    PROPERTIES_WITH_STRINGS,
    PSEUDO_CLASSES,
    PSEUDO_ELEMENTS,
)

_EMPTY, _FULL = "\x01", "\x02"
"""Placeholders for a string, empty or not, while the rest is examined."""

# Repeated groups are inside atomic ones, `(?>(?:...)*)`: `(?:...)*+` means the same, but `re` has a bug with it
# before 3.11.5 (https://github.com/python/cpython/issues/106052), and Debian 12 has 3.11.2.
_S = r"[ \t\r\n]*+"
_IDENT = r"(?:[a-zA-Z_]|-[a-zA-Z_])[a-zA-Z0-9_-]*+"
_PSEUDO = (
    rf"::(?:{'|'.join(sorted(PSEUDO_ELEMENTS))})(?![a-zA-Z0-9_(-])"
    rf"|:(?:before|after|{'|'.join(sorted(PSEUDO_CLASSES))})(?![a-zA-Z0-9_(-])"
    r"|:nth-(?:last-)?(?:child|of-type)\([0-9n+ -]++\)"
    r"|:nth-(?:last-)?(?:child|of-type)\((?:even|odd)\)"
)
_COMPOUND = rf"(?:(?:{_IDENT}|\*)(?>(?:\.{_IDENT}|{_PSEUDO})*)|(?>(?:\.{_IDENT}|{_PSEUDO})+))"
_SELECTOR = rf"{_COMPOUND}(?>(?:(?:{_S}[>+~]{_S}|[ \t\r\n]++(?![,{{>+~])){_COMPOUND})*)"
_WORDS = r"[a-zA-Z0-9_#%.,+*/ \t\r\n\x01\x02-]"
_INNER = rf"\((?>(?:{_WORDS}++|\((?>(?:{_WORDS}++|\({_WORDS}*+\))*)\))*)\)"
_DECLARATION = rf"(?:--)?{_IDENT}{_S}:{_S}[a-zA-Z0-9_#.+\x01\x02-](?>(?:{_WORDS}++|{_INNER})*)"
_BLOCK = rf"\{{{_S}(?>(?:{_DECLARATION})?){_S}(?>(?:;{_S}(?>(?:{_DECLARATION})?){_S})*)\}}"
_RULE = rf"{_SELECTOR}{_S}(?>(?:,{_S}{_SELECTOR}{_S})*){_BLOCK}"
_STEP = r"(?:from|to|[0-9]++(?>(?:\.[0-9]++)?)%)"
_KEYFRAMES = rf"@keyframes[ \t\r\n]++{_IDENT}{_S}\{{{_S}(?>(?:{_STEP}{_S}(?>(?:,{_S}{_STEP}{_S})*){_BLOCK}{_S})*)\}}"
_CONDITION = rf"(?>(?:{_IDENT}(?!\()|\({_S}{_IDENT}{_S}(?>(?::[a-zA-Z0-9./ -]++)?)\)|[ \t\r\n]++)+)"
_MEDIA = rf"@(?:media|supports)[ \t\r\n]++{_CONDITION}\{{{_S}(?>(?:(?:{_RULE}|{_KEYFRAMES}){_S})*)\}}"
_STYLE: Final = re.compile(rf"{_S}(?>(?:(?:{_RULE}|{_KEYFRAMES}|{_MEDIA}){_S})*)")

_ASIDE: Final = re.compile(r""""[^"\n\r\f]*+"|'[^'\n\r\f]*+'|/\*(?>(?:[^*]|\*(?!/))*)\*/""")
_DECLARATIONS: Final = re.compile(r"\{([^{}]*+)\}")
_SETS: Final = re.compile(r"(?:^|;)[ \t\r\n]*+([a-zA-Z_-][a-zA-Z0-9_-]*+)[ \t\r\n]*+:([^;]*+)")
_CALLS: Final = re.compile(r"([a-zA-Z_-][a-zA-Z0-9_-]*+)\(")


def is_plain(css: str) -> bool:
    """Whether a style is everyday CSS within the limits and without a fault. False does not mean that it has one."""
    if len(css.encode("utf-8", "surrogatepass")) > limits.STYLE_BYTES or FORBIDDEN.search(css):
        return False
    if _EMPTY in css or _FULL in css or "\0" in css:
        return False
    text = _ASIDE.sub(_placeholder, css)
    if "/*" in text or _STYLE.fullmatch(text) is None:
        return False
    # For a rule that holds rules, only its inner blocks match here, not the outer braces.
    sets = _SETS.findall(";".join(_DECLARATIONS.findall(text)))
    values = {(name.lower(), value) for name, value in sets}
    names = {name for name, _ in values}
    if not all(name in PROPERTIES or name.startswith("--") for name in names):
        return False
    if not {call.lower() for _, value in values for call in _CALLS.findall(value)} <= FUNCTIONS:
        return False
    return all(
        not (_FULL in value and name not in PROPERTIES_WITH_STRINGS)
        and not (name == "position" and value.strip(" \t\r\n").lower() not in POSITIONS)
        for name, value in values
    )


def _placeholder(match: re.Match[str]) -> str:
    found = match.group()
    if found.startswith("/*"):
        return " "
    return _EMPTY if len(found) == 2 else _FULL
