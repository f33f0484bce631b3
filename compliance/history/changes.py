"""Reads what captures changed, for webhooks: which registers, and how many records of each."""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.tenancy import sql


class Changes(NamedTuple):
    """A capture that wrote versions: its last `sequence`, and the number of changed records by register number."""

    capture_sequence: int
    captured_at: datetime
    chain_hash: str
    sequence: int
    records: dict[int, int]


_NEXT = """
WITH next AS (
  SELECT capture_sequence, captured_at, chain_hash, first_sequence, last_sequence FROM history_capture
  WHERE organization_id = (SELECT %(organization)s::uuid) AND capture_sequence > %(after)s
    AND capture_sequence <= %(upto)s AND last_sequence >= first_sequence
  ORDER BY capture_sequence LIMIT 1)
SELECT n.capture_sequence, n.captured_at, n.chain_hash, n.last_sequence, r.register, count(DISTINCT r.birth)
FROM next n JOIN history_historyrow r ON r.organization_id = (SELECT %(organization)s::uuid)
  AND r.sequence BETWEEN n.first_sequence AND n.last_sequence
GROUP BY n.capture_sequence, n.captured_at, n.chain_hash, n.last_sequence, r.register
"""

_WAITING = """
SELECT count(*), min(captured_at) FROM history_capture
WHERE organization_id = (SELECT %(organization)s::uuid) AND capture_sequence > %(after)s
  AND last_sequence >= first_sequence
"""


def next_changes(organization_id: uuid.UUID, *, after: int, upto: int) -> Changes | None:
    """The first capture after `after`, up to `upto`, that wrote versions. Needs the company's context."""
    found = sql.fetch(_NEXT, {"organization": organization_id, "after": after, "upto": upto})
    if not found:
        return None
    capture_sequence, captured_at, chain_hash, sequence = found[0][:4]
    records = {register: number for *_, register, number in found}
    return Changes(capture_sequence, captured_at, chain_hash, sequence, records)


def captures_with_changes(organization_id: uuid.UUID, *, after: int) -> tuple[int, datetime | None]:
    """How many captures after `after` wrote versions, and when the first was made. Needs the company's context."""
    return sql.fetch(_WAITING, {"organization": organization_id, "after": after})[0]
