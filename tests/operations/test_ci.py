"""`.ci/run` with a make of the test's own, which records its arguments and fails where the test wants it to."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What fails, and how many parts have begun by then: one may end another that runs beside it before that has begun.
PARTS = {
    "nothing": {5},
    "newest install": {2},
    "oldest check": {3, 4},
    "newest test": {3, 4},
    "oldest test": {5},
}
MAKE = """#!/bin/sh
echo "$3|$4|$*" >> "$NOTED"
case "$3 $4" in *"$FAILING") exit 7 ;; esac
"""


@pytest.mark.parametrize("failing", PARTS)
def test_each_part_that_fails_fails_ci_at_once_and_no_folder_is_left(tmp_path, failing):
    programs, temporary = tmp_path / "programs", tmp_path / "temporary"
    programs.mkdir()
    temporary.mkdir()
    for name, text in (("make", MAKE), ("apt-get", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    noted = tmp_path / "noted"
    here = {"PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(temporary), "NOTED": str(noted)}
    done = subprocess.run(
        [ROOT / ".ci" / "run"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env=os.environ | here | {"FAILING": failing},
    )  # fmt: skip
    assert done.returncode == (0 if failing == "nothing" else 7), done.stderr
    asked = [line.split("|") for line in noted.read_text().splitlines()]
    assert len(asked) in PARTS[failing]
    for folder, _, _ in asked:
        assert " " in folder
        assert "é" in folder
        assert not Path(folder).exists()
    if failing == "nothing":
        versions, everything = [words for _, kind, words in asked[2:] if kind == "test"]
        # The newest Python meets the oldest PostgreSQL, the oldest the newest.
        assert "newest" in versions
        assert "POSTGRESQL=16" in versions
        assert "--both-versions" in versions
        assert everything.endswith("oldest test")
    assert list(temporary.iterdir()) == []
