"""A log's request to a witness: the body of `add-checkpoint` (https://c2sp.org/tlog-witness).

It is a line `old N` with the size that the witness cosigned last, the consistency proof from there with one base64 hash
per line, an empty line, and the checkpoint as a signed note.
"""

import base64
import binascii
import re
from typing import NamedTuple

from .errors import CheckpointRequestMalformed
from .merkle import HASH_BYTES

MOST_PROOF_LINES = 63
MOST_BODY_BYTES = 128 * 1024
"""Enough for a proof and a note with the most signatures that the specification requires to accept, even large ones."""
SIZE_CONTENT_TYPE = "text/x.tlog.size"

_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


class CheckpointRequest(NamedTuple):
    """A request to cosign a checkpoint: the size to continue from, the proof from there, the checkpoint's note."""

    old: int
    proof: tuple[bytes, ...]
    note: str

    def body(self) -> bytes:
        """Return the request as it is sent."""
        hashes = (base64.b64encode(each).decode() for each in self.proof)
        return ("".join(f"{line}\n" for line in (f"old {self.old}", *hashes, "")) + self.note).encode()


def parse_checkpoint_request(body: bytes) -> CheckpointRequest:
    """Parse a body. Raises CheckpointRequestMalformed; the note itself is not parsed."""
    try:
        head, separator, note = body.decode().partition("\n\n")
    except UnicodeDecodeError as fault:
        raise CheckpointRequestMalformed("The request is not UTF-8.") from fault
    if not separator:
        raise CheckpointRequestMalformed("No empty line parts the proof from the checkpoint.")
    first, *lines = head.split("\n")
    match = _OLD.fullmatch(first)
    if match is None:
        raise CheckpointRequestMalformed("The first line is not `old` and a size.")
    if len(lines) > MOST_PROOF_LINES:
        raise CheckpointRequestMalformed(f"A consistency proof has at most {MOST_PROOF_LINES} lines.")
    return CheckpointRequest(int(match[1]), tuple(_hash(line) for line in lines), note)


def _hash(line: str) -> bytes:
    try:
        found = base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise CheckpointRequestMalformed("A line of the consistency proof is not base64.") from fault
    if len(found) != HASH_BYTES or base64.b64encode(found).decode() != line:
        raise CheckpointRequestMalformed("A line of the consistency proof is not a hash.")
    return found
