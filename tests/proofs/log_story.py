"""A company's tree, its captures and the deployment's log in memory, to make proofs of rows from."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import tree_capture_digest, tree_capture_lines
from compliance.proofs.identity import identity_sha256
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import inclusion_path, leaf_hash, root_of
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.row_proof import Identity, ProvedRow, TreePlace, row_proof_text
from compliance.proofs.row_verifier import row_sha256

ORIGIN = "records.example/log"
SIGNER = NoteSigner.from_seed(ORIGIN, bytes(range(32)))
ORGANIZATION = "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"
RECORD = "7c1d4f6a-2b3e-4f5a-8c9d-0e1f2a3b4c5d"
CAPTURED = "2026-03-31T22:15:00.123456Z"
EARLIER = "2026-02-28T08:00:00.000001Z"
WHO = Identity("00112233445566778899aabbccddeeff", "Łucja Żak", "lucja@example.org")
ROWS = 21
FIRST = 14
"""The first row of the capture; those before it were captured earlier."""


def row(sequence: int) -> ProvedRow:
    """A row of the company; rows of people commit to a name."""
    content: dict[str, Any] = {"identity_sha256": identity_sha256(*WHO)} if sequence % 2 else {}
    recorded = CAPTURED if sequence >= FIRST else EARLIER
    return ProvedRow(
        ORGANIZATION, sequence, "people" if sequence % 2 else "certificates", RECORD, EARLIER, recorded, "change", 3,
        json.dumps({**content, "person_id": RECORD, "number": sequence}),
    )  # fmt: skip


def place(leaves: list[bytes], index: int) -> TreePlace:
    """Where a leaf is among these leaf hashes."""

    def subtree(height: int, at: int) -> bytes:
        return root_of(leaves[at << height : (at + 1) << height])

    return TreePlace(len(leaves), index, tuple(inclusion_path(index, len(leaves), subtree)))


def proof_text(sequence: int = 17, *, entries: int = 11, entry: int = 6, identity: Identity | None = None,
               changes: Mapping[str, Mapping[str, Any]] | None = None) -> str:  # fmt: skip
    """The proof of a row under a checkpoint of `entries` entries, of which the company's capture is `entry`.

    `changes` replace lines of the capture, or members of the row, before anything is hashed, so the proof is valid.
    """
    changed = changes or {}
    proved = row(sequence)._replace(**changed.get("row", {}))
    rows = [proved if each == sequence else row(each) for each in range(1, ROWS + 1)]
    leaves = [leaf_hash(row_sha256(each)) for each in rows]
    lines = tree_capture_lines(
        organization_id=ORGANIZATION,
        capture_sequence=4,
        captured_at=CAPTURED,
        first_sequence=FIRST,
        last_sequence=ROWS,
        tree_size=ROWS,
        tree_root=root_of(leaves).hex(),
        ledger_head="ab" * 32,
        previous_chain_hash=ZERO_DIGEST,
    )
    lines.update(changed.get("capture", {}))
    chain_hash = tree_capture_digest(lines)
    log = [leaf_hash(bytes.fromhex(chain_hash) if at == entry else at.to_bytes(32)) for at in range(entries)]
    note = SIGNER.sign(LogCheckpoint(ORIGIN, entries, root_of(log)).text())
    return row_proof_text(proved, place(leaves, sequence - 1), lines, chain_hash, place(log, entry), note, identity)


def proof(sequence: int = 17, **more: Any) -> dict[str, Any]:
    """The same as an object, to be changed."""
    found: dict[str, Any] = json.loads(proof_text(sequence, **more))
    return found


def hash_text(byte: int) -> str:
    """The base64 of a hash."""
    return base64.b64encode(bytes([byte]) * 32).decode()
