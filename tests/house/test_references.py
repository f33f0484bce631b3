"""Texts refer only to what is in the repository: no numbered sections or issues from elsewhere, no broken links."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).relative_to(ROOT)
NUMBERED = re.compile(
    r"\b(?:designs?|issues?|next|storey)[\s_]*(?:#|no\.?|nr\.?|number|sections?|parts?|§)?[\s_]*\d"
    r"|\b(?:next|design|contract|brief)\.md\b"
    r"|\bcontract'?s?,? (?:section|part|chapter)\b|\bdone means\b|/work/(?:shared|trees|main)\b",
    re.IGNORECASE,
)
"""References to a numbered section or issue, or to a document, outside the repository."""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
LEFT_OUT = re.compile(r"\.git|\.venv|var|node_modules|__pycache__|\.\w+_cache|\.hypothesis|.*\.egg-info")
"""Generated folders, which are not checked in."""
PLAIN = re.compile(r"(?<![\w/.-])((?:docs/)(?:[\w-]+/)*[\w-]+\.md)(?:#([\w-]+))?")
"""A page of the documents, named in code, in configuration or in another page."""


@cache
def _texts() -> list[tuple[Path, str]]:
    """Every text of the repository, with its path from the root."""
    texts = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if not LEFT_OUT.fullmatch(name))
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and path.stat().st_size < 2_000_000 and path.suffix != ".pyc":
                data = path.read_bytes()
                if b"\0" not in data:
                    texts.append((path.relative_to(ROOT), data.decode("utf-8", "replace")))
    return texts


def _pages() -> Iterator[tuple[Path, str]]:
    return ((path, text) for path, text in _texts() if path.suffix == ".md")


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors of a Markdown page: `<a id>` elements, and headings as GitHub names them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#+ +(.*)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    return frozenset(found)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _fault(page: Path, anchor: str | None) -> str | None:
    """Why a link to `page` (below the root) is broken, or None."""
    if not page.exists():
        return "there is no such file"
    if anchor and page.suffix == ".md" and anchor not in _anchors(page):
        return f"the page has no anchor {anchor}"
    return None


def test_nothing_refers_to_a_numbered_section_or_issue_of_elsewhere() -> None:
    found = [
        f"{path}:{_line(text, match.start())}: {match[0]}"
        for path, text in _texts()
        if path != HERE and path.name not in {"package-lock.json", "production.env", ".git"}
        for match in NUMBERED.finditer(text)
    ]
    assert not found, "\n".join(found)


def test_every_relative_link_of_a_page_leads_somewhere() -> None:
    broken = []
    for path, text in _pages():
        for match in LINK.finditer(text):
            target = match[1] or match[2]
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            page = (ROOT / path.parent / name).resolve() if name else ROOT / path
            if fault := _fault(page, anchor):
                broken.append(f"{path}:{_line(text, match.start())}: {target}: {fault}")
    assert not broken, "\n".join(broken)


def test_every_page_that_a_text_names_exists() -> None:
    broken = [
        f"{path}:{_line(text, match.start())}: {match[0]}: {fault}"
        for path, text in _texts()
        for match in PLAIN.finditer(text)
        if (fault := _fault(ROOT / match[1], match[2]))
    ]
    assert not broken, "\n".join(broken)


@pytest.mark.parametrize(
    "text",
    ["(design 4)", "design 10's table", "Design section 7", "see issue #12", "Issues 3 and 4", "issue_17", "next.md"],
)
def test_the_pattern_knows_the_spellings(text: str) -> None:
    assert NUMBERED.search(text)


def test_an_adr_has_its_number_and_a_decision_in_its_first_line() -> None:
    numbers = []
    for page in sorted((ROOT / "docs" / "adr").glob("*.md")):
        number, first = page.name[:4], page.read_text().partition("\n")[0]
        assert re.fullmatch(rf"# {number}: \S.*", first), f"{page.name}: {first}"
        numbers.append(number)
    assert len(numbers) == len(set(numbers)), "two decisions have one number"
