"""A kind of fact is declared once: how many files name each kind, counted from the code."""

import re
from pathlib import Path

import pytest

from compliance.facts.lines.kinds import KINDS
from compliance.facts.recording import registry

PRODUCT = Path(__file__).parents[2] / "compliance"
MOST_FILES = 7
"""The most files of the product that may name a kind, without migrations."""

WORDING = PRODUCT / "interfaces" / "console" / "wording.py"
"""The names of the contract's values on pages: a reason for an end is spelled like the kind of fact that ends."""

SOURCES = {
    path: path.read_text()
    for path in PRODUCT.rglob("*")
    if path.suffix in (".py", ".html") and "migrations" not in path.relative_to(PRODUCT).parts and path != WORDING
}


def files_naming(kind: str) -> list[str]:
    """The files that name a kind: its word, its recorder, its class, in whatever case."""
    spelled = re.compile(rf"\b(record_)?{kind}\b|\b{KINDS[kind].__name__}\b", re.IGNORECASE)
    return sorted(str(path.relative_to(PRODUCT)) for path, text in SOURCES.items() if spelled.search(text))


@pytest.mark.parametrize("kind", KINDS)
def test_few_files_name_a_kind(kind: str) -> None:
    found = files_naming(kind)
    assert len(found) <= MOST_FILES, "\n".join(found)


def test_every_kind_has_its_recorder_and_validators_see_kinds_that_follow_one_another() -> None:
    registry.load()
    order = list(KINDS)
    for name, kinds in registry.VALIDATED.items():
        between = order[order.index(kinds[0]) : order.index(kinds[-1])]
        others = {KINDS[kind].validator for kind in between}
        assert others <= {name, ""}, f"kinds of two validators lie between one another: {others}"
