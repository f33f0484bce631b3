"""Makes the proof of one row: the version in force, its place in the company's tree, the capture, the log.

Version, newest signed capture and newest checkpoint come from one statement, so they belong to one moment. What is read
afterwards are hashes of rows and entries that they cover, which never change. Each proof is verified before it is
returned.
"""

import uuid
from datetime import datetime
from typing import Final

from compliance.catalogue.declaration import Register
from compliance.facts.identities import identity_behind
from compliance.history import tree
from compliance.history.actions import fail_verification
from compliance.history.errors import MissingRowError
from compliance.history.records import Provable
from compliance.history.text import instant
from compliance.interfaces.proof.errors import HistoryRefutedError, NothingToProveError, NotSignedYetError
from compliance.interfaces.proof.signed import signed_version
from compliance.log import queries as log
from compliance.proofs.history import tree_capture_digest
from compliance.proofs.merkle import leaf_hash, root_from_inclusion
from compliance.proofs.row_proof import Identity, ProvedRow, TreePlace, row_proof_text
from compliance.proofs.row_verifier import commitment_in, row_sha256

RETRY_AFTER_SECONDS: Final = 5
"""When to ask again for a proof that is not signed yet: the signer adds new captures every few seconds."""


def prove(
    organization_id: uuid.UUID, register: Register, record_id: uuid.UUID, moment: datetime, *, personal: bool
) -> str:
    """The proof, as JSON, of the version of a record that is in force at `moment`, in the company's context.

    `personal`: with the name and address to which the version commits, while they are not erased. A constant number of
    statements. Raises NothingToProveError, NotSignedYetError, and HistoryRefutedError when what is stored does not
    lead to what was signed.
    """
    found = signed_version(organization_id, register, record_id, moment)
    if found is None:
        raise NothingToProveError(f"The register {register.name} holds no such record at that moment.")
    version, signed = found
    if signed is None or version.sequence > signed.size:
        raise NotSignedYetError("The row is recorded, and its capture is not signed yet. It will be within seconds.")
    try:
        path = tree.inclusion(organization_id, version.sequence, signed.size)
    except MissingRowError as error:
        raise HistoryRefutedError(str(error)) from error
    row = _proved(organization_id, register, record_id, version)
    place = TreePlace(signed.size, version.sequence - 1, tuple(path))
    checkpoint = signed.checkpoint
    in_log = TreePlace(checkpoint.size, signed.index, tuple(log.inclusion(signed.index, checkpoint.size)))
    chain_hash = tree_capture_digest(signed.lines)
    if _root(row_sha256(row), place).hex() != signed.lines["tree_root"]:
        raise HistoryRefutedError(f"Row {version.sequence} and its path do not lead to the root that was captured.")
    if _root(bytes.fromhex(chain_hash), in_log) != checkpoint.root:
        capture_sequence = signed.lines["capture_sequence"]
        raise HistoryRefutedError(f"Capture {capture_sequence} is not the one that was signed.")
    identity = _identity(organization_id, version.content) if personal else None
    return row_proof_text(row, place, signed.lines, chain_hash, in_log, checkpoint.note, identity)


def refute(organization_id: uuid.UUID, error: HistoryRefutedError) -> None:
    """Closes a company whose history a proof has refuted; it opens again when a verification holds."""
    fail_verification(organization_id, str(error))


def _proved(organization_id: uuid.UUID, register: Register, record_id: uuid.UUID, version: Provable) -> ProvedRow:
    return ProvedRow(
        str(organization_id),
        version.sequence,
        register.name,
        str(record_id),
        instant(version.valid_from),
        instant(version.recorded_at),
        version.cause,
        version.logic_version,
        version.content,
    )


def _identity(organization_id: uuid.UUID, content: str) -> Identity | None:
    """Whom a text is about, None where it commits to nobody or the person is erased."""
    commitment = commitment_in(content)
    if not isinstance(commitment, str):
        return None
    behind = identity_behind(organization_id, commitment)
    return None if behind is None else Identity(behind.salt, behind.person_name or None, behind.work_email or None)


def _root(leaf: bytes, place: TreePlace) -> bytes:
    return root_from_inclusion(leaf_hash(leaf), place.index, place.size, place.path)
