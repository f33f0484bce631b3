"""The signed list of a pack's files: builders of packs request it, and the signer answers.

The builder does not have the key. It writes the text of the manifest to a table; the signer reads the table in each
pass, and signs texts that have the form of a manifest and name a capture of that company that is in the log. It does
not trust a table for that, but checks an inclusion proof against a checkpoint with its own signature.
"""

import re
import time
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import ManifestRequest
from compliance.log import keys, queries
from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import leaf_hash, root_from_inclusion
from compliance.proofs.note_keys import NoteSigner, signed_by_all
from compliance.proofs.pack_captures import EVIDENCE_CONSTANT, manifest_text

KEPT = timedelta(days=1)
PURPOSE = "evidence"
_EVERY = 0.5
_MANIFEST = re.compile(
    EVIDENCE_CONSTANT + r"\n([0-9a-f-]{36})\n([0-9a-f]{64})\n((?:[0-9a-f]{64}  [!-~]+\n)+)", re.ASCII
)


class LogPlace(NamedTuple):
    """Where a capture is in a log of `size` entries: its entry and path, and the checkpoint of that size."""

    size: int
    entry: int
    path: list[bytes]
    checkpoint: str


def log_place(organization_id: uuid.UUID, capture_sequence: int, chain_hash: str) -> LogPlace | None:
    """The recomputed place of a capture under the newest checkpoint; None while it is not in it.

    Raises LogFolderError if none of our keys signed the checkpoint.
    """
    published, index = queries.newest_checkpoint(), queries.leaf_of(organization_id, capture_sequence)
    if published is None or index is None or index >= published.size:
        return None
    path = queries.inclusion(index, published.size)
    stated = keys.checked_checkpoint(published.note)
    try:
        root = root_from_inclusion(leaf_hash(bytes.fromhex(chain_hash)), index, published.size, path)
    except TreeProofRefused:
        return None
    if (stated.size, stated.root) != (published.size, root):
        return None
    return LogPlace(published.size, index, path, published.note)


def signed(
    organization_id: uuid.UUID, capture_sequence: int, chain_hash: str, sums: str, now: datetime, patience: float = 60.0
) -> str:
    """The manifest for the text of SHA256SUMS as a signed note. A process that has the key signs at once.

    Call it outside of any transaction, because the signer must see the request. Raises CannotBuildError if the signer
    refuses, or does not answer within `patience` seconds.
    """
    ManifestRequest.objects.filter(asked_at__lt=now - KEPT).delete()
    request = ManifestRequest.objects.create(
        organization_id=organization_id,
        capture_sequence=capture_sequence,
        text=manifest_text(str(organization_id), chain_hash, sums),
        asked_at=now,
    )
    if keys.holds_key():
        answer(keys.signers(purpose=PURPOSE))
    deadline = time.monotonic() + patience
    try:
        while True:
            request.refresh_from_db()
            if request.refused:
                raise CannotBuildError(f"The signer did not sign the pack. {request.refused}")
            if request.note:
                return request.note
            if time.monotonic() >= deadline:
                raise CannotBuildError(
                    f"The signer did not sign the pack within {patience:.0f} seconds. Ask for the pack again once"
                    " `manage.py signer` runs."
                )
            time.sleep(_EVERY)
    finally:
        request.delete()


def answer(signers: Sequence[NoteSigner]) -> int:
    """Signs the manifests that wait, and refuses texts that are none. Returns how many were answered.

    Every key signs: until the log grows after a change of keys, the checkpoint in a pack is signed by the former key,
    and whoever checks a pack has one key for both. The manifest of a capture that is not in the log yet stays waiting.
    Raises LogFolderError.
    """
    answered = 0
    for request in ManifestRequest.objects.filter(note="", refused="").order_by("asked_at")[:100]:
        match = _MANIFEST.fullmatch(request.text)
        if match is None or match[1] != str(request.organization_id):
            ManifestRequest.objects.filter(pk=request.pk).update(refused="What was asked for is no manifest of a pack.")
        elif log_place(request.organization_id, request.capture_sequence, match[2]) is not None:
            ManifestRequest.objects.filter(pk=request.pk).update(note=signed_by_all(request.text, signers))
        else:
            continue
        answered += 1
    return answered
