"""A program as one file: it runs without the folder it was made from, and shows its sources unchanged."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.proofs import single_file

PROGRAM = '''"""Say what arithmetic and words give.

More about it.
"""

import dataclasses
import typing

from . import words
from .arithmetic import TWICE, half as halve


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    text: str


def main(arguments: "typing.Sequence[str]") -> int:
    from .late import LATE

    print(Said(f"{TWICE} {halve(4)} {words.AND} {arguments} {LATE}"))
    return 3
'''
FOLDER = {
    "program": PROGRAM,
    "arithmetic": 'from .words import AND\nTWICE = f"{AND}\\n{AND}"\n\n\ndef half(number):\n    return number // 2\n',
    "words": "AND = '''and'''\n",
    "late": "LATE = r'\\d'\n",
    "unrelated": "raise RuntimeError\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    for name, source in FOLDER.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr(single_file, "FOLDER", tmp_path)
    return tmp_path


def run(source: str, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "one.py").write_text(source)
    command = [sys.executable, "-I", "-S", "-W", "error", str(elsewhere / "one.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_file_runs_alone_and_gives_the_exit_status(folder: Path) -> None:
    found = run(single_file.single_file("program"), folder, "a", "b")
    assert found.stderr == ""
    assert found.stdout == "Said(text=\"and\\nand 2 and ['a', 'b'] \\\\d\")\n"
    assert found.returncode == 3


def test_modules_are_there_once_after_what_they_need_and_unchanged(folder: Path) -> None:
    text = single_file.single_file("program")
    sources = {
        ast.literal_eval(node.targets[0].slice): ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
    }
    assert sources == {name: FOLDER[name] for name in ("words", "arithmetic", "late", "program")}
    assert list(sources) == ["words", "arithmetic", "late", "program"]
    assert text.splitlines()[1] == '"""Say what arithmetic and words give.'
    assert PROGRAM in text


def test_a_fault_is_traced_to_its_module(folder: Path) -> None:
    (folder / "late.py").write_text("LATE = 1 / 0\n")
    found = run(single_file.single_file("program"), folder)
    assert 'one.py:late.py", line 1' in found.stderr
    assert "ZeroDivisionError" in found.stderr


@pytest.mark.parametrize("name", ["", "missing", "../program", "words.py"])
def test_what_is_no_module_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no module"):
        single_file.single_file(name)


def test_imports_in_a_circle_are_refused(folder: Path) -> None:
    (folder / "words.py").write_text("from .arithmetic import half\n")
    with pytest.raises(ValueError, match="arithmetic -> words -> arithmetic"):
        single_file.single_file("arithmetic")
