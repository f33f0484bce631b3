"""A log in memory: it signs and proves like an honest log, or like a dishonest one."""

import hashlib
from functools import lru_cache

from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import consistency_proof, leaf_hash, root_of
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.witness_request import CheckpointRequest

ORIGIN = "records.example/log"


class GrownLog:
    """A log of any size: entry `i` is the same in every log of one `branch`, until `common` in every branch."""

    def __init__(self, origin: str = ORIGIN, *, branch: str = "", common: int = 0, seed: bytes = bytes(range(32))):
        self.origin = origin
        self.signer = NoteSigner.from_seed(origin, seed)
        self.verifier_key = self.signer.verifier_key
        self._branch, self._common = branch, common
        self._subtree = lru_cache(maxsize=None)(self._compute_subtree)

    def leaf(self, index: int) -> bytes:
        branch = "" if index < self._common else self._branch
        return leaf_hash(hashlib.sha256(f"{branch} {index}".encode()).digest())

    def checkpoint(self, size: int) -> LogCheckpoint:
        return LogCheckpoint(self.origin, size, root_of(self.leaf(index) for index in range(size)))

    def note(self, size: int) -> str:
        return self.signer.sign(self.checkpoint(size).text())

    def proof(self, first: int, second: int) -> list[bytes]:
        return consistency_proof(first, second, self._subtree)

    def request(self, old: int, size: int) -> CheckpointRequest:
        return CheckpointRequest(old, tuple(self.proof(old, size)), self.note(size))

    def _compute_subtree(self, height: int, index: int) -> bytes:
        return root_of(self.leaf(each) for each in range(index << height, index + 1 << height))
