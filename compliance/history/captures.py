"""Reads captures as they are hashed, for proofs and for the log."""

import uuid

from compliance.history.errors import NoTreeError
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import tree_capture_lines
from compliance.tenancy import sql

COLUMNS = "c.captured_at, c.first_sequence, c.last_sequence, c.tree_root, c.ledger_head, previous.chain_hash"


def with_tree(capture_sequence: str) -> str:
    """SQL of the capture whose number the SQL `capture_sequence` gives, for `lines_of`; no row if it has no tree."""
    return f"""SELECT {COLUMNS} FROM history_capture c
        LEFT JOIN history_capture previous ON previous.organization_id = c.organization_id
            AND previous.capture_sequence = c.capture_sequence - 1
        WHERE c.organization_id = (SELECT %(organization)s::uuid) AND c.capture_sequence = {capture_sequence}
            AND c.tree_root IS NOT NULL"""  # noqa: S608


def lines_of(organization_id: uuid.UUID, capture_sequence: int, row: sql.Row) -> dict[str, str]:
    """The lines of `svc.capture/2` by name, in the order hashed, of the capture in a row of `with_tree`.

    `proofs.history.tree_capture_digest` computes the chain hash from them.
    """
    captured_at, first, last, tree_root, ledger_head, previous = row
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


_LINES = with_tree("%(capture_sequence)s::bigint")


def capture_lines(organization_id: uuid.UUID, capture_sequence: int) -> dict[str, str]:
    """The lines of one capture, as `lines_of`, within the company's context. Raises NoTreeError."""
    found = sql.fetch(_LINES, {"organization": organization_id, "capture_sequence": capture_sequence})
    if not found:
        raise NoTreeError(f"Organization {organization_id} has no capture {capture_sequence} with a tree.")
    return lines_of(organization_id, capture_sequence, found[0])
