"""Proofs of rows: valid ones, each change named with its place, and any other file refused without a traceback."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from compliance.proofs.__main__ import main
from compliance.proofs.cosignature import cosign, witness_key
from compliance.proofs.errors import NotAPage, NoteMalformed
from compliance.proofs.findings import Check, Report
from compliance.proofs.history import tree_capture_lines
from compliance.proofs.identity import identity_sha256
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.log_trust import LogTrust, log_trust
from compliance.proofs.merkle import EMPTY_ROOT, inclusion_path
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.pages import MOST_BYTES
from compliance.proofs.row_proof import PROOF_FORMAT, TreePlace, parse_row_proof, row_proof_text
from compliance.proofs.row_verifier import verify_row_proof

from . import log_story
from .log_story import ORIGIN, ROWS, SIGNER, WHO, hash_text, proof, proof_text

TRUST = log_trust(SIGNER.verifier_key)
OTHER = NoteSigner.from_seed(ORIGIN, bytes(32))
Json = dict[str, Any]


def verdict(document: Json | str | bytes, trust: LogTrust = TRUST) -> Report:
    text = document if isinstance(document, str | bytes) else json.dumps(document)
    report = Report()
    found = parse_row_proof("PROOF.json", text.encode() if isinstance(text, str) else text, report)
    if found is not None:
        verify_row_proof(found, trust, report)
    return report


def fields(document: Json) -> set[str]:
    """The members that the faults of a document name."""
    return {name for fault in verdict(document).faults for name in fault.fields}


def changed(path: str, value: object, **more: Any) -> Json:
    """A proof with another value of the member at `path`, given as `part.member`."""
    document = proof(**more)
    *parts, last = path.split(".")
    part = document
    for each in parts:
        part = part[each]
    part[last] = value
    return document


@pytest.mark.parametrize("sequence", range(1, ROWS + 1))
def test_every_row_of_a_company_has_a_proof_that_holds(sequence: int) -> None:
    for entries, entry in ((1, 0), (2, 1), (7, 6), (11, 6), (300, 255)):
        report = verdict(proof_text(sequence, entries=entries, entry=entry))
        assert report.faults == []
        assert report.unchecked == []
        assert any("signed by the key of the log records.example/log" in each for each in report.holding)
        assert "no newer version" in report.notes[0]


def test_a_proof_states_what_it_proves_and_what_it_does_not() -> None:
    report = verdict(proof_text(17, identity=WHO))
    found = " ".join(report.holding)
    assert "row 17 of 21 in the history of company 0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11" in found
    assert "as of capture 4 (2026-03-31T22:15:00.123456Z)" in found
    assert "entry 6 of the 11" in found
    assert "the person whom `identity` names" in found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("row.organization_id", "1d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"),
        ("row.sequence", 16),
        ("row.register", "courses"),
        ("row.record_id", "8c1d4f6a-2b3e-4f5a-8c9d-0e1f2a3b4c5d"),
        ("row.valid_from", "2026-02-28T08:00:00.000002Z"),
        ("row.recorded_at", "2026-03-31T22:15:00.123455Z"),
        ("row.cause", "sweep"),
        ("row.logic_version", 4),
        ("row.content", "{}"),
        ("tree.size", 20),
        ("tree.index", 15),
        ("tree.path", []),
        ("capture.organization_id", "1d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"),
        ("capture.capture_sequence", "5"),
        ("capture.captured_at", "2026-04-01T22:15:00.123456Z"),
        ("capture.first_sequence", "13"),
        ("capture.last_sequence", "22"),
        ("capture.tree_size", "22"),
        ("capture.tree_root", "cd" * 32),
        ("capture.ledger_head", "cd" * 32),
        ("capture.previous_chain_hash", "cd" * 32),
        ("capture.chain_hash", "cd" * 32),
        ("log.size", 12),
        ("log.index", 5),
        ("log.path", [hash_text(1)] * 4),
        ("identity.salt", "10112233445566778899aabbccddeeff"),
        ("identity.person_name", "Lucja Zak"),
        ("identity.person_name", None),
        ("identity.work_email", None),
    ],
)
def test_each_changed_member_is_a_fault_that_names_it(path: str, value: object) -> None:
    named = fields(changed(path, value, identity=WHO))
    part = path.split(".")[0]
    assert any(name in (path, part) for name in named), named


def test_two_registers_of_one_company_cannot_be_swapped() -> None:
    document = proof(17)
    document["row"] = proof(19)["row"]
    assert {"row", "tree.index"} <= fields(document)


def test_a_capture_of_another_company_is_a_fault_even_when_all_hashes_hold() -> None:
    document = proof(17, changes={"capture": {"organization_id": "1d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"}})
    assert fields(document) == {"row.organization_id"}


@pytest.mark.parametrize(
    "lines",
    [
        {"last_sequence": "20"},
        {"first_sequence": "22"},
        {"first_sequence": "0"},
        {"first_sequence": ""},
        {"tree_size": "20"},
    ],
)
def test_a_capture_whose_lines_contradict_each_other_is_a_fault(lines: Json) -> None:
    assert any(name.startswith(("capture.", "tree.size")) for name in fields(proof(17, changes={"capture": lines})))


def test_a_capture_without_rows_covers_those_before_it() -> None:
    lines = {"first_sequence": "", "last_sequence": ""}
    assert verdict(proof(17, changes={"capture": lines})).faults == []


@pytest.mark.parametrize("recorded", ["2026-03-31T22:15:00.123455Z", "2026-03-31T22:15:00.123457Z"])
def test_a_row_of_the_capture_was_recorded_when_it_was_captured(recorded: str) -> None:
    assert "row.recorded_at" in fields(proof(17, changes={"row": {"recorded_at": recorded}}))


def test_a_row_recorded_after_a_later_capture_is_a_fault() -> None:
    changes = {"row": {"recorded_at": "2026-04-01T00:00:00.000000Z"}}
    assert fields(proof(3, changes=changes)) == {"row.recorded_at"}


def test_an_identity_is_of_no_use_where_the_text_commits_to_none() -> None:
    for changes in ({}, {"row": {"content": '{"number":16}\nvalid'}}, {"row": {"content": '{"identity_sha256":1}'}}):
        assert fields(proof(16, identity=WHO, changes=changes)) == {"identity"}


# ---- signatures ----


def resigned(text: str, *signers: NoteSigner) -> Json:
    document = proof()
    notes = [signer.sign(text) for signer in signers]
    document["log"]["checkpoint"] = notes[0] + "".join(note.rpartition("\n\n")[2] for note in notes[1:])
    return document


def checkpoint_text(document: Json) -> str:
    return str(document["log"]["checkpoint"]).partition("\n\n")[0] + "\n"


def test_only_the_key_that_was_given_counts() -> None:
    text = checkpoint_text(proof())
    assert verdict(resigned(text, SIGNER)).faults == []
    assert verdict(resigned(text, OTHER, SIGNER)).faults == []  # signatures of unknown keys are ignored
    (fault,) = verdict(resigned(text, OTHER)).faults
    assert fault.check is Check.SIGNATURE
    (fault,) = verdict(proof(), log_trust(OTHER.verifier_key)).faults
    assert fault.check is Check.SIGNATURE


def test_the_log_signs_under_its_own_origin() -> None:
    elsewhere = NoteSigner.from_seed("elsewhere.example/log", bytes(range(32)))
    document = resigned(checkpoint_text(proof()), elsewhere)
    (fault,) = verdict(document, log_trust(elsewhere.verifier_key)).faults
    assert "records.example/log" in fault.sentence


def test_a_signature_of_another_checkpoint_is_a_fault() -> None:
    document = proof()
    forged = LogCheckpoint(ORIGIN, 11, EMPTY_ROOT).text()
    document["log"]["checkpoint"] = forged + "\n" + document["log"]["checkpoint"].partition("\n\n")[2]
    assert {fault.check for fault in verdict(document).faults} == {Check.SIGNATURE, Check.LOG}


@pytest.mark.parametrize(
    "note",
    [
        "text",
        "records.example/log\n11\n\n— x AAAAAAA=\n",
        "records.example/log\n011\n" + hash_text(1) + "\n\n— x AAAAAAA=\n",
        "records.example/log\n11\n" + hash_text(1) + "\n\n",
        "records.example/log\n11\n" + hash_text(1) + "\n\n— x ====\n",
        "records.example/log\n11\n" + hash_text(1) + "\n\n" + "— x AAAAAAA=\n" * 101,
        "records.example/log\x00\n11\n" + hash_text(1) + "\n\n— x AAAAAAA=\n",
    ],
)
def test_a_checkpoint_that_is_no_signed_note_is_a_fault(note: str) -> None:
    (fault,) = verdict(changed("log.checkpoint", note)).faults
    assert (fault.check, fault.place) == (Check.FORM, "PROOF.json log.checkpoint")


# ---- witnesses ----

SEEDS = {"one.example/w": bytes([1]) * 32, "two.example/w": bytes([2]) * 32, "three.example/w": bytes([3]) * 32}
KEYS = [witness_key(name, seed).line() for name, seed in SEEDS.items()]


def cosigned(*names: str, seed: bytes | None = None) -> Json:
    """A proof whose checkpoint these witnesses cosigned, with a seed of their own unless it is given."""
    document = proof()
    text = checkpoint_text(document)
    for name in names:
        document["log"]["checkpoint"] += cosign(name, seed or SEEDS[name], text, 1_800_000_000).line()
    return document


def witnessed(document: Json, *keys: str, quorum: int | None = None) -> set[Check]:
    return {fault.check for fault in verdict(document, log_trust(SIGNER.verifier_key, keys, quorum)).faults}


def test_a_quorum_of_the_witnesses_given_must_have_cosigned() -> None:
    document = cosigned("one.example/w", "two.example/w")
    assert witnessed(document, *KEYS[:2]) == set()
    assert witnessed(document, *KEYS) == {Check.WITNESS}
    assert witnessed(document, *KEYS, quorum=2) == set()
    assert witnessed(proof(), *KEYS, quorum=0) == set()
    assert witnessed(cosigned("one.example/w", "one.example/w"), *KEYS, quorum=2) == {Check.WITNESS}


def test_a_witness_counts_once_however_often_its_key_is_given() -> None:
    renamed = witness_key("other.example/w", SEEDS["one.example/w"]).line()
    document = cosigned("one.example/w")
    assert log_trust(None, [KEYS[0], KEYS[0], renamed]).quorum == 1
    with pytest.raises(NoteMalformed):
        log_trust(None, [KEYS[0], KEYS[0], renamed], 2)
    assert witnessed(document, KEYS[0], KEYS[0]) == set()


def test_a_cosignature_that_is_not_valid_is_a_fault_even_beyond_the_quorum() -> None:
    document = cosigned("one.example/w")
    stolen = cosigned("two.example/w")["log"]["checkpoint"].splitlines()[-1].split(" ")[2]
    line = cosign("two.example/w", SEEDS["two.example/w"], checkpoint_text(document), 5).line().split(" ")[2].strip()
    document["log"]["checkpoint"] += f"— two.example/w {stolen[:20]}{line[20:]}\n"
    assert witnessed(document, *KEYS[:2], quorum=1) == {Check.WITNESS}
    assert witnessed(document, KEYS[0]) == set()  # a verifier that does not know the witness ignores it


@pytest.mark.parametrize("options", [["--witnesses", "1"], ["--witness-key", "x"], ["--witnesses", "-1"]])
def test_witness_options_that_cannot_be_met_exit_two(options: list[str], tmp_path: Path) -> None:
    assert command(tmp_path, proof_text(), "--log-key", SIGNER.verifier_key, *options) == 2


def test_two_signed_histories_of_one_log_are_a_fault_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for at, entry in enumerate((6, 7)):  # two logs of 11 entries
        file = tmp_path / f"proof-{at}.json"
        file.write_text(proof_text(entry=entry))
        files.append(str(file))
        assert main([str(file), "--log-key", SIGNER.verifier_key]) == 0
    assert main([*files, "--log-key", SIGNER.verifier_key]) == 1
    assert "The log was forked" in capsys.readouterr().out
    assert main([files[0], files[0], "--log-key", SIGNER.verifier_key]) == 0


# ---- size ----


def test_a_proof_of_ten_million_rows_and_captures_has_at_most_4096_bytes_beside_its_content() -> None:
    size = 10_000_000
    text = LogCheckpoint("compliance.records.customer.example/log", size, EMPTY_ROOT).text()
    note = NoteSigner.from_seed("compliance.records.customer.example/log", bytes(32)).sign(text)
    note += "".join(
        cosign(f"witness-{at}.auditors.example/compliance", bytes([at]) * 32, text, 1).line() for at in (1, 2)
    )

    def place(index: int) -> TreePlace:
        return TreePlace(size, index, tuple(inclusion_path(index, size, lambda height, at: bytes([height]) * 32)))

    lines = tree_capture_lines(
        organization_id=log_story.ORGANIZATION, capture_sequence=size, captured_at=log_story.CAPTURED,
        first_sequence=size - 9, last_sequence=size, tree_size=size, tree_root="ab" * 32, ledger_head="ab" * 32,
        previous_chain_hash="ab" * 32,
    )  # fmt: skip
    row = log_story.row(7_654_321)._replace(register="training-records", cause="change", content="")
    who = WHO._replace(
        person_name="Bartholomew Featherstonehaugh", work_email="bartholomew.featherstonehaugh@example.org"
    )
    written = row_proof_text(row, place(row.sequence - 1), lines, "ab" * 32, place(4_321_098), note, who)
    assert len(place(row.sequence - 1).path) == 24
    assert 3_500 < len(written.encode()) <= 4_096


# ---- form ----


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "svc.proof/2"),
        ("row", []),
        ("row.organization_id", "0D9F0C3E-58a1-5c2e-9a37-0f6f1d0c9a11"),
        ("row.sequence", True),
        ("row.sequence", 17.0),
        ("row.sequence", "17"),
        ("row.sequence", -1),
        ("row.sequence", 1 << 63),
        ("row.register", "people\n"),
        ("row.register", ["people"]),
        ("row.valid_from", "2026-02-30T08:00:00.000001Z"),
        ("row.recorded_at", "2026-02-28T08:00:00.000001+00:00"),
        ("row.cause", "other"),
        ("row.content", ""),
        ("row.content", {"a": 1}),
        ("row.content", "\ud800"),
        ("row.more", "unknown"),
        ("more", {}),
        ("tree.path", {}),
        ("tree.path", [hash_text(1)] * 65),
        ("capture.capture_sequence", 4),
        ("capture.tree_size", "021"),
        ("capture.tree_size", "-1"),
        ("capture.tree_root", "AB" * 32),
        ("capture.ledger_head", None),
        ("log.checkpoint", None),
        ("identity", None),
        ("identity.salt", "0011"),
        ("identity.person_name", ""),
        ("identity.work_email", ""),
        ("identity.work_email", "a\nb"),
    ],
)
def test_a_member_of_another_form_is_a_fault_that_names_it(path: str, value: object) -> None:
    report = verdict(changed(path, value, identity=WHO))
    assert {fault.check for fault in report.faults} == {Check.FORM}
    assert path in {name for fault in report.faults for name in fault.fields}
    assert report.holding == []


@pytest.mark.parametrize("part", ["tree", "log"])
@pytest.mark.parametrize(
    "value",
    [1, None, "", "!" * 44, hash_text(1)[:-1], hash_text(1) + "=", hash_text(255)[:-2] + "9=", ["x"], {"x": 1}, "\n"],
)
def test_a_hash_has_one_spelling(part: str, value: object) -> None:
    document = proof()
    document[part]["path"][1] = value
    assert fields(document) == {f"{part}.path[1]"}


@pytest.mark.parametrize(
    "path", ["row", "row.content", "tree.path", "capture.tree_root", "log.checkpoint", "identity.salt"]
)
def test_a_member_that_is_missing_is_named(path: str) -> None:
    document = proof(identity=WHO)
    *parts, last = path.split(".")
    del (document[parts[0]] if parts else document)[last]
    assert fields(document) == {path}


def test_a_member_given_twice_is_a_fault() -> None:
    text = proof_text().replace('"sequence":17', '"sequence":16,"sequence":17')
    (fault,) = verdict(text).faults
    assert fault.fields == ("row.sequence",)
    assert "more than once" in fault.sentence


def test_an_identity_whose_email_is_null_is_one_of_an_empty_line() -> None:
    who = WHO._replace(work_email=None)
    content = json.dumps({"identity_sha256": identity_sha256(*who)})
    assert verdict(proof(3, identity=who, changes={"row": {"content": content}})).faults == []
    assert "identity.work_email" in fields(changed("identity.work_email", "", identity=who))


# ---- anything else ----


@given(some.data())
def test_any_changed_character_is_refused(data: some.DataObject) -> None:
    text = proof_text(identity=WHO)
    at = data.draw(some.integers(0, len(text) - 1))
    other = data.draw(some.characters(exclude_characters=text[at], exclude_categories=()))
    mutated = text[:at] + other + text[at + 1 :]
    try:
        if json.loads(mutated) == json.loads(text):
            return
    except ValueError:
        pass
    assert _refused(mutated.encode("utf-8", "surrogatepass"))


@given(some.integers(0, 10_000), some.integers(0, 10_000))
def test_a_proof_with_a_part_cut_out_is_refused(begin: int, length: int) -> None:
    text = proof_text().encode()
    begin %= len(text)
    assert _refused(text[:begin] + text[begin + 1 + length :])


@given(some.recursive(some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
                      lambda each: some.lists(each) | some.dictionaries(some.text(), each)),
       some.sampled_from(["row", "tree", "capture", "log", "identity"]), some.booleans())  # fmt: skip
def test_any_json_in_the_place_of_any_part_is_a_fault(value: object, part: str, inner: bool) -> None:
    document = proof(identity=WHO)
    if inner:
        chosen = random.Random(0).choice(sorted(document[part]))
        if document[part][chosen] == value and type(document[part][chosen]) is type(value):
            return
        document[part][chosen] = value
    else:
        document[part] = value
    assert _refused(json.dumps(document).encode())


def _refused(content: bytes) -> bool:
    try:
        return bool(verdict(content).faults)
    except NotAPage:
        return True


# ---- the command ----


def command(folder: Path, content: bytes | str, *options: str) -> int:
    file = folder / "PROOF.json"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return main([str(file), *options])


def test_the_command_exits_zero_only_for_a_proof_under_a_key_that_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(tmp_path, proof_text(), "--log-key", SIGNER.verifier_key) == 0
    assert capsys.readouterr().out.endswith("No fault found.\n")
    assert command(tmp_path, proof_text()) == 2
    assert "nobody's signature was checked" in capsys.readouterr().out
    assert command(tmp_path, proof_text(), "--log-key", OTHER.verifier_key) == 1
    assert "FAULT" in capsys.readouterr().out
    broken = copy.deepcopy(proof())
    broken["row"]["content"] += " "
    assert command(tmp_path, json.dumps(broken)) == 1
    assert "row" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"{}", b'{"format":1}', b'{"format":"svc.pack/1"}', b'{"format":"' + PROOF_FORMAT.encode() + b'"',
        b'{"format":' * 50_000, b" " * (MOST_BYTES + 1), b"\xef\xbb\xbf" + proof_text().encode(),
        proof_text().encode("utf-16"), b'{"format":' + b"1" * 5_000 + b"}",
    ],
    ids=["empty", "array", "object", "number", "other format", "cut", "deep", "large", "mark", "UTF-16", "digits"],
)  # fmt: skip
def test_what_is_no_proof_exits_two(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, content, "--log-key", SIGNER.verifier_key) == 2
    assert "PROOF.json" in capsys.readouterr().err


def test_deep_nesting_within_a_proof_is_refused(tmp_path: Path) -> None:
    deep = proof_text().replace('"content":', '"more":' + "[" * 900 + "]" * 900 + ',"content":')
    assert command(tmp_path, deep, "--log-key", SIGNER.verifier_key) in (1, 2)


@pytest.mark.parametrize("line", ["", "x", "a+b+c", SIGNER.verifier_key[:-1], SIGNER.verifier_key.replace("r", "R")])
def test_a_key_that_is_none_exits_two(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, proof_text(), "--log-key", line) == 2
    assert capsys.readouterr().err
