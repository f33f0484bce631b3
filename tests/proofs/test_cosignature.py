"""Cosignatures against the specification and those of other witness programs, and mutations of one."""

import base64
import hashlib
import json
import re
import struct
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.proofs.cosignature import (
    LAST_TIME,
    cosign,
    cosigned_message,
    cosigned_times,
    parse_witness_key,
    witness_key,
)
from compliance.proofs.errors import NoteMalformed, NoteUnverified
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.signed_note import parse_note
from tests.proofs.grown_log import GrownLog

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "log" / "notes.json").read_text())
NAME, SEED, TIME = "witness.example/w1", bytes(range(1, 33)), 1679315147
KEY = witness_key(NAME, SEED).line()
LOG = GrownLog()


def cosigned(time: int = TIME, name: str = NAME, seed: bytes = SEED) -> str:
    note = LOG.note(5)
    return note + cosign(name, seed, parse_note(note).text, time).line()


@pytest.mark.parametrize("vector", VECTORS["cosigned_messages"], ids=lambda vector: vector["source"])
def test_the_message_is_that_of_the_specification(vector) -> None:
    assert cosigned_message(vector["text"], vector["time"]).decode() == vector["message"]


@pytest.mark.parametrize("vector", VECTORS["cosignatures"], ids=lambda vector: vector["source"])
def test_cosignatures_of_witnesses_that_others_run_verify(vector) -> None:
    times = cosigned_times(vector["note"], *vector["witnesses"])
    assert {key.line(): time for key, time in times.items()} == dict.fromkeys(vector["witnesses"], vector["timestamp"])


def test_a_cosignature_is_the_one_of_another_implementation() -> None:
    # Made with aics-tlog 0.2.1 (PyPI) from the same seed, name, time and checkpoint.
    text = LogCheckpoint("records.example/log", 20852163, hashlib.sha256(b"root").digest()).text()
    assert cosign(NAME, SEED, text, TIME).signature.hex() == (
        "00000000641850cb3c2655f36d778b07fa42fceb11f2b634a08c2b81f223b79dd3e09b8f363db156"
        "a9321c14529f54be53c03091fca7b0054e8fad3ecba7ebee736bb32532bb4a0d"
    )
    assert KEY == "witness.example/w1+468d99bb+BHm1Vi6P5lT5QHixEuipi6eQH4U65pW+1+DjkQutBJZk"


def test_keys_and_signatures_are_as_written_out_by_hand() -> None:
    private = Ed25519PrivateKey.from_private_bytes(SEED)
    public = private.public_key().public_bytes_raw()
    text = LOG.checkpoint(5).text()
    key_hash = hashlib.sha256(f"{NAME}\n".encode() + b"\x04" + public).digest()[:4]
    signature = private.sign(f"cosignature/v1\ntime {TIME}\n{text}".encode())
    line = base64.b64encode(key_hash + struct.pack(">Q", TIME) + signature).decode()
    assert cosigned() == LOG.note(5) + f"— {NAME} {line}\n"
    assert f"{NAME}+{key_hash.hex()}+{base64.b64encode(bytes([4]) + public).decode()}" == KEY


def test_each_witness_is_returned_with_its_newest_time_and_strangers_are_passed_over() -> None:
    other = witness_key("other.example", bytes(32))
    note = cosigned() + cosigned(TIME + 60).partition("\n\n")[2].partition("\n")[2]
    note += cosigned(9, "other.example", bytes(32)).splitlines(keepends=True)[-1]
    assert cosigned_times(note, KEY) == {parse_witness_key(KEY): TIME + 60}
    assert cosigned_times(note, KEY, other.line()) == {parse_witness_key(KEY): TIME + 60, other: 9}
    assert cosigned_times(LOG.note(5), KEY) == {}


def test_one_cosignature_that_fails_refuses_the_note() -> None:
    note = cosigned()
    changed = note.replace(f"\n5\n{note.splitlines()[2]}", f"\n6\n{note.splitlines()[2]}")
    assert changed != note
    with pytest.raises(NoteUnverified, match=re.escape(NAME)):
        cosigned_times(changed, KEY)


@settings(max_examples=150, deadline=None)
@given(bit=some.integers(32, 76 * 8 - 1))
def test_no_bit_of_time_or_signature_can_change(bit: int) -> None:
    note = cosigned()
    line = note.splitlines()[-1]
    content = bytearray(base64.b64decode(line.split(" ")[2]))
    content[bit // 8] ^= 1 << bit % 8
    changed = note.replace(line.split(" ")[2], base64.b64encode(content).decode())
    with pytest.raises(NoteUnverified):
        cosigned_times(changed, KEY)


def test_a_cosignature_has_one_spelling() -> None:
    note = cosigned()
    for other in "BCDEFGHIJKLMNOP":  # the four lowest bits of the last character decode to nothing
        last = note[-4]
        changed = note[:-4] + chr(ord(last) + ord(other) - ord("A")) + note[-3:]
        again = parse_note(changed).signatures[-1]
        if again.signature == parse_note(note).signatures[-1].signature:
            assert not again.canonical
            with pytest.raises(NoteUnverified):
                cosigned_times(changed, KEY)
            return
    pytest.fail("No other spelling was tried.")


@pytest.mark.parametrize("time", [-1, LAST_TIME + 1])
def test_a_time_out_of_range_is_not_signed(time: int) -> None:
    with pytest.raises(NoteMalformed):
        cosign(NAME, SEED, LOG.checkpoint(5).text(), time)


def test_a_time_out_of_range_is_refused_though_it_was_signed() -> None:
    text, time = LOG.checkpoint(5).text(), LAST_TIME + 1
    signature = Ed25519PrivateKey.from_private_bytes(SEED).sign(f"cosignature/v1\ntime {time}\n{text}".encode())
    key = witness_key(NAME, SEED)
    line = base64.b64encode(key.key_hash() + struct.pack(">Q", time) + signature).decode()
    with pytest.raises(NoteUnverified):
        cosigned_times(f"{LOG.note(5)}— {NAME} {line}\n", KEY)


@pytest.mark.parametrize("text", ["", "x\n", "origin\n5\nAAAA\n", LOG.checkpoint(5).text().rstrip("\n")])
def test_what_is_no_checkpoint_is_not_cosigned(text: str) -> None:
    with pytest.raises(NoteMalformed):
        cosign(NAME, SEED, text, TIME)


def test_a_note_that_is_no_checkpoint_and_a_key_of_a_log_are_refused() -> None:
    with pytest.raises(NoteMalformed):
        cosigned_times(LOG.signer.sign("text\n"), KEY)
    with pytest.raises(NoteMalformed):
        cosigned_times(cosigned(), LOG.verifier_key)
