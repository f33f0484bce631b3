"""The signed list of a pack's files: asked for here by whoever builds a pack, answered by the signer.

The builder does not hold the key. It leaves the text of the manifest in a table; the signer looks there in each pass,
and signs what has the form of a manifest and names a capture of that company that is under the log. It checks that by
an inclusion proof against a checkpoint that bears its own signature, and takes no table's word for it.
"""

import re
import time
import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import ManifestRequest
from compliance.log import keys, queries
from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import leaf_hash, root_from_inclusion
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.pack_captures import EVIDENCE_CONSTANT, manifest_text

KEPT = timedelta(days=1)
PURPOSE = "evidence"
_EVERY = 0.5
_MANIFEST = re.compile(
    EVIDENCE_CONSTANT + r"\n([0-9a-f-]{36})\n([0-9a-f]{64})\n((?:[0-9a-f]{64}  [!-~]+\n)+)", re.ASCII
)


class LogPlace(NamedTuple):
    """Where a capture is in the log: of `size` entries, its entry and path; the checkpoint of that size."""

    size: int
    entry: int
    path: list[bytes]
    checkpoint: str


def log_place(organization_id: uuid.UUID, capture_sequence: int, chain_hash: str) -> LogPlace | None:
    """The place of a capture under the newest checkpoint, recomputed; None while it is not there.

    Raises LogFolderError for a checkpoint that none of our keys signed.
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
    """The manifest over the text of SHA256SUMS as a signed note; a process that holds the key signs at once.

    Outside of any transaction, for the signer must see what is asked. Raises CannotBuildError when the signer refuses,
    or does not answer within `patience` seconds.
    """
    ManifestRequest.objects.filter(asked_at__lt=now - KEPT).delete()
    request = ManifestRequest.objects.create(
        organization_id=organization_id,
        capture_sequence=capture_sequence,
        text=manifest_text(str(organization_id), chain_hash, sums),
        asked_at=now,
    )
    if keys.holds_key():
        answer(keys.signing_key(purpose=PURPOSE))
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


def answer(signer: NoteSigner) -> int:
    """Signs the manifests that are waited for, and refuses what is none; how many were answered.

    A capture that is not under the log yet keeps its manifest waiting. Raises LogFolderError.
    """
    answered = 0
    for request in ManifestRequest.objects.filter(note="", refused="").order_by("asked_at")[:100]:
        match = _MANIFEST.fullmatch(request.text)
        if match is None or match[1] != str(request.organization_id):
            ManifestRequest.objects.filter(pk=request.pk).update(refused="What was asked for is no manifest of a pack.")
        elif log_place(request.organization_id, request.capture_sequence, match[2]) is not None:
            ManifestRequest.objects.filter(pk=request.pk).update(note=signer.sign(request.text))
        else:
            continue
        answered += 1
    return answered
