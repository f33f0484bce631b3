"""One word has one meaning: the glossary of CONTRIBUTING.md defines each once, and retired words do not return."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def _rows(heading: str) -> list[str]:
    """The first cells of the table under a heading."""
    section = re.split(r"^#+ ", TEXT.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| (?!---)([^|]+?) \|", section, re.MULTILINE)[1:]


TERMS, RETIRED = _rows("Glossary"), _rows("Retired words")
STORED = set(re.findall(r"`(\w+)`", re.findall(r"names that are stored:([^.]*)\.", TEXT)[0]))
FORMS = re.compile(rf"(?<![a-z])(?:{'|'.join(RETIRED)})(?:d|s|ing)?(?![a-z])", re.IGNORECASE)
NAMES_ONLY = {"reach", "why", "birth"}
"""Ordinary English words, retired only as names."""


def _stored_name(name: str) -> str:
    """The name without what Django appends to a field's name to compare it (`birth__in`)."""
    return name.partition("__")[0]


def _names(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and _stored_name(token.string) not in STORED:
            yield token.start[0], token.string


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Comments, docstrings, and strings that explain the name above them."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def _found(source: str) -> list[tuple[int, str]]:
    found = [(line, match[0]) for line, name in _names(source) for match in FORMS.finditer(name)]
    for line, text in _prose(source):
        found += [(line, match[0]) for match in FORMS.finditer(text) if not _plain(match[0])]
    return found


def _plain(word: str) -> bool:
    return any(word.lower().startswith(name) for name in NAMES_ONLY)


def test_no_term_is_defined_twice_and_none_is_retired() -> None:
    assert len(TERMS) > 20
    assert len(TERMS) == len({term.lower() for term in TERMS})
    assert not {term.lower() for term in TERMS} & {word.lower() for word in RETIRED}


@pytest.mark.parametrize("room", sorted(path.name for path in (ROOT / "compliance").glob("[a-z]*")))
def test_retired_words_do_not_return(room: str) -> None:
    faults = []
    folder = ROOT / "compliance" / room
    for path in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
        if "migrations" not in path.parts:
            name = path.relative_to(ROOT)
            faults += [f"{name}: the module's name"] if FORMS.search(path.stem) else []
            faults += [f"{name}:{line}: {word}" for line, word in _found(path.read_text())]
    assert not faults, "\n".join(faults)


def test_the_check_finds_names_and_prose() -> None:
    source = '"""What was told."""\n\nstanding_of = 1  # it stands\nbirths, birth = "said"\n'
    assert [word for _, word in _found(source)] == ["standing", "births", "stands", "told"]
