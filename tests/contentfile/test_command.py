"""`python -m compliance.contentfile check`."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.contentfile.__main__ import main
from tests.contentfile.test_vectors import FOLDER, GOOD


def run(*arguments: str | Path) -> tuple[int, str]:
    out = io.StringIO()
    return main(["check", *map(str, arguments)], out), out.getvalue()


def test_good_files_print_their_fingerprint_and_exit_0() -> None:
    status, text = run(*GOOD)
    assert status == 0
    assert text.count(": good, content_sha256 ") == len(GOOD)


def test_warnings_are_printed_and_exit_0() -> None:
    status, text = run(FOLDER / "unused_words.zip")
    assert status == 0
    assert "warning unused_words" in text
    assert "good, 1 warning," in text


def test_a_fault_shows_its_line_and_points_at_the_place() -> None:
    status, text = run(FOLDER / "duplicate_key.json")
    assert status == 1
    lines = text.splitlines()
    assert lines[0].endswith("duplicate_key.json:8:7: error duplicate_key")
    assert lines[3] == '    8 |       "minutes": 6,'
    assert lines[4].index("^") == lines[3].index('"minutes"')
    assert lines[-1].endswith(": 1 error")


def test_faults_inside_a_zip_show_the_line_of_their_file() -> None:
    _, text = run(FOLDER / "media_bytes.zip")
    assert "media_bytes.zip/manifest.json:" in text
    assert '"bytes": ' in text


def test_what_cannot_be_read_exits_2_even_among_good_files(tmp_path: Path) -> None:
    status, text = run(GOOD[0], tmp_path / "nothing.json", FOLDER / "missing_key.json")
    assert status == 2
    assert "nothing.json: cannot be read" in text


def test_names_from_a_file_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "content.json"
    path.write_text('{"\\u001b[31m": 1, "\u202eabc": 2}')
    status, text = run(path)
    assert status == 1
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_json_output_is_one_document_for_programs() -> None:
    status, text = run("--json", FOLDER / "missing_key.json", GOOD[0])
    assert status == 1
    first, second = json.loads(text)["files"]
    assert first["ok"] is False
    assert first["faults"] == [
        {
            "severity": "error",
            "code": "missing_key",
            "file": None,
            "pointer": "/lessons/0",
            "line": 4,
            "column": 5,
            "offset": first["faults"][0]["offset"],
            "message": 'The key "title" is missing in a lesson; add it.',
        }
    ]
    assert second["ok"] is True
    assert len(second["content_sha256"]) == 64


@pytest.mark.parametrize("path", [path for path in sorted(FOLDER.iterdir()) if path.is_file()], ids=lambda p: p.stem)
def test_every_vector_can_be_printed(path: Path) -> None:
    status, text = run(path)
    assert status in (0, 1)
    assert path.stem in text


def test_it_runs_as_a_module_on_a_terminal_that_knows_only_ascii() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "compliance.contentfile", "check", FOLDER / "invalid_text_id.json"],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        cwd=Path(__file__).parent.parent.parent,
        check=False,
    )
    assert done.returncode == 1
    assert b"CYRILLIC" in done.stdout
    assert done.stderr == b""
