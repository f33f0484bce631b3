"""Reads of captures as they are hashed: what a proof states of one, and what the log takes in."""

import uuid

from compliance.history.errors import NoTreeError
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import tree_capture_lines
from compliance.tenancy import sql

_LINES = """
SELECT c.captured_at, c.first_sequence, c.last_sequence, c.tree_root, c.ledger_head, before.chain_hash
FROM history_capture c
LEFT JOIN history_capture before ON before.organization_id = c.organization_id
    AND before.capture_sequence = c.capture_sequence - 1
WHERE c.organization_id = %s AND c.capture_sequence = %s AND c.tree_root IS NOT NULL
"""


def capture_lines(organization_id: uuid.UUID, capture_sequence: int) -> dict[str, str]:
    """The lines of `svc.capture/2` of one capture by name, in the order hashed, within the company's context.

    `proofs.history.tree_capture_digest` makes the chain hash of them. Raises NoTreeError.
    """
    found = sql.fetch(_LINES, [organization_id, capture_sequence])
    if not found:
        raise NoTreeError(f"Organization {organization_id} has no capture {capture_sequence} with a tree.")
    captured_at, first, last, tree_root, ledger_head, previous = found[0]
    has_rows = last >= first
    return tree_capture_lines(
        organization_id=organization_id,
        capture_sequence=capture_sequence,
        captured_at=captured_at,
        first_sequence=first if has_rows else None,
        last_sequence=last if has_rows else None,
        tree_size=last,
        tree_root=bytes(tree_root).hex(),
        ledger_head=bytes(ledger_head).hex(),
        previous_chain_hash=ZERO_DIGEST if previous is None else previous,
    )
