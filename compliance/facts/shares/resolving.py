"""References of facts about shares, each looked up for a whole batch."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses import queries as courses
from compliance.facts.rows import lookup


class StoredShare(NamedTuple):
    """A share as stored; `kind` is that of its course."""

    course_id: uuid.UUID
    opened_at: datetime
    ended_at: datetime | None
    kind: str


def shares(organization_id: uuid.UUID, share_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredShare]:
    """Those of the shares that exist."""
    found = lookup(
        f"SELECT s.share_id, s.course_id, s.opened_at, s.ended_at, c.kind FROM shares_share s {courses.joined('s')}"  # noqa: S608
        " WHERE s.organization_id = %s AND s.share_id = ANY(%s)",
        organization_id,
        set(share_ids),
    )
    return {share_id: StoredShare(*row) for share_id, row in found.items()}
