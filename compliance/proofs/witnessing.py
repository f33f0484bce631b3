"""Decides which checkpoints a witness cosigns (https://c2sp.org/tlog-witness).

It cosigns a checkpoint that a key of its log signed and that a consistency proof connects with the one that it
cosigned last; so all checkpoints that it cosigned for a log are of one history that only grew.
"""

import hashlib
import logging
from collections.abc import Iterable

from .cosignature import cosign, witness_key
from .errors import CheckpointRequestMalformed, LogForked, LogUnknown, SizeConflict
from .log import LogCheckpoint, parse_log_checkpoint
from .merkle import EMPTY_ROOT, check_consistency
from .signed_note import (
    VerifierKey,
    format_note,
    one_for_each_key,
    parse_note,
    parse_verifier_key,
    signatures_of,
    verified_text,
)
from .witness_memory import WitnessMemory
from .witness_request import CheckpointRequest

_logger = logging.getLogger(__name__)


class Witness:
    """A witness with its memory: cosigns, and returns what it cosigned last. Safe in several threads."""

    def __init__(self, memory: WitnessMemory, log_keys: Iterable[str]) -> None:
        """`log_keys` are verifier key lines; a key's name is its log's origin, and a log may have several keys.

        Raises NoteMalformed for a line that is not one, and ValueError for the witness's own key as that of a log.
        """
        self.memory = memory
        self.key: VerifierKey = witness_key(memory.key_name, memory.seed)
        self._keys: dict[str, list[VerifierKey]] = {}
        for key in map(parse_verifier_key, log_keys):
            if key.public_key == self.key.public_key:
                raise ValueError("A witness cannot watch a log that signs with the witness's own key.")
            self._keys.setdefault(key.key_name, []).append(key)
        self._origins = {hashlib.sha256(origin.encode()).hexdigest(): origin for origin in self._keys}

    def add_checkpoint(self, request: CheckpointRequest, time: int) -> str:
        """Return the cosignature line of the request's checkpoint, which is then the one that was cosigned last.

        `time` is in seconds since 1970. The order of the checks is that of the specification. Raises NoteMalformed and
        CheckpointRequestMalformed, LogUnknown, NoteUnverified, SizeConflict, LogForked, TreeProofRefused; sqlite3.Error
        when the memory fails. Whatever is raised, nothing was cosigned.
        """
        note = parse_note(request.note)
        checkpoint = parse_log_checkpoint(note.text)
        keys = self._keys.get(checkpoint.origin)
        if keys is None:
            raise LogUnknown("This witness does not watch a log of this origin.")
        verified_text(request.note, *(key.line() for key in keys))
        if request.old > checkpoint.size:
            raise CheckpointRequestMalformed("The old size is larger than the checkpoint's.")
        with self.memory.exclusive() as state:
            latest = self.memory.latest(checkpoint.origin, state)
            self._check_growth(request, checkpoint, latest)
            cosignature = cosign(self.key.key_name, self.memory.seed, note.text, time)
            signatures = one_for_each_key(each for _, each in signatures_of(note, keys))
            self.memory.keep(checkpoint.origin, format_note(note.text, [*signatures, cosignature]), state)
        return cosignature.line()

    def latest(self, origin_hash: str) -> str:
        """Return the note that was cosigned last for the log whose origin has this SHA-256, in lower-case hex.

        Raises LogUnknown when there is none, sqlite3.Error when the memory fails.
        """
        origin = self._origins.get(origin_hash)
        note = None if origin is None else self.memory.latest(origin)
        if note is None:
            raise LogUnknown("This witness has cosigned no checkpoint of this log.")
        return note

    def _check_growth(self, request: CheckpointRequest, checkpoint: LogCheckpoint, latest: str | None) -> None:
        """Raise unless the checkpoint continues the one that was cosigned last."""
        size, root, forked = 0, EMPTY_ROOT, False
        if latest is not None:
            known = parse_log_checkpoint(parse_note(latest, most=None).text)
            size, root = known.size, known.root
            forked = checkpoint.size == size and checkpoint.root != root
            if forked:
                self._report_fork(checkpoint.origin, latest, request.note)
        if request.old != size:
            raise SizeConflict(size)
        if forked:
            raise LogForked(f"Another root was cosigned for {size} leaves.")
        check_consistency(size, checkpoint.size, root, checkpoint.root, request.proof)

    def _report_fork(self, origin: str, cosigned: str, other: str) -> None:
        path = self.memory.keep_evidence(origin, cosigned, other)
        kept = "" if path is None else f" The two notes are the proof; they are kept in {path}."
        _logger.error("The log %s signed two histories of one size.%s", ascii(origin)[1:-1], kept)
