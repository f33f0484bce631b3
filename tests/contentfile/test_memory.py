"""The memory that the check of a package takes, measured in a process of its own: it does not add up over the files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compliance.contentfile import check_content, check_package, limits
from tests.contentfile.make_vectors import Package

MEBIBYTE = 1024 * 1024
MEASURED = """
import sys
from pathlib import Path
from compliance.contentfile import check_package

def most():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024

before = most()
package = check_package(sys.argv[1])
print(most() - before, package.ok, *sorted({fault.code.value for fault in package.faults}))
"""


def measured(folder: Path) -> tuple[int, str]:
    """The mebibytes that the check of a package takes, and what it finds."""
    ran = subprocess.run([sys.executable, "-c", MEASURED, folder], capture_output=True, text=True, check=True)
    taken, _, found = ran.stdout.strip().partition(" ")
    return int(taken), found


def with_languages(folder: Path, count: int, size: int, *, title: str = "") -> Path:
    """A package in `count` languages whose words files have `size` bytes each, most of it one text with one emoji."""
    package = Package()
    languages = [f"{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(count)]
    package.manifest["languages"] = languages
    package.manifest["words"] = {language: f"words/{language}.json" for language in languages}
    package.write(folder)
    (folder / "words" / "en.json").unlink()
    words = package.words["words"]
    if title:
        words["course.title"] = title
    for language in languages:
        values = {"schema": "svc.words/2", "language": language, "words": words | {"course.plan": "\N{GRINNING FACE}"}}
        short = json.dumps(values, ensure_ascii=False)
        room = "x" * (size - len(short.encode()))
        (folder / "words" / f"{language}.json").write_text(
            short.replace("\N{GRINNING FACE}", f"{room}\N{GRINNING FACE}")
        )
    return folder


def test_of_large_words_files_only_the_words_are_kept(tmp_path: Path) -> None:
    # A text with an emoji takes four bytes a character: 128 MiB of words, and once more what one file takes.
    taken, found = measured(with_languages(tmp_path / "package", 8, 4 * MEBIBYTE))
    assert found == "True"
    assert taken < 200


def test_no_words_are_kept_of_a_package_with_an_error(tmp_path: Path) -> None:
    taken, found = measured(with_languages(tmp_path / "package", 8, 4 * MEBIBYTE, title=" "))
    assert found == "False empty_words"
    assert taken < 100


def test_words_files_that_are_too_large_together_are_refused_unread(tmp_path: Path) -> None:
    folder = with_languages(tmp_path / "package", 8, 4 * MEBIBYTE)
    assert check_package(folder).ok
    name = folder / "words" / "aa.json"
    name.write_bytes(name.read_bytes() + b" ")
    taken, found = measured(folder)
    assert found == "False too_large"
    assert taken < 20
    assert [fault.pointer for fault in check_package(folder).faults] == ["/words"]


@pytest.mark.parametrize("name", ["content.json", "words/en.json"])
def test_a_file_of_countless_small_values_is_refused_before_it_is_parsed(tmp_path: Path, name: str) -> None:
    folder = Package().write(tmp_path / "package")
    (folder / name).write_bytes(b"[" + b"{}," * (limits.JSON_BYTES // 3 - 1) + b"0]")
    taken, found = measured(folder)
    assert found == "False too_large"
    assert taken < 100


def test_commas_and_brackets_within_strings_are_no_values(tmp_path: Path) -> None:
    package = Package()
    package.words["words"]["course.plan"] = ",[{" * (limits.JSON_NODES // 2)  # 6 MiB
    assert check_package(package.write(tmp_path / "package")).ok


def test_places_of_faults_and_repeated_keys_take_little_memory(tmp_path: Path) -> None:
    folder = Package().write(tmp_path / "package")
    (folder / "content.json").write_bytes(b"[" + b"{}," * 500_000 + b'"\\u0001"]')
    taken, found = measured(folder)
    assert found == "False control_character wrong_type"
    assert taken < 75
    (folder / "content.json").write_bytes(b"[" + b'{"a":0,"a":0},' * 150_000 + b"0]")
    taken, found = measured(folder)
    assert found == "False duplicate_key"
    assert taken < 65


def test_a_role_that_is_named_half_a_million_times_takes_little_memory(tmp_path: Path) -> None:
    package = Package()
    package.content["lessons"][0]["requiredFor"] = ["driver"] * 500_000
    package.content = json.dumps(package.content).encode()
    taken, found = measured(package.write(tmp_path / "package"))
    assert found == "True"
    assert taken < 60


def test_a_manifest_has_a_smaller_limit(tmp_path: Path) -> None:
    folder = Package().write(tmp_path / "package")
    manifest = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(manifest.ljust(limits.MANIFEST_BYTES))
    assert check_package(folder).ok
    (folder / "manifest.json").write_bytes(manifest.ljust(limits.MANIFEST_BYTES + 1))
    assert [fault.code.value for fault in check_package(folder).faults] == ["too_large"]


@pytest.mark.parametrize(("rows", "refused"), [(490, False), (510, True)])
def test_a_file_may_have_as_many_values_as_an_object_that_is_already_parsed(
    monkeypatch: pytest.MonkeyPatch, rows: int, refused: bool
) -> None:
    monkeypatch.setattr(limits, "JSON_NODES", 1_000)
    content = {"schema": "svc.content/2", "lessons": [[0]] * rows}
    for given in (content, json.dumps(content).encode()):
        assert ("too_large" in {fault.code.value for fault in check_content(given).faults}) is refused
