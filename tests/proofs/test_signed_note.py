"""Signed notes against the C2SP form and its published example key, and checkpoints of a log in them."""

import base64

import pytest

from compliance.proofs.errors import NoteMalformed, NoteUnverified
from compliance.proofs.log import LogCheckpoint, parse_log_checkpoint
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.signed_note import (
    ED25519_COSIGNATURE,
    MOST_SIGNATURES,
    NoteSignature,
    VerifierKey,
    format_note,
    parse_note,
    parse_verifier_key,
    signatures_of,
    verified_text,
)

CHECKPOINT = LogCheckpoint("records.example", 42, b"\xab" * 32)
SIGNER = NoteSigner.from_seed("records.example", bytes(range(32)))


def test_the_key_of_the_go_checksum_database_has_the_hash_that_go_publishes() -> None:
    published = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    assert parse_verifier_key(published).line() == published


def test_a_checkpoint_signed_as_a_note_reads_back() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    text, _, signature = note.rpartition("\n\n")
    assert text + "\n" == f"records.example\n42\n{base64.b64encode(CHECKPOINT.root).decode()}\n"
    assert signature.startswith("— records.example ")
    assert parse_log_checkpoint(verified_text(note, SIGNER.verifier_key)) == CHECKPOINT


def test_a_changed_note_or_another_key_does_not_verify() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    with pytest.raises(NoteUnverified):
        verified_text(note.replace("\n42\n", "\n43\n"), SIGNER.verifier_key)
    with pytest.raises(NoteUnverified):
        verified_text(note, NoteSigner.from_seed("records.example", bytes(32)).verifier_key)


def test_one_signature_of_several_keys_is_enough_and_unknown_ones_are_passed_over() -> None:
    other, stranger = (NoteSigner.from_seed("records.example", bytes([seed]) * 32) for seed in (1, 2))
    text = CHECKPOINT.text()
    note = format_note(text, [each for key in (stranger, SIGNER) for each in parse_note(key.sign(text)).signatures])
    assert verified_text(note, other.verifier_key, SIGNER.verifier_key) == text
    assert verified_text(note, SIGNER.verifier_key) == text
    with pytest.raises(NoteUnverified):
        verified_text(note, other.verifier_key)


def test_one_signature_that_fails_refuses_the_note_though_another_holds() -> None:
    other = NoteSigner.from_seed("records.example", bytes(32))
    text = CHECKPOINT.text()
    ours, theirs = parse_note(SIGNER.sign(text)).signatures[0], parse_note(other.sign(text)).signatures[0]
    note = format_note(text, [ours, NoteSignature(theirs.key_name, theirs.key_hash, bytes(64))])
    assert verified_text(note, SIGNER.verifier_key) == text
    with pytest.raises(NoteUnverified):
        verified_text(note, SIGNER.verifier_key, other.verifier_key)


def test_a_line_that_is_repeated_is_one_signature_to_check() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    repeated = parse_note(note + note.splitlines(keepends=True)[-1] * (MOST_SIGNATURES - 1))
    assert len(repeated.signatures) == MOST_SIGNATURES
    assert [each for _, each in signatures_of(repeated, [parse_verifier_key(SIGNER.verifier_key)])] == list(
        parse_note(note).signatures
    )


def test_a_signature_has_one_spelling() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    last = note[-3]
    other = chr(ord(last) + 1)  # the last character before the padding holds two bits that decode to nothing
    again = note[:-3] + other + note[-2:]
    assert parse_note(again).signatures[0].signature == parse_note(note).signatures[0].signature
    for spoilt in (again, note + again.splitlines(keepends=True)[-1], again + note.splitlines(keepends=True)[-1]):
        with pytest.raises(NoteUnverified):
            verified_text(spoilt, SIGNER.verifier_key)


def test_what_other_implementations_let_pass_is_passed_over() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    stranger = f"— str\x7fanger {base64.b64encode(bytes(69)).decode()[:-2]}E=\n"
    assert verified_text(note + stranger, SIGNER.verifier_key) == CHECKPOINT.text()
    assert verified_text(SIGNER.sign("te\x7fxt\n"), SIGNER.verifier_key) == "te\x7fxt\n"


def test_a_key_of_another_type_is_not_taken_for_one_that_signs_text() -> None:
    witness = VerifierKey("records.example", bytes(32), ED25519_COSIGNATURE)
    assert parse_verifier_key(witness.line(), ED25519_COSIGNATURE) == witness
    with pytest.raises(NoteMalformed):
        verified_text(SIGNER.sign(CHECKPOINT.text()), witness.line())


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— name\n",
        "text\n\n— name AAAA\n",
        "text\n\n— name ####\n",
        "text\n\n- name " + base64.b64encode(bytes(68)).decode() + "\n",
        "te\ud800xt\n\n— name " + base64.b64encode(bytes(68)).decode() + "\n",
        "text\n\n— na\ud800me " + base64.b64encode(bytes(68)).decode() + "\n",
        "text\n\n— na\u00a0me " + base64.b64encode(bytes(68)).decode() + "\n",
        "te\x00xt\n\n— name " + base64.b64encode(bytes(68)).decode() + "\n",
        "text\n\n— name " + base64.b64encode(bytes(68)).decode(),
    ],
)
def test_what_is_no_note_is_refused(note: str) -> None:
    with pytest.raises(NoteMalformed):
        parse_note(note)


@pytest.mark.parametrize("key", ["", "name", "name+00000000+AAAA", "na me+1+AQ=="])
def test_what_is_no_verifier_key_is_refused(key: str) -> None:
    with pytest.raises(NoteMalformed):
        parse_verifier_key(key)
