"""Captures, what waits or was set aside, keys: the machinery of a company, page by page."""

import uuid
from typing import Any

from compliance.interfaces.console.keyset import PAGE
from compliance.tenancy import sql

Lines = list[dict[str, Any]]


def captures(organization_id: uuid.UUID, before: int | None) -> tuple[Lines, tuple[int] | None]:
    """A page of captures, newest first, and the capture before which the next page begins."""
    names = (
        "capture_sequence", "captured_at", "first_sequence", "last_sequence", "rows_sha256", "chain_hash",
        "logic_version", "why",
    )  # fmt: skip
    rows = sql.fetch(
        f"SELECT {', '.join(names)} FROM history_capture WHERE organization_id = %s"  # noqa: S608
        " AND capture_sequence < %s ORDER BY capture_sequence DESC LIMIT %s",
        [organization_id, before if before is not None else 2**62, PAGE + 1],
    )
    lines = [dict(zip(names, row, strict=True)) for row in rows[:PAGE]]
    for line in lines:
        line["rows"] = line["last_sequence"] - line["first_sequence"] + 1
    return lines, (lines[-1]["capture_sequence"],) if len(rows) > PAGE else None


def rows_of_capture(
    organization_id: uuid.UUID, first: int, last: int, after: int | None
) -> tuple[Lines, tuple[int] | None]:
    """A page of the row versions that a capture wrote, in their order."""
    rows = sql.fetch(
        "SELECT v.sequence, v.register, r.record_id, v.valid_from, v.cause, v.state, v.body = '', r.learner_profile_id"
        " FROM history_historyrow v JOIN history_historyrecord r USING (organization_id, register, birth)"
        " WHERE v.organization_id = %s AND v.sequence > %s AND v.sequence <= %s ORDER BY v.sequence LIMIT %s",
        [organization_id, after if after is not None else first - 1, last, PAGE + 1],
    )
    names = ("sequence", "register", "record_id", "valid_from", "cause", "state", "absent", "learner_profile_id")
    lines = [dict(zip(names, row, strict=True)) for row in rows[:PAGE]]
    return lines, (lines[-1]["sequence"],) if len(rows) > PAGE else None


def capture(organization_id: uuid.UUID, capture_sequence: int) -> dict[str, Any] | None:
    """One capture, None when there is none of this number."""
    found, _ = captures(organization_id, capture_sequence + 1)
    return found[0] if found and found[0]["capture_sequence"] == capture_sequence else None


def waiting(organization_id: uuid.UUID, after: int | None) -> tuple[Lines, tuple[int] | None]:
    """A page of what the writer has yet to decide, those set aside first marked as such."""
    names = (
        "id", "kind", "first", "second", "recorded_at", "attempts", "retry_after", "set_aside_at", "set_aside_reason",
    )  # fmt: skip
    rows = sql.fetch(
        f"SELECT {', '.join(names)} FROM pending_pendingsubject WHERE organization_id = %s AND id > %s"  # noqa: S608
        " ORDER BY id LIMIT %s",
        [organization_id, after or 0, PAGE + 1],
    )
    lines = [dict(zip(names, row, strict=True)) for row in rows[:PAGE]]
    return lines, (lines[-1]["id"],) if len(rows) > PAGE else None
