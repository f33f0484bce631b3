"""Signed notes against the C2SP form and its published example key, and checkpoints in them."""

import base64
from uuid import UUID

import pytest

from compliance.proofs.checkpoints import Checkpoint, parse_checkpoint
from compliance.proofs.errors import NoteMalformed, NoteUnverified
from compliance.proofs.note_keys import NoteSigner, verified_text
from compliance.proofs.signed_note import format_verifier_key, parse_note, parse_verifier_key

CHECKPOINT = Checkpoint(UUID("11111111-1111-4111-8111-111111111111"), 42, "ab" * 32)
SIGNER = NoteSigner.from_seed("records.example", bytes(range(32)))


def test_the_key_of_the_go_checksum_database_has_the_hash_that_go_publishes() -> None:
    published = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
    assert format_verifier_key(*parse_verifier_key(published)) == published


def test_a_checkpoint_signed_as_a_note_reads_back() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    text, _, signature = note.rpartition("\n\n")
    assert text + "\n" == f"svc.checkpoint/1\n11111111-1111-4111-8111-111111111111\n42\n{'ab' * 32}\n"
    assert signature.startswith("— records.example ")
    assert parse_checkpoint(verified_text(note, SIGNER.verifier_key)) == CHECKPOINT


def test_a_changed_note_or_another_key_does_not_verify() -> None:
    note = SIGNER.sign(CHECKPOINT.text())
    with pytest.raises(NoteUnverified):
        verified_text(note.replace("\n42\n", "\n43\n"), SIGNER.verifier_key)
    with pytest.raises(NoteUnverified):
        verified_text(note, NoteSigner.from_seed("records.example", bytes(32)).verifier_key)


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
