"""The page of worked examples (`docs/worked-examples.md`) names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_test_that_the_page_names_exists() -> None:
    told = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__))
    rows = re.findall(r"^\|.*\|(.*)\|$", (ROOT / "docs" / "worked-examples.md").read_text(), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    missing = {name for name in named if f"def {name}(" not in told and f'"{name}"' not in told}
    assert len(named) > 100
    assert missing == set()
