"""The forged packs of the vectors: each has one fault, which the verifier names, and never takes long or fails over."""

import io
import time
from pathlib import Path

import pytest

from compliance.proofs import pack, pack_receipts
from compliance.proofs.errors import PackUnreadable
from compliance.proofs.findings import Report
from compliance.proofs.forms import Form
from tests.proofs.pack_mutations import PRODUCT_TRUST, second_on_pack
from tests.vectors.log import forge
from tests.vectors.log.pack import PACK, seal, zipped

NAMED = {
    "hidden_employee": "registers/people.jsonl row 3: person_name: The history commits to a name here, and nothing",
    "hidden_holder": "registers/certificates.jsonl row 1: person_name: The history commits to a name here, and nothing",
    "certificate_with_an_address": "identities.jsonl line 7: work_email: work_email is not null",
    "salt_with_a_name": "identities.jsonl line 7: salt: salt is not 32 lower-case hexadecimal digits",
    "open_text": "history/people.jsonl line 1: This is not JSON",
    "sequence_too_large": "pack.json: No history is as long as the sequence of the pin says",
    "policy_that_is_no_text": "registers/policies.jsonl row 1 (version 03a9f97e-b570-40dc-920e-0d6ea20b89e2): html:",
    "truth_for_a_number": "registers/courses.jsonl row 1: lessons: The row says",
    "exchanged_names": "registers/certificates.jsonl: The file has fields that no file of a pack has, such as another",
    "unlisted_entry": "pack.zip: The archive holds bytes of no file that it lists before the table of entries",
}
LEFT_TO_THE_PRODUCT = {"truth_for_a_number", "unknown_zone", "two_ends"}
SECONDS = 20
"""A line that is read again and again took an hour."""


def read(name: str) -> bytes:
    return Path(forge.FORGED, f"{name}.zip").read_bytes()


def report_on(content: bytes) -> Report:
    report = Report()
    pack.verify_pack(io.BytesIO(content), "pack.zip", PRODUCT_TRUST, report)
    return report


def test_the_forged_packs_are_those_that_their_writer_makes() -> None:
    assert {path.stem: path.read_bytes() for path in forge.FORGED.iterdir()} == forge.packs()


@pytest.mark.parametrize("name", NAMED)
def test_what_is_forged_is_named(name: str) -> None:
    began = time.monotonic()
    found = [str(fault) for fault in report_on(read(name)).faults]
    assert time.monotonic() - began < SECONDS
    assert any(fault.startswith(NAMED[name]) for fault in found), found


@pytest.mark.parametrize(
    ("line", "captured_at", "sentence"),
    [
        (2, "2019-01-01T00:00:00.000000Z", "The capture is older than the one before it."),
        (2, "2027-01-01T00:00:00.000000Z", "Of its row versions, 53 say that they were recorded at another moment."),
        (1, "2027-01-01T00:00:00.000000Z", "The capture is older than the one before it."),
    ],
)
def test_captures_at_other_moments_are_named_though_the_chain_holds(line: int, captured_at: str, sentence: str) -> None:
    files = forge.genuine()
    captures = forge.rows_of(files, "history/captures.jsonl")
    captures[line - 1]["captured_at"] = captured_at
    files = forge.captured_again(forge.with_rows(files, "history/captures.jsonl", captures))
    found = [str(fault) for fault in report_on(zipped(seal(files))).faults]
    assert f"history/captures.jsonl line 2: captured_at: {sentence}" in found
    assert all("captured_at" in fault for fault in found)


@pytest.mark.parametrize("captured_at", ["infinity", "2026-06-01T24:00:00.000000Z", "2026-06-01 12:00:00Z", ""])
def test_a_moment_of_a_capture_that_is_no_instant_is_named(captured_at: str) -> None:
    files = forge.genuine()
    captures = forge.rows_of(files, "history/captures.jsonl")
    captures[1]["captured_at"] = captured_at
    files = forge.with_rows(files, "history/captures.jsonl", captures)
    (fault,) = map(str, report_on(zipped(seal(files))).faults)
    assert fault == "history/captures.jsonl line 2: captured_at is no instant in the form that is hashed."


@pytest.mark.parametrize("name", ["hidden_employee", "hidden_holder", "certificate_with_an_address",
                                  "salt_with_a_name", "truth_for_a_number"])  # fmt: skip
def test_nothing_else_in_these_packs_is_at_fault(name: str) -> None:
    assert len(report_on(read(name)).faults) == 1


@pytest.mark.parametrize("name", sorted(set(forge.packs()) - LEFT_TO_THE_PRODUCT))
def test_the_second_verifier_refuses_them_too(name: str) -> None:
    assert second_on_pack(read(name))


def test_what_no_check_expected_is_a_fault_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "MOST_SEQUENCE", 1 << 62)
    monkeypatch.setattr(pack_receipts, "TEXT_FORM", Form("anything", lambda value: True))
    for name, sentence in (
        ("sequence_too_large", "The pack: It holds a number that is larger than any of a pack."),
        ("policy_that_is_no_text", "The pack: Text with a lone surrogate is not Unicode text and cannot be hashed."),
    ):
        assert sentence in [str(fault) for fault in report_on(read(name)).faults]


def test_a_name_of_two_lines_is_taken_for_what_it_is() -> None:
    content = zipped(seal(forge.two_lines_in_a_name(forge.genuine())))
    assert report_on(content).faults == []
    assert second_on_pack(content) is None


def test_rows_of_erased_people_are_counted() -> None:
    notes = report_on(PACK.read_bytes()).notes
    assert "1 rows of people and certificates name nobody: the history shows that the person was erased." in notes


def test_a_period_in_a_time_zone_that_nobody_knows_is_not_verified() -> None:
    report = report_on(read("unknown_zone"))
    assert report.faults == []
    assert any("does not know the time zone Nowhere/Nowhere" in each for each in report.unchecked)


def test_a_zip_with_two_ends_is_not_read() -> None:
    with pytest.raises(PackUnreadable, match="is not where it says"):
        report_on(read("two_ends"))
