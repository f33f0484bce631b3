"""All that `tests/running.py` names exists: a file that has moved would run again on both versions, or begin last."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import running

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [*running.ONCE, *running.LONGEST_FIRST])
def test_every_name_is_a_file_or_a_folder_of_tests(name: str) -> None:
    path = ROOT / name
    assert path.is_dir() or path.name.startswith("test_")
    assert path.exists()


def test_what_one_version_is_enough_for_is_left_out_when_both_are_asked_for() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
    both, everything = (
        subprocess.run(
            [*command, "tests/interfaces/operations", *more], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for more in (["--both-versions"], [])
    )
    assert "tests/interfaces/operations/test_production.py" in running.ONCE
    assert "tests/interfaces/operations/test_production.py" in everything
    assert "tests/interfaces/operations/test_production.py" not in both
    assert "tests/interfaces/operations/test_letters.py" in both
