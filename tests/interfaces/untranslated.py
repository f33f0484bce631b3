"""Finds text of pages that passes through no translation.

Templates are parsed as by Django, without translated parts; modules by their syntax: a string that reads like words
must be an argument of gettext.
"""

import ast
import re
from collections.abc import Callable

from django.template.base import Lexer, TokenType

_SHOWN_ATTRIBUTE = re.compile(r'\b(?:aria-label|alt|placeholder|title|data-name)="([^"]*)"')
_TAG = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<!--.*?-->|<[^>]*>", re.DOTALL)
_NO_TEXT = re.compile(r"<code\b.*?</code>|<kbd\b.*?</kbd>", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{2,}")
_NAMES = {
    "Compliance",
    "Records",
    "JSON",
    "Lines",
    "CSV",
    "XLSX",
    "PDF",
    "ZIP",
    "UTC",
    "API",
    "SCIM",
    "Parquet",
    "Excel",
    "Ctrl",
}
_ENTITY = re.compile(r"&\w+;")
_FILTER = re.compile(r"""\|(?:add|default|default_if_none|join|yesno):["']([^"']*)""")


def unmarked_in_template(source: str) -> list[str]:
    """Words of a template that are not within translation: between its tags, and given to filters."""
    inside, text = False, []
    given: list[str] = []
    for token in Lexer(source).tokenize():
        if token.token_type in (TokenType.VAR, TokenType.BLOCK):
            given += _FILTER.findall(token.contents)
        if token.token_type is TokenType.BLOCK:
            name = token.contents.split()[0]
            inside = (inside or name == "blocktranslate") and name != "endblocktranslate"
            text.append("\0")
        elif token.token_type is TokenType.TEXT and not inside:
            text.append(token.contents)
        else:
            text.append("\0")
    whole = "".join(text)
    shown = given + _SHOWN_ATTRIBUTE.findall(whole) + _TAG.split(_NO_TEXT.sub("", whole))
    found = []
    for each in shown:
        for part in _ENTITY.sub(" ", each).split("\0"):
            if any(word not in _NAMES for word in _WORD.findall(part)):
                found.append(" ".join(part.split()))
    return found


_MARKS = {
    "_",
    "_lazy",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "pgettext_lazy",
    "npgettext",
}
_TEXT = r"(?:(?!_|(?<!\w)')[\w ,.;:()'’“”`/+&…–-])"
_WORDS = re.compile(
    rf"[A-Z][a-z]+[.:?!]?|yes|no|(?=.* )(?=.*\b[a-z]{{2,}})[A-Za-z0-9(“]{_TEXT}+|[A-Z“].* .*[a-z)”][.?!]",
    re.ASCII | re.DOTALL,
)
"""A capitalised or a short word alone, some words, or a sentence whatever else it has in it."""

_PART = re.compile(rf"(?=.* )(?=.*(?<![\w/.])[a-z]{{2,}}(?![\w/=])){_TEXT}+", re.ASCII)
"""Words beside the values of an f-string."""

_NAME_OF_MONTH = re.compile(r"(?<!%)%-?[AaBb]\b(?!::)")
"""What `strftime` writes in English in every language: names of months and weekdays."""


def unmarked_in_module(source: str, displayed: Callable[[str], bool]) -> list[str]:
    """Strings of a module that read like text of a page and are not arguments of gettext.

    `displayed`: whether pages display the message of an error of this name.
    """
    tree = ast.parse(source)
    passed: set[int] = set()
    parts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _MARKS | _NOT_SHOWN:
            passed |= {
                id(each) for given in (*node.args, *(k.value for k in node.keywords)) for each in ast.walk(given)
            }
        if isinstance(node, ast.Assert | ast.Raise) and not _displayed(node, displayed):
            passed |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            parts |= {id(each) for each in node.values}
    return [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and id(each) not in passed
        and (
            _WORDS.fullmatch(each.value.strip())
            or _NAME_OF_MONTH.search(each.value)
            or (id(each) in parts and _PART.fullmatch(each.value))
        )
    ]


_NOT_SHOWN = {"fetch", "execute", "Literal", "getLogger", "info", "write", "compile", "wait_for_turn"}


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _displayed(node: ast.Assert | ast.Raise, displayed: Callable[[str], bool]) -> bool:
    raised = node.exc if isinstance(node, ast.Raise) else None
    return isinstance(raised, ast.Call) and displayed(_called(raised))
