"""The golden vectors: digests that never change, and files that are broken in the one way their names say."""

import hashlib
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from compliance.proofs import digests
from compliance.proofs.findings import Report
from compliance.proofs.history import capture_digest, row_hasher, rows_sha256
from compliance.proofs.pages import page_in, parse_json
from compliance.proofs.verifier import verify
from tests.vectors.proofs.write import FOLDER, files

GOLDEN = {each["what"]: each for each in json.loads((FOLDER / "digests.json").read_text(encoding="utf-8"))}
BROKEN = sorted(FOLDER.glob("*.json"))
BROKEN.remove(FOLDER / "digests.json")

SENTENCES = {
    "receipt_dropped_first": "not 64 zeros",
    "receipt_dropped_middle": "one or more are missing between",
    "receipt_dropped_last": "1 is missing",
    "receipt_doubled": "The receipt is doubled",
    "receipts_swapped": "out of order",
    "receipts_of_two_chains": "starts a second chain",
    "version_doubled": "The version is doubled",
    "version_dropped": "1 is missing",
}


def report(*paths: Path) -> Report:
    return verify(page_in(path.name, parse_json(path.name, path.read_bytes())) for path in paths)


def test_the_files_are_what_the_writer_writes() -> None:
    assert {name: (FOLDER / name).read_text(encoding="utf-8") for name in files()} == files()


def test_each_golden_digest_is_the_sha256_of_its_lines() -> None:
    for each in GOLDEN.values():
        assert hashlib.sha256("\n".join(each["lines"]).encode()).hexdigest() == each["sha256"], each["what"]


def test_the_room_gives_the_golden_digests() -> None:
    policy = json.loads((FOLDER / "whole/policies.json").read_text(encoding="utf-8"))["data"][0]
    receipt = json.loads((FOLDER / "whole/acknowledgements.json").read_text(encoding="utf-8"))["data"][0]
    body, first, absence, capture, empty = (
        GOLDEN[what]
        for what in (
            "history row body",
            "history row",
            "history row, absence",
            "history capture",
            "history capture without rows",
        )
    )
    hasher = row_hasher(first["lines"][1])
    row_digests = [
        hasher(*[*first["lines"][2:9], body["lines"][0].encode()]),
        hasher(*[*absence["lines"][2:9], b""]),
    ]
    given = {
        "statement, normalised": digests.statement_sha256(policy["statement"]),
        "document": digests.document_sha256(policy["html"]),
        "policy version": digests.policy_version_digest(
            **{
                name: policy[name]
                for name in (
                    "course_id",
                    "version",
                    "document_sha256",
                    "statement_sha256",
                    "act",
                    "effective_on",
                    "change_kind",
                    "renew_months",
                    "doors",
                )
            }
        ),
        "signature, typed": digests.signature_sha256(digests.TypedSignature("Person 1")),
        "signature, drawn": digests.signature_sha256(digests.DrawnSignature(((0.1, 12, -0.0), (3.0, 2.50, 1e-7)))),
        "receipt": digests.receipt_sha256(
            **{
                name: receipt[name]
                for name in (
                    "receipt_id",
                    "organization_id",
                    "course_release_id",
                    "learner_profile_id",
                    "assignment_id",
                    "cycle_id",
                    "act",
                    "statement_sha256",
                    "document_sha256",
                    "signature_sha256",
                    "signed_at",
                    "previous_sha256",
                )
            }
        ),
        "history row body": digests.sha256_text(body["lines"][0]),
        "history row": row_digests[0],
        "history row, absence": row_digests[1],
        "history capture": capture_digest(
            organization_id=capture["lines"][1],
            capture_sequence=1,
            captured_at=datetime.fromisoformat(capture["lines"][3]),
            first_sequence=1,
            last_sequence=2,
            rows_sha256=rows_sha256(row_digests),
        ),
        "history capture without rows": capture_digest(
            organization_id=empty["lines"][1],
            capture_sequence=2,
            captured_at=empty["lines"][3],
            first_sequence=None,
            last_sequence=None,
            rows_sha256=rows_sha256([]),
            previous_chain_hash=capture["sha256"],
        ),
    }
    assert given == {what: each["sha256"] for what, each in GOLDEN.items()}


def test_the_whole_files_hold() -> None:
    found = report(FOLDER / "whole/policies.json", FOLDER / "whole/acknowledgements.json")
    assert found.faults == []
    assert len(found.holding) == 3


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_each_broken_file_is_at_fault_in_the_way_its_name_says(path: Path) -> None:
    found = report(path)
    sentences = "\n".join(map(str, found.faults))
    if path.stem in SENTENCES:
        assert SENTENCES[path.stem] in sentences
        return
    kind, _, rest = path.stem.partition("_")
    field = rest.removesuffix("_changed")
    number = 4 if kind == "receipt" else 1
    assert any(field in each.fields and f"row {number} " in each.place for each in found.faults), sentences
    assert all(f"row {number} " in each.place for each in found.faults), sentences


def test_the_lines_of_code_in_the_guide_verify_the_whole_file_and_no_broken_one() -> None:
    guide = (Path(__file__).resolve().parents[2] / "docs/verify.md").read_text(encoding="utf-8")
    code = guide.split("```python\n")[1].split("```")[0]

    def follow(name: str) -> bool:
        done = subprocess.run(
            [sys.executable, "-I", "-c", code, FOLDER / name], capture_output=True, check=False, timeout=60
        )
        return done.returncode == 0

    assert follow("whole/acknowledgements.json")
    assert not follow("receipt_act_changed.json")
    assert not follow("receipts_swapped.json")
