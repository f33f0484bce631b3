"""An evidence pack is the same bytes each time, and its verifier, with nothing but Python, tells every change."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings

from compliance.history.actions import capture_all
from compliance.interfaces.console.evidence import building, packing, verify
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.operations import checkpoint_file
from tests.interfaces.console.small_company import FORMULA, NOW, SmallCompany, small_company

FIRST, LAST = date(2025, 1, 1), date(2026, 5, 31)
KEY = "a key of the test that is long enough"


@pytest.fixture(scope="module")
def packed(django_db_setup, django_db_blocker, tmp_path_factory) -> bytes:
    """One pack for the tests that only verify it; its company is taken back."""
    folder = tmp_path_factory.mktemp("packed")
    with (
        override_settings(CHECKPOINT_FILE=str(folder / "checkpoints.notes"), CHECKPOINT_KEYS=[KEY]),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        about = subject(small_company().organization_id, FIRST, LAST, now=NOW)
        building.build(about, folder / "pack.zip")
        transaction.set_rollback(True)
    return (folder / "pack.zip").read_bytes()


@pytest.fixture
def folder(packed, tmp_path) -> Path:
    """The pack, unpacked into an empty folder."""
    with zipfile.ZipFile(io.BytesIO(packed)) as pack:
        pack.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def small(db, settings, tmp_path) -> SmallCompany:
    settings.CHECKPOINT_FILE = str(tmp_path / "checkpoints.notes")
    settings.CHECKPOINT_KEYS = [KEY]
    return small_company()


def rows(folder: Path, register: str) -> list[dict]:
    return [json.loads(line) for line in (folder / "registers" / f"{register}.jsonl").read_text().splitlines()]


def test_two_packs_of_one_subject_are_the_same_bytes_also_when_more_has_happened_since(small, tmp_path):
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    first = building.build(about, tmp_path / "first.zip")
    small.company.join("Hal", at=NOW)
    capture_all(small.organization_id, NOW)
    again = subject(small.organization_id, FIRST, LAST, now=NOW, capture_sequence=about.pin.capture_sequence)
    second = building.build(again, tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    assert first == second
    newer = subject(small.organization_id, FIRST, LAST, now=NOW)
    assert newer.pin.capture_sequence > about.pin.capture_sequence
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoints.notes", "first.zip", "second.zip"]


def test_the_verifier_passes_in_an_empty_folder_with_nothing_but_python(folder):
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py"], cwd=folder, env={}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("No fault found.\n")
    assert "7 people = 7 owing + 0 excused + 0 none owed" in ran.stdout
    assert "the checkpoint is of it" in ran.stdout
    assert verify.main([str(folder)]) is None  # it left nothing behind


def changed_bytes(folder: Path) -> Iterator[tuple[Path, int]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            size = path.stat().st_size
            steps = range(0, size, 401) if path.name == "SHA256SUMS" else (0, size // 2, size - 1)
            yield from ((path, at) for at in steps if size)


def test_the_verifier_fails_after_a_byte_of_any_file_has_changed(folder):
    for path, at in changed_bytes(folder):
        content = path.read_bytes()
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert verify.main([str(folder)]), (path.name, at)
        path.write_bytes(content)
    assert verify.main([str(folder)]) is None


def test_the_verifier_itself_once_changed_exits_with_a_fault(folder):
    source = (folder / "verify.py").read_bytes()
    for old, new in (
        (b'"""Verify this', b'"""Derify this'),
        (b"wrong and", b"wrong or "),
        (b"!= digest", b"== digest"),
    ):
        assert old in source
        (folder / "verify.py").write_bytes(source.replace(old, new, 1))
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "verify.py"], cwd=folder, env={}, capture_output=True, check=False
        )
        assert ran.returncode == 1


@pytest.mark.parametrize("change", ["missing", "added", "listed again"])
def test_files_that_are_missing_or_added_are_found(change, folder):
    if change == "missing":
        (folder / "registers" / "people.csv").unlink()
    elif change == "added":
        (folder / "verifier" / "more.py").write_text("")
    else:
        with (folder / "SHA256SUMS").open("a") as listed:
            listed.write(f"{'0' * 64}  README.txt\n")
    assert verify.main([str(folder)])


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("registers/people.jsonl", b'"entry_type":"employee"', b'"entry_type":"invitation"', "Counted anew"),
        ("registers/acknowledgements.jsonl", b'"version":1', b'"version":2', "differs from the pages"),
        ("history/captures.jsonl", b'"tree_root":"', b'"tree_root":"0', "does not hold"),
        ("policies/", b"Lock", b"lock", "not the file that people read"),
        ("checkpoint.txt", b"\n1\n", b"\n2\n", "another history"),
    ],
)
def test_changes_are_found_even_when_the_list_of_files_was_made_anew(name, old, new, sentence, folder):
    path = folder / name
    path = next(path.iterdir()) if path.is_dir() else path
    content = path.read_bytes()
    if name == "checkpoint.txt":
        sequence = content.split(b"\n")[2]
        old, new = b"\n" + sequence + b"\n", b"\n1\n"
    assert old in content
    path.write_bytes(content.replace(old, new))
    (folder / "SHA256SUMS").unlink()
    packing.write_list(folder)
    assert sentence in (verify.main([str(folder)]) or "")


def test_the_registers_are_those_of_the_api_and_tables_hold_no_formula(folder):
    people = {row["person_name"] for row in rows(folder, "people")}
    assert people == {FORMULA, "Ben", "Cleo", "Dan", "Eve", "Flo", "Erased person"}
    table = (folder / "registers" / "people.csv").read_text(encoding="utf-8-sig")
    assert '"\'=HYPERLINK(""https://example.org"",""Ada"")"' in table
    assert len(rows(folder, "acknowledgements")) == 2
    policy = rows(folder, "policies")[0]
    assert (folder / "policies" / f"{policy['course_release_id']}.html").read_text() == policy["html"]
    assert (folder / "summary.pdf").read_bytes().startswith(b"%PDF-")
    pack = json.loads((folder / "pack.json").read_text())
    assert pack["registers"] == {name: len(rows(folder, name)) for name in pack["registers"]}
    outcomes = {row["outcome"] for row in rows(folder, "training-records-period") if row["requirement"] == "required"}
    assert {"completed_on_time", "completed_late", "waived", "overdue"} <= outcomes


def test_every_pack_carries_the_checkpoint_of_its_own_pin(folder, settings):
    settings.CHECKPOINT_KEYS = [KEY]
    snapshot = json.loads((folder / "snapshot.json").read_text())["snapshot"]
    note = (folder / "checkpoint.txt").read_text()
    assert f"\n{snapshot['capture_sequence']}\n{snapshot['chain_hash']}\n" in note
    assert checkpoint_file.checked(note)
    assert (folder / "checkpoint-key.txt").read_text().startswith("svc-checkpoint+")


def test_periods_that_cannot_be_proved_are_refused(small):
    for first, last in ((LAST, FIRST), (date(2019, 1, 1), LAST), (FIRST, date(2026, 6, 2))):
        with pytest.raises(CannotBuildError):
            subject(small.organization_id, first, last, now=NOW)


def test_the_command_writes_a_pack_and_says_what_to_tell_the_verifier(small, tmp_path):
    told = io.StringIO()
    arguments = ["--organization", str(small.organization_id), "--from", "2025-01-01", "--to", "2026-05-31"]
    call_command("evidence_pack", *arguments, "--output", str(tmp_path / "a.zip"), "--json", stdout=told)
    report = json.loads(told.getvalue())
    assert zipfile.ZipFile(tmp_path / "a.zip").testzip() is None
    assert len(report["list_sha256"]) == 64
    with pytest.raises(CommandError):
        call_command("evidence_pack", *arguments, "--output", str(tmp_path / "nowhere" / "a.zip"))
