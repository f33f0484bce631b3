"""Reads of the history that are slow and plain, for tests to compare with."""

import uuid
from datetime import datetime
from typing import Any

import orjson

from compliance.history.models import Capture, HistoryRecord, HistoryRow
from compliance.history.queries import head
from compliance.proofs.history import visible_text
from compliance.tenancy import context


def rows(organization_id: uuid.UUID, register: int | None = None) -> list[HistoryRow]:
    """All stored rows in order."""
    with context.company(organization_id):
        found = HistoryRow.objects.filter(organization_id=organization_id).order_by("sequence")
        return list(found if register is None else found.filter(register=register))


def captures(organization_id: uuid.UUID) -> list[Capture]:
    with context.company(organization_id):
        return list(Capture.objects.filter(organization_id=organization_id).order_by("capture_sequence"))


def at(organization_id: uuid.UUID, register: int, moment: datetime, sequence: int | None = None) -> dict[str, Any]:
    """The bodies in force at (moment, sequence) by record id, as docs/architecture.md#reading defines them.

    Without hidden members: commitments are salted, so they differ between companies with the same facts.
    """
    known = head(organization_id).sequence if sequence is None else sequence
    found: dict[int, HistoryRow] = {}
    for row in rows(organization_id, register):
        if row.valid_from <= moment and row.sequence <= known:
            latest = found.get(row.birth)
            if latest is None or (row.valid_from, row.sequence) > (latest.valid_from, latest.sequence):
                found[row.birth] = row
    with context.company(organization_id):
        ids = dict(
            HistoryRecord.objects.filter(organization_id=organization_id, register=register).values_list(
                "birth", "record_id"
            )
        )
    return {str(ids[birth]): orjson.loads(visible_text(row.body)) for birth, row in found.items() if row.body}


def only(found: dict[str, Any]) -> dict[str, Any]:
    """The only row."""
    (row,) = found.values()
    return dict(row)
