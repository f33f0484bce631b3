"""Every text of the console's pages passes through translation.

Templates are parsed as by Django, without translated parts; modules by their syntax: a string that reads like words
must be an argument of gettext, or be listed here as not being text of a page.
"""

import ast
import re
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

ROOT = Path(__file__).resolve().parents[3]
CONSOLE = ROOT / "compliance" / "interfaces" / "console"
TEMPLATES = [
    path
    for folder in ("console", "account", "mfa", "sign_in", "socialaccount", "admin")
    for path in sorted((ROOT / "templates" / folder).rglob("*"))
    if path.suffix in (".html", ".txt")
]
MODULES = [path for path in sorted(CONSOLE.rglob("*.py")) if "migrations" not in path.parts]

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


def unmarked_in_template(source: str) -> list[str]:
    """Words between the tags of a template that are not within translation."""
    inside, text = False, []
    for token in Lexer(source).tokenize():
        if token.token_type is TokenType.BLOCK:
            name = token.contents.split()[0]
            inside = (inside or name == "blocktranslate") and name != "endblocktranslate"
            text.append("\0")
        elif token.token_type is TokenType.TEXT and not inside:
            text.append(token.contents)
        else:
            text.append("\0")
    whole = "".join(text)
    shown = _SHOWN_ATTRIBUTE.findall(whole) + _TAG.split(_NO_TEXT.sub("", whole))
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
_READS_LIKE_WORDS = re.compile(r"[A-Z][a-z]+|[A-Z]?[a-z]+(?: [A-Za-z(][\w,.;:()'’-]*)+[.:?]?", re.ASCII)


def unmarked_in_module(source: str) -> list[str]:
    """Strings of a module that read like text of a page and are not arguments of gettext."""
    tree = ast.parse(source)
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _MARKS | _NOT_SHOWN:
            passed |= {
                id(each) for given in (*node.args, *(k.value for k in node.keywords)) for each in ast.walk(given)
            }
        if isinstance(node, ast.Assert | ast.Raise) and not _of_a_page(node):
            passed |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(id(node.value))
    return [
        each.value
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and id(each) not in passed
        and _READS_LIKE_WORDS.fullmatch(each.value.strip())
        and " " in each.value.strip() + (" " if each.value[:1].isupper() else "")
    ]


_NOT_SHOWN = {"fetch", "execute", "Literal", "getLogger", "info", "write", "compile"}


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _of_a_page(node: ast.Assert | ast.Raise) -> bool:
    """Whether a page displays the raised message: errors of the console, and of its forms."""
    raised = node.exc if isinstance(node, ast.Raise) else None
    return isinstance(raised, ast.Call) and _called(raised) not in {
        "ChangedExportError",  # of a command
        "LookupError",
        "ValueError",
        "TypeError",
        "NotImplementedError",
    }


NO_PAGE = {
    "access_chain.py",  # results of verification, for the log and for operators
    "apps.py",
    "models.py",  # help texts for developers; those of pages are marked
    "evidence/building.py",
    "evidence/identity_files.py",
    "evidence/log_files.py",
    "evidence/management/commands/evidence_pack.py",
    "evidence/manifests.py",
    "evidence/summary.py",  # a pack is one document for every reader
    "evidence/tally.py",
    "sign_in/auditors.py",  # names of letters
    "sign_in/devices.py",
    "sign_in/letters.py",  # letters are in English: an account has no language
    "sign_in/lock_out.py",
    "sign_in/sessions.py",  # names of browsers
    "sign_in/letter.txt",
    "sign_in/auditor_letter.txt",
}
"""Files whose words are not text of a page."""

NO_TEXT = {
    # entries of the access log, which is the same for all languages
    "by staff", "signed in", "locked out", "wrong password", "new device", "wrong codes", "signing in", "wrong code",
    "wrong passkey", "code used", "factor added", "factor removed", "passkey added", "passkey removed", "codes made",
    "password changed", "invitation used", "sessions ended", "account made", "account changed", "address changed",
    "account removed", "password set", "invitation made", "second factor reset", "company account bound",
    "company account refused",
    # names and values
    "Lax", "Refresh", "Row", "Line", "Found", "Stored", "Company", "Chain", "After", "Excel", "button main", "taken up",
    "record number", "python -I -S verify.py", '--log-key "LINE"',
    "Operator", "Compliance manager", "Auditor", "Administrator", "see the access log", "see rows as stored",
    "change people", "change records", "keep staff accounts", "overdue missed revoked failed erased", "change-list",
    "SHA256SUMS",
}  # fmt: skip


def _named(path: Path) -> bool:
    return path.name in NO_PAGE or any(path.as_posix().endswith(f"/{each}") for each in NO_PAGE)


@pytest.mark.parametrize(
    "path", [path for path in TEMPLATES if not _named(path)], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_text_of_a_template_is_left_in_english_alone(path):
    assert [text for text in unmarked_in_template(path.read_text(encoding="utf-8")) if text not in NO_TEXT] == []


@pytest.mark.parametrize(
    "path", [path for path in MODULES if not _named(path)], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_text_of_a_module_is_left_in_english_alone(path):
    assert [text for text in unmarked_in_module(path.read_text(encoding="utf-8")) if text not in NO_TEXT] == []


def test_the_check_finds_what_is_not_marked():
    assert unmarked_in_template("<p>{% translate 'Hello you' %} <b>Hello you</b> {{ name }}</p>") == ["Hello you"]
    assert unmarked_in_template('<input placeholder="Your name"><code>manage.py</code>') == ["Your name"]
    assert unmarked_in_module("LABEL = 'Name of the team'\nother = gettext('Name of the team')") == ["Name of the team"]
    assert unmarked_in_module("done = f'The team {name} is made.'") == ["The team ", " is made."]
