"""Turns the captures of a company into the form that they had before companies had trees."""

import uuid

import psycopg

from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import capture_digest, rows_sha256
from tests.history.reading import captures, rows


def without_tree(owner: psycopg.Connection, organization_id: uuid.UUID) -> None:
    """Rewrites every capture as `svc.capture/1` and removes the tree; `owner` may change append-only rows."""
    digests = [bytes(row.row_sha256).hex() for row in rows(organization_id)]
    chain_hash = ZERO_DIGEST
    for capture in captures(organization_id):
        own = digests[capture.first_sequence - 1 : capture.last_sequence]
        chain_hash = capture_digest(
            organization_id=organization_id,
            capture_sequence=capture.capture_sequence,
            captured_at=capture.captured_at,
            first_sequence=capture.first_sequence if own else None,
            last_sequence=capture.last_sequence if own else None,
            rows_sha256=rows_sha256(own),
            previous_chain_hash=chain_hash,
        )
        owner.execute(
            "UPDATE history_capture SET rows_sha256 = %s, tree_root = NULL, ledger_head = NULL, chain_hash = %s"
            " WHERE organization_id = %s AND capture_sequence = %s",
            [rows_sha256(own), chain_hash, organization_id, capture.capture_sequence],
        )
    owner.execute("DELETE FROM history_subtree WHERE organization_id = %s", [organization_id])
    owner.execute(
        "UPDATE history_historyhead SET chain_hash = %s, tree_size = 0, tree_range = '' WHERE organization_id = %s",
        [chain_hash, organization_id],
    )
