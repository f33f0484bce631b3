"""The tests that docs/security.md names exist: every file in it is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "security.md").read_text()


def test_every_test_that_it_names_is_there():
    named = set(re.findall(r"`([\w/]+/test_\w+\.py)`", TEXT))
    assert len(named) > 30
    assert sorted(name for name in named if not (ROOT / "tests" / name).is_file()) == []


def test_every_chapter_of_the_standard_has_a_state():
    states = dict(re.findall(r"^\| (V\d+) [^|]+\| ([^|]+) \|", TEXT, re.MULTILINE))
    assert list(states) == [f"V{number}" for number in range(1, 18)]
    assert set(states.values()) <= {"met", "not applicable", "open in part", "open"}
