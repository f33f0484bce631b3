"""Packs that their operator rewrote, with a new signed list of files: the verifier names each fault."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from compliance.interfaces.console.evidence import building
from compliance.interfaces.console.evidence.subject import subject
from compliance.proofs.single_file import single_file
from tests.interfaces.console.evidence.conftest import KEY
from tests.interfaces.console.evidence.packs import (
    ORIGIN,
    Files,
    files_of,
    listed_anew,
    rows,
    verified,
    with_json,
    with_rows,
    zipped,
)
from tests.interfaces.console.small_company import NOW, small_company

OWED = "registers/training-records.jsonl"
PERIOD = "registers/training-records-period.jsonl"
PEOPLE = "registers/people.jsonl"
HISTORY = "history/training-records.jsonl"
CAPTURES = "history/captures.jsonl"
RECEIPTS = "registers/acknowledgements.jsonl"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def packed(django_db_setup, django_db_blocker, tmp_path_factory) -> bytes:
    """One pack for all faults; its company is rolled back."""
    folder = tmp_path_factory.mktemp("packed")
    own = {"LOG_FOLDER": str(folder / "log"), "LOG_ORIGIN": ORIGIN, "CHECKPOINT_KEYS": [KEY]}
    with override_settings(**own), django_db_blocker.unblock(), transaction.atomic():
        about = subject(small_company().organization_id, date(2025, 1, 1), date(2026, 5, 31), now=NOW)
        building.build(about, folder / "pack.zip")
        transaction.set_rollback(True)
    return (folder / "pack.zip").read_bytes()


@pytest.fixture
def files(packed) -> Files:
    return files_of(packed)


def faults(files: Files) -> list[str]:
    return [str(fault) for fault in verified(zipped(listed_anew(files))).faults]


def changed(name: str, of: str | None = None, **values: Any) -> Callable[[Files], Files]:
    """Changes the first row of a file, `of` a person, in which one of these fields differs, to these values."""

    def change(found: Rows) -> Rows:
        own = [(at, row) for at, row in enumerate(found) if of is None or row["person_name"] == of]
        at = next(at for at, row in own if any(row.get(field) != values[field] for field in values))
        return [row | values if place == at else row for place, row in enumerate(found)]

    return lambda files: with_rows(files, name, change)


def without(name: str, at: int) -> Callable[[Files], Files]:
    return lambda files: with_rows(files, name, lambda found: [row for place, row in enumerate(found) if place != at])


def twice(name: str) -> Callable[[Files], Files]:
    return lambda files: with_rows(files, name, lambda found: [found[0], *found])


def swapped(name: str) -> Callable[[Files], Files]:
    return lambda files: with_rows(files, name, lambda found: [found[1], found[0], *found[2:]])


def replaced(name: str, old: bytes, new: bytes) -> Callable[[Files], Files]:
    def change(files: Files) -> Files:
        path = next(each for each in files if each.startswith(name))
        assert old in files[path]
        return files | {path: files[path].replace(old, new, 1)}

    return change


def rewritten_text(files: Files) -> Files:
    """Makes the text of a training record in the history say that it was done."""
    done = "2025-02-01T09:00:00.000000Z"

    def in_history(found: Rows) -> Rows:
        for line in found:
            if '"completed_at":null' in line.get("content", ""):
                line["content"] = line["content"].replace('"completed_at":null', f'"completed_at":"{done}"')
                return found
        raise AssertionError

    return with_rows(files, HISTORY, in_history)


def older_version(files: Files) -> Files:
    """Removes the newest version of a record."""
    newest = max(rows(files, HISTORY), key=lambda line: line["sequence"])
    return with_rows(files, HISTORY, lambda found: [line for line in found if line != newest])


def split_record(files: Files) -> Files:
    """Separates the versions of a record, so that the older one seems to be in force."""

    def change(found: Rows) -> Rows:
        ids = [line["record_id"] for line in found]
        at = next(at for at in range(1, len(ids)) if ids[at] == ids[at - 1])
        return [*found[:at], *found[at + 1 :], found[at]]

    return with_rows(files, HISTORY, change)


def needed_text_removed(files: Files) -> Files:
    def change(found: Rows) -> Rows:
        line = found[0]
        digest = hashlib.sha256(line.pop("content").encode()).hexdigest()
        return [line | {"content_sha256": digest}, *found[1:]]

    return with_rows(files, PEOPLE.replace("registers", "history"), change)


def another_pin(files: Files) -> Files:
    def earlier(about: dict[str, Any]) -> None:
        for part in ("pin", "snapshot"):
            about[part]["sequence"] -= 1

    return with_json(files, "pack.json", earlier)


def another_snapshot(files: Files) -> Files:
    return with_json(files, "pack.json", lambda about: about["snapshot"].update(sequence=1))


def other_completeness(files: Files) -> Files:
    return with_json(files, "pack.json", lambda about: about["completeness"].update(people=6, none_owed=-1))


def one_person_less(files: Files) -> Files:
    return with_json(files, "pack.json", lambda about: about["completeness"].update(people=8, none_owed=1))


def other_count(files: Files) -> Files:
    return with_json(files, "pack.json", lambda about: about["registers"].update(people=8))


def other_day(files: Files) -> Files:
    return with_json(files, "pack.json", lambda about: about["period"].update({"to": "2026-05-30"}))


def other_root(files: Files) -> Files:
    """Replaces the log by one without the pin's capture: its checkpoint is valid, the path is not."""
    return with_json(files, "log.json", lambda place: place.update(index=place["index"] - 1))


def shorter_path(files: Files) -> Files:
    return with_json(files, "log.json", lambda place: place.update(path=[]))


def unsigned_checkpoint(files: Files) -> Files:
    place = json.loads(files["log.json"])
    text, _, signature = place["checkpoint"].rpartition(" ")
    flipped = signature[:20] + ("A" if signature[20] != "A" else "B") + signature[21:]
    return files | {"log.json": json.dumps(place | {"checkpoint": f"{text} {flipped}"}).encode() + b"\n"}


def name_elsewhere(files: Files) -> Files:
    """Changes a name in the register and in the file of names alike; the commitment cannot be changed."""
    of = rows(files, "identities.jsonl")[1]["record_id"]

    def change(found: Rows) -> Rows:
        own = {"person_name": "Mallory"}
        return [row | own if of in (row.get("record_id"), row.get("person_id")) else row for row in found]

    return with_rows(with_rows(files, "identities.jsonl", change), PEOPLE, change)


def longer_table(files: Files) -> Files:
    name = "registers/people.csv"
    return files | {name: files[name] + b"x\r\n"}


FAULTS: dict[str, tuple[Callable[[Files], Files], str]] = {
    "an outcome": (changed(OWED, outcome="completed_on_time"), ": outcome: The row says completed_on_time"),
    "days late": (changed(OWED, days_late=None), "days_late: The row says null"),
    "an outcome of the period": (changed(PERIOD, outcome="excused"), "outcome: The row says excused"),
    "a deadline": (changed(OWED, due_at="2030-01-01T00:00:00.000000Z"), "due_at: The row says 2030-01-01"),
    "a number for a truth": (changed(PEOPLE, no_required_records=1), "no_required_records: The counts of the row"),
    "a sequence": (changed(OWED, sequence=1), "sequence: The row says 1"),
    "another company": (changed(OWED, organization_id="0" * 8 + "-0000-0000-0000-" + "0" * 12), "organization_id"),
    "another deployment": (changed(OWED, deployment_id="x"), "deployment_id: The row says x"),
    "a field too many": (changed(OWED, note="x"), "note: The row lacks these fields or has too many"),
    "a row taken out": (without(OWED, 3), f"{OWED} row 4: The history lists"),
    "the last row taken out": (without(PEOPLE, -1 % 7), "A row is missing at the end"),
    "a row twice": (twice(OWED), f"{OWED} row 2: The history lists"),
    "rows in another order": (swapped(PEOPLE), f"{PEOPLE} row 1: The history lists"),
    "what is owed": (changed(PEOPLE, "Cleo", records_owed=9, no_required_records=False), "The row counts [9,"),
    "an expired invitation": (changed(PEOPLE, access_state="suspended"), "access_state: The row says suspended"),
    "a certificate's status": (changed("registers/certificates.jsonl", status="revoked"), "status: The row says"),
    "a signature's state": (changed("registers/policy-records.jsonl", state="signed"), "state: The row says signed"),
    "a lesson's fingerprint": (changed("registers/courses.jsonl", content_sha256="0" * 64), "content_sha256: "),
    "a table": (replaced("registers/people.csv", b"Ben", b"Bob"), "registers/people.csv: The line is not that of"),
    "a table's heading": (replaced("registers/people.csv", b"person_id", b"person"), "The heading does not name"),
    "a table that goes on": (longer_table, "more lines than rows"),
    "a name in one register": (changed(OWED, "Cleo", person_name="Mallory"), "gives this person another name"),
    "a name in the people register": (changed(PEOPLE, "Cleo", person_name="Mallory"), "somebody else than the history"),
    "a name everywhere": (name_elsewhere, "This is not the name that history/people.jsonl line"),
    "a name for nobody": (twice("identities.jsonl"), "The line belongs to no row"),
    "a text": (rewritten_text, "The row versions in the pack do not lead to this root"),
    "a newer version kept back": (older_version, "row versions, and the pin is at"),
    "a version twice": (twice(HISTORY), "do not stand by valid_from and sequence"),
    "a record in two places": (split_record, "are in two places"),
    "a text that was needed": (needed_text_removed, "The text is not there"),
    "an earlier pin": (another_pin, "sequence is not within the history"),
    "another snapshot": (another_snapshot, "snapshot is not that of the pin"),
    "a capture": (changed(CAPTURES, captured_at="2020-01-01T00:00:00.000000Z"), "chain_hash is not the digest"),
    "a capture taken out": (without(CAPTURES, 0), "does not follow the one before it"),
    "the last capture taken out": (without(CAPTURES, 1), "The captures do not end at the pin"),
    "a place in the log": (other_root, "The pin's capture is not in the log"),
    "a path in the log": (shorter_path, "The path does not fit"),
    "the checkpoint's signature": (unsigned_checkpoint, "log.json: "),
    "people": (other_completeness, "none_owed is not a whole number"),
    "completeness": (one_person_less, "Counted anew, completeness is 7 people"),
    "a count": (other_count, "pack.json says 8 rows, and there are 7"),
    "a day": (other_day, "In Europe/Lisbon these days are"),
    "a policy file": (replaced("policies/", b"Lock", b"lock"), "This is not the file that people read"),
    "a receipt": (changed(RECEIPTS, version=2), "version: The row says 2"),
    "a receipt's hash": (changed(RECEIPTS, receipt_sha256="0" * 64), "receipt_sha256 is not the hash of the row"),
    "a receipt taken out": (without(RECEIPTS, 0), "row 1: The history lists"),
    "a policy's statement": (changed("registers/policies.jsonl", statement="x"), "statement was changed"),
    "a member twice": (replaced(OWED, b"{", b'{"outcome":"x",'), "A member is given more than once"),
    "what is no JSON": (replaced(OWED, b"{", b"["), f"{OWED} row 1: This is not JSON"),
    "a line that does not end": (lambda f: f | {OWED: f[OWED][:-1]}, "does not end in a line feed"),
    "a format": (replaced("pack.json", b"svc.evidence/2", b"svc.evidence/3"), "The format is not svc.evidence/2"),
    "a file that no pack has": (lambda f: f | {"verifier/__init__.py": b"raise SystemExit"}, "No pack has such a file"),
    "a missing register": (lambda f: {n: c for n, c in f.items() if n != PEOPLE}, f"{PEOPLE}: The file is missing"),
}  # fmt: skip


def test_the_pack_itself_is_without_a_fault_also_when_it_is_listed_anew(files):
    assert faults(files) == []


@pytest.mark.parametrize("what", FAULTS)
def test_what_an_operator_rewrote_is_named(files, what):
    change, sentence = FAULTS[what]
    found = faults(change(files))
    assert any(sentence in fault for fault in found), found


def test_a_row_of_the_wrong_name_is_found_though_its_commitment_is_not_opened(files):
    """An operator who removes the openings still cannot change a name."""
    found = faults(files | {"identities.jsonl": b""})
    assert len(found) == 8
    assert all("nothing opens the commitment" in fault for fault in found)


@pytest.mark.parametrize("name", ["SHA256SUMS", "manifest.txt", "log.json", "summary.pdf", "verify.py", OWED])
def test_a_byte_changed_after_the_signature_is_found(files, name):
    content = bytearray(files[name])
    content[len(content) // 2] ^= 1
    assert verified(zipped(files | {name: bytes(content)})).faults


def test_a_list_of_files_that_another_key_signed_is_refused(files):
    other = listed_anew(files)
    signature = other["manifest.txt"].decode().rpartition("— ")
    forged = signature[0] + "— " + f"{ORIGIN}/evidence " + "A" * 88 + "\n" if signature[1] else ""
    found = [str(fault) for fault in verified(zipped(other | {"manifest.txt": forged.encode()})).faults]
    assert any(fault.startswith("manifest.txt: ") for fault in found), found


def planted(files: Files) -> Iterator[Files]:
    """Packs with code in them wherever a program might load code from."""
    code = b"import pathlib; pathlib.Path('planted').touch(); raise SystemExit(0)\n"
    yield files | {"verify.py": code}
    for name in ("__main__.py", "sitecustomize.py", "json.py", "zipfile.py", "verifier/__init__.py"):
        yield files | {name: code}


def test_nothing_in_a_pack_is_run(files, tmp_path):
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "verify.py").write_text(single_file("verify"))
    for number, each in enumerate(planted(files)):
        (tmp_path / f"{number}.zip").write_bytes(zipped(listed_anew(each)))
    for number in range(6):
        command = [sys.executable, "-I", "-S", str(tmp_path / "tool" / "verify.py"), f"{number}.zip"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        # verify.py is a listed file of the pack, and read as bytes like any other.
        assert ran.returncode == (2 if number == 0 else 1), ran.stdout
    assert not (tmp_path / "planted").exists()
