"""A company's history and a log with its captures, in plain Python: genuine proofs to be changed by tests.

Nothing here comes from `compliance`: rows, trees, captures, log, signatures and cosignatures are made with the second
verifier's hashes. `fork` gives another history of the same size with the same keys, as an operator could write it.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.proofs.second_log import Trust, leaf_of, parent_of, root_of, sha256_lines
from tests.proofs.second_verifier import CAPTURE_LINES, capture_digest, identity_digest, row_digest

ORGANIZATION = "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"
ORIGIN = "records.example/log"
ZERO = "0" * 64
ZERO_COMPANY = "00000000-0000-4000-8000-000000000000"
REGISTERS = ("training-records", "people", "certificates", "policy-records")


class Key(NamedTuple):
    """A named Ed25519 key with the signature type under which it signs notes."""

    name: str
    private: Ed25519PrivateKey
    kind: int

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes_raw()

    @property
    def key_id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @property
    def line(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"

    def signature(self, text: str, time: int = 1_780_000_000) -> str:
        """The signature line over a note's text; `time` is that of a cosignature."""
        if self.kind == 4:
            over = f"cosignature/v1\ntime {time}\n{text}".encode()
            signed = time.to_bytes(8, "big") + self.private.sign(over)
        else:
            signed = self.private.sign(text.encode())
        return f"— {self.name} {base64.b64encode(self.key_id + signed).decode()}\n"


def key_of(name: str, kind: int = 1) -> Key:
    """A key that is the same in every run."""
    return Key(name, Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest()), kind)


LOG_KEY = key_of(ORIGIN)
WITNESSES = (key_of("witness.example/w1", 4), key_of("witness.example/w2", 4))
TRUST = Trust(LOG_KEY.line, tuple(witness.line for witness in WITNESSES), 2)


class Story(NamedTuple):
    """The rows of a company, the digest of each, its captures, the entries of the log and the checkpoint over them."""

    rows: list[dict[str, Any]]
    digests: list[str]
    identities: dict[int, dict[str, str | None]]
    captures: list[dict[str, str]]
    entries: list[bytes]
    checkpoint: str

    def proof(self, sequence: int) -> bytes:
        """The proof of a row, with the newest capture, as it is served."""
        capture = self.captures[-1]
        size = int(capture["tree_size"])
        leaves = [leaf_of(bytes.fromhex(digest)) for digest in self.digests[:size]]
        entries = [leaf_of(entry) for entry in self.entries]
        place = self.entries.index(bytes.fromhex(capture["chain_hash"]))
        proof: dict[str, Any] = {
            "format": "svc.proof/1",
            "row": {"organization_id": ORGANIZATION, **self.rows[sequence - 1]},
            "tree": {"size": size, "index": sequence - 1, "path": path_in(leaves, sequence - 1)},
            "capture": capture,
            "log": {
                "size": len(entries),
                "index": place,
                "path": path_in(entries, place),
                "checkpoint": self.checkpoint,
            },
        }
        if sequence in self.identities:
            proof["identity"] = self.identities[sequence]
        return json.dumps(proof, ensure_ascii=False, separators=(",", ":")).encode()


def path_in(leaves: Sequence[bytes], index: int) -> list[str]:
    """The audit path of a leaf in base64, the leaf's sibling first: level by level, where there is a sibling."""
    path = []
    level, at = list(leaves), index
    while len(level) > 1:
        if at ^ 1 < len(level):
            path.append(base64.b64encode(level[at ^ 1]).decode())
        pairs = [parent_of(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level, at = pairs + level[len(pairs) * 2 :], at // 2
    return path


def checkpoint_over(entries: Sequence[bytes], *, key: Key = LOG_KEY, witnesses: Sequence[Key] = WITNESSES) -> str:
    """A signed and cosigned checkpoint over these entries of the log."""
    root = base64.b64encode(root_of([leaf_of(entry) for entry in entries])).decode()
    text = f"{ORIGIN}\n{len(entries)}\n{root}\n"
    return f"{text}\n{key.signature(text)}{''.join(witness.signature(text) for witness in witnesses)}"


def story(rows: int = 37, *, fork: int | None = None) -> Story:
    """A company of `rows` rows in captures of up to 9, with other companies' entries between its own in the log.

    `fork` is a sequence from which on the rows have another content.
    """
    written: list[dict[str, Any]] = []
    digests: list[str] = []
    identities: dict[int, dict[str, str | None]] = {}
    captures: list[dict[str, str]] = []
    entries: list[bytes] = []
    while len(written) < rows:
        number = len(captures) + 1
        captured_at = f"2026-03-{number:02}T09:00:00.{number:06}Z"
        first = len(written) + 1
        for sequence in range(first, min(rows, first + number % 4 * 3 - 1) + 1):
            other = fork is not None and sequence >= fork
            row, identity = _row(sequence, captured_at, number, other)
            if identity is not None:
                identities[sequence] = identity
            written.append(row)
            digests.append(row_digest(ORGANIZATION, row, hashlib.sha256(row["content"].encode()).hexdigest()))
        leaves = [leaf_of(bytes.fromhex(digest)) for digest in digests]
        last = len(written)
        values = (
            ORGANIZATION,
            str(number),
            captured_at,
            str(first) if last >= first else "",
            str(last) if last >= first else "",
            str(last),
            root_of(leaves).hex(),
            sha256_lines("ledger", str(number)),
            captures[-1]["chain_hash"] if captures else ZERO,
        )
        lines = dict(zip(CAPTURE_LINES, values, strict=True))
        captures.append({**lines, "chain_hash": capture_digest(lines)})
        entries.append(hashlib.sha256(f"another company {number}".encode()).digest())
        entries.append(bytes.fromhex(captures[-1]["chain_hash"]))
    entries.append(hashlib.sha256(b"another company, at last").digest())
    return Story(written, digests, identities, captures, entries, checkpoint_over(entries))


def _row(
    sequence: int, captured_at: str, number: int, other: bool
) -> tuple[dict[str, Any], dict[str, str | None] | None]:
    register = REGISTERS[sequence % len(REGISTERS)]
    record = str(UUID(int=sequence % 11 + (1 << 100), version=4))
    content: dict[str, Any] = {
        "record_id": record,
        "title": "Åpenhet & «trust»" if not other else "Rewritten",
        "n": sequence,
    }
    identity: dict[str, str | None] | None = None
    if register in ("people", "certificates"):
        salt = hashlib.sha256(f"salt {sequence}".encode()).hexdigest()[:32]
        address = f"person{sequence}@example.com" if register == "people" else None
        identity = {"salt": salt, "person_name": f"Åse Björk {sequence}", "work_email": address}
        content = {"identity_sha256": identity_digest(salt, identity["person_name"], address), **content}
    row = {
        "sequence": sequence,
        "register": register,
        "record_id": record,
        "valid_from": f"2026-02-{number:02}T08:00:00.{sequence:06}Z",
        "recorded_at": captured_at,
        "cause": ("first", "change", "sweep")[sequence % 3],
        "logic_version": 3,
        "content": json.dumps(content, ensure_ascii=False, separators=(",", ":")),
    }
    return row, identity
