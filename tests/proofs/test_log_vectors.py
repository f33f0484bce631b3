"""`compliance.proofs` agrees with published vectors for RFC 6962 trees and C2SP logs, and with our golden digests."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from compliance.proofs.cosignature import cosigned_message, cosigned_times
from compliance.proofs.errors import NoteMalformed, NoteUnverified, TilePathRefused, TreeProofRefused
from compliance.proofs.history import row_hasher, tree_capture_digest, tree_capture_lines
from compliance.proofs.identity import identity_sha256
from compliance.proofs.log import (
    TILE_WIDTH,
    TilePath,
    entry_bundle,
    parse_log_checkpoint,
    parse_tile_path,
    tile_width,
)
from compliance.proofs.merkle import (
    EMPTY_ROOT,
    CompactRange,
    check_consistency,
    consistency_proof,
    inclusion_path,
    leaf_hash,
    node_hash,
    root_from_inclusion,
    root_of,
)
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.signed_note import parse_note, verified_text

FOLDER = Path(__file__).resolve().parents[1] / "vectors" / "log"


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


MERKLE, NOTES, TILES = read("merkle.json"), read("notes.json"), read("tiles.json")
DIGESTS = {each["what"]: each for each in read("digests.json")}
LEAVES = [leaf_hash(bytes.fromhex(leaf)) for leaf in MERKLE["leaves"]]
ROOTS = [bytes.fromhex(root) for root in MERKLE["roots"]]


def subtree(height: int, index: int) -> bytes:
    return root_of(LEAVES[index << height : (index + 1) << height])


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def test_leaves_and_nodes_hash_as_published() -> None:
    empty, empty_leaf, leaf, node = MERKLE["hashes"]
    assert bytes.fromhex(empty["hash"]) == EMPTY_ROOT == root_of([])
    assert leaf_hash(b"").hex() == empty_leaf["hash"]
    assert leaf_hash(bytes.fromhex(leaf["leaf"])).hex() == leaf["hash"]
    assert node_hash(bytes.fromhex(node["left"]), bytes.fromhex(node["right"])).hex() == node["hash"]


def test_the_tree_of_certificate_transparency_grows_through_its_published_roots() -> None:
    tree = CompactRange()
    for leaf, root in zip(LEAVES, ROOTS, strict=True):
        tree.extend([leaf])
        assert tree.root() == root


@pytest.mark.parametrize("vector", MERKLE["inclusion"], ids=lambda each: f"{each['index']} of {each['size']}")
def test_audit_paths_are_the_published_ones(vector: dict[str, Any]) -> None:
    index, size, path = vector["index"], vector["size"], hashes(vector["path"])
    assert inclusion_path(index, size, subtree) == path
    assert root_from_inclusion(LEAVES[index], index, size, path) == ROOTS[size - 1]


@pytest.mark.parametrize("vector", MERKLE["consistency"], ids=lambda each: f"{each['first']} in {each['second']}")
def test_consistency_proofs_are_the_published_ones(vector: dict[str, Any]) -> None:
    first, second, proof = vector["first"], vector["second"], hashes(vector["proof"])
    assert consistency_proof(first, second, subtree) == proof
    check_consistency(first, second, ROOTS[first - 1], ROOTS[second - 1], proof)


def test_what_the_authors_of_the_vectors_corrupt_is_refused() -> None:
    """The probes of `proof/verify_test.go`: other places, sizes and roots; components added, removed and changed."""
    some_hash = bytes.fromhex("abacaba000000000000000000000000000000000000000000060061e00123456")
    for vector in MERKLE["inclusion"]:
        index, size, path, root = vector["index"], vector["size"], hashes(vector["path"]), ROOTS[vector["size"] - 1]
        flipped = [[*path[:at], bytes([path[at][0] ^ 8]) + path[at][1:], *path[at + 1 :]] for at in range(len(path))]
        shorter = [path[:-1]] if path else []
        longer = [[*path, root], [root, *path], [*path, b""], [b"", *path]]
        inserted = [[path[0], some_hash, *path[1:]]] if len(path) > 1 else []
        for wrong in (*flipped, *shorter, *longer, *inserted):
            assert _root(LEAVES[index], index, size, wrong) != root
        for other in (index - 1, index + 1, index ^ 2):
            assert _root(LEAVES[index], other, size, path) != root
        for other in (size * 2, size // 2):
            assert _root(LEAVES[index], index, other, path) != root
        assert _root(some_hash, index, size, path) != root
    for vector in MERKLE["consistency"][1:]:
        first, second, proof = vector["first"], vector["second"], hashes(vector["proof"])
        older, newer = ROOTS[first - 1], ROOTS[second - 1]
        flipped = [
            [*proof[:at], bytes([proof[at][0] ^ 16]) + proof[at][1:], *proof[at + 1 :]] for at in range(len(proof))
        ]
        edges = [[*proof, each] for each in (b"", older, newer)] + [
            [each, *proof] for each in (b"", older, newer, proof[0])
        ]
        for wrong in (*flipped, *edges, proof[:-1], []):
            assert not _consistent(first, second, older, newer, wrong)
        for other in (first - 1, first + 1, first ^ 2):
            assert not _consistent(other, second, older, newer, proof)
        for other in (second * 2, second // 2):
            assert not _consistent(first, other, older, newer, proof)
        assert not _consistent(first, second, newer, older, proof)


def _root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    try:
        return root_from_inclusion(leaf, index, size, path)
    except TreeProofRefused:
        return None


def _consistent(first: int, second: int, older: bytes, newer: bytes, proof: list[bytes]) -> bool:
    try:
        check_consistency(first, second, older, newer, proof)
    except TreeProofRefused:
        return False
    return True


@pytest.mark.parametrize("vector", NOTES["notes"], ids=lambda each: each["source"])
def test_published_notes_verify_with_their_keys_and_with_no_other_text(vector: dict[str, Any]) -> None:
    for key in vector["keys"]:
        text = verified_text(vector["note"], key)
        assert vector["note"].startswith(f"{text}\n— ")
        with pytest.raises(NoteUnverified):
            verified_text("x" + vector["note"], key)


def test_signing_gives_the_published_signature() -> None:
    vector = NOTES["notes"][0]
    for private_key in vector["private_keys"]:
        name, _, encoded = private_key.removeprefix("PRIVATE+KEY+").split("+", 2)
        signer = NoteSigner.from_seed(name, base64.b64decode(encoded)[1:])
        assert signer.verifier_key in vector["keys"]
        signed = signer.sign(verified_text(vector["note"], signer.verifier_key))
        assert signed.splitlines()[-1] in vector["note"].splitlines()


@pytest.mark.parametrize("vector", NOTES["checkpoints"], ids=lambda each: f"{each['origin']} {each['size']}")
def test_checkpoints_of_logs_in_use_verify_and_are_read(vector: dict[str, Any]) -> None:
    found = parse_log_checkpoint(verified_text(vector["note"], vector["key"]))
    assert (found.origin, found.size, base64.b64encode(found.root).decode()) == (
        vector["origin"],
        vector["size"],
        vector["root"],
    )
    assert vector["note"].startswith(f"{found.text()}\n")
    with pytest.raises(NoteUnverified):
        verified_text(vector["note"].replace(f"\n{vector['size']}\n", f"\n{vector['size'] + 1}\n"), vector["key"])


@pytest.mark.parametrize("vector", NOTES["format_examples"], ids=lambda each: each["source"])
def test_the_examples_of_the_specifications_are_read(vector: dict[str, Any]) -> None:
    found = parse_note(vector["note"])
    assert found.text == vector["text"]
    assert [[each.key_name, each.key_hash.hex(), len(each.signature)] for each in found.signatures] == vector[
        "signatures"
    ]


@pytest.mark.parametrize("vector", NOTES["cosignatures"], ids=lambda each: each["source"])
def test_cosignatures_of_public_witnesses_verify(vector: dict[str, Any]) -> None:
    found = cosigned_times(vector["note"], *vector["witnesses"])
    assert {key.line() for key in found} == set(vector["witnesses"])
    assert set(found.values()) == {vector["timestamp"]}
    other = vector["note"].replace("U7WM79jrzyhG", "U7WM79jrzyhH")
    with pytest.raises(NoteUnverified):
        cosigned_times(other, *vector["witnesses"])


@pytest.mark.parametrize("vector", NOTES["cosigned_messages"], ids=lambda each: each["source"])
def test_what_a_witness_signs_is_the_message_of_the_specification(vector: dict[str, Any]) -> None:
    assert cosigned_message(vector["text"], vector["time"]) == vector["message"].encode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "origin\n",
        "origin\n1\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=",
        "\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n01\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n+1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n-1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n١\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom_Xajj7h2fB2MPA3j2jxq2I=\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jx\n",
        "origin\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\nextension\n",
        "origin\r\n1\r\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\r\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteMalformed):
        parse_log_checkpoint(text)


@pytest.mark.parametrize("vector", TILES["paths"], ids=lambda each: each["path"])
def test_tile_paths_are_those_of_the_specification(vector: dict[str, Any]) -> None:
    found = TilePath(vector["level"], vector["index"], vector["width"])
    assert parse_tile_path(vector["path"]) == found
    assert found.text() == vector["path"]


@pytest.mark.parametrize("path", TILES["no_paths"], ids=ascii)
def test_any_other_spelling_of_a_tile_path_is_refused(path: str) -> None:
    with pytest.raises(TilePathRefused):
        parse_tile_path(path)


@pytest.mark.parametrize("vector", TILES["sizes"], ids=lambda each: str(each["size"]))
def test_a_log_has_the_tiles_that_the_specification_counts(vector: dict[str, Any]) -> None:
    for level, count in vector["full"].items():
        full = [tile_width(TilePath(int(level), index), vector["size"]) for index in range(count)]
        assert all(width == TILE_WIDTH for width in full)
        assert tile_width(TilePath(int(level), count), vector["size"]) < TILE_WIDTH
    for level, width in vector["partial"].items():
        last = vector["full"].get(level, 0)
        assert tile_width(TilePath(int(level), last), vector["size"]) == width


def test_an_entry_follows_its_length() -> None:
    entries = [bytes([number]) * 32 for number in range(3)]
    assert entry_bundle(entries) == b"".join(b"\x00\x20" + entry for entry in entries)


def test_each_golden_digest_is_the_sha256_of_its_lines() -> None:
    for each in DIGESTS.values():
        assert hashlib.sha256("\n".join(each["lines"]).encode()).hexdigest() == each["sha256"], each["what"]


def test_identities_have_the_golden_digests() -> None:
    for what in (
        "identity",
        "identity of a certificate: no e-mail address",
        "identity of an invitation without a name",
    ):
        _, salt, person_name, work_email = DIGESTS[what]["lines"]
        assert identity_sha256(salt, person_name or None, work_email or None) == DIGESTS[what]["sha256"]


def test_captures_with_a_tree_have_the_golden_digests() -> None:
    rows = [DIGESTS[what] for what in DIGESTS if what.startswith("row ")]
    bodies = [b'{"record_id":"7b6a5a0e-0000-4000-8000-000000000001"}', b""]
    for row, body in zip(rows, bodies, strict=True):
        _, organization_id, sequence, register, record_id, valid_from, recorded_at, cause, version, _ = row["lines"]
        values = (sequence, register, record_id, valid_from, recorded_at, cause, version)
        assert row_hasher(organization_id)(*values, body) == row["sha256"]
    leaves = [leaf_hash(bytes.fromhex(row["sha256"])) for row in rows]
    for what in ("a first capture without rows: the tree of no leaves", "capture 1, row 1", "capture 2, row 2"):
        _, organization_id, number, captured_at, first, last, size, root, ledger, previous = DIGESTS[what]["lines"]
        assert root_of(leaves[: int(size)]).hex() == root
        lines = tree_capture_lines(
            organization_id=UUID(organization_id),
            capture_sequence=int(number),
            captured_at=captured_at,
            first_sequence=int(first) if first else None,
            last_sequence=int(last) if last else None,
            tree_size=int(size),
            tree_root=root,
            ledger_head=ledger,
            previous_chain_hash=previous,
        )
        assert tree_capture_digest(lines) == DIGESTS[what]["sha256"]
