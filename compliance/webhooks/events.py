"""The body that is sent: `{type, timestamp, data}`, small, the same bytes at every try, without anything personal."""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from compliance.catalogue import REGISTERS
from compliance.history.changes import Changes
from compliance.proofs.instants import hashed_instant

HISTORY_CAPTURED = "history.captured"
TEST = "test"


class Event(NamedTuple):
    """One event, ready to be signed. `capture_sequence` is None for a test."""

    message_id: str
    kind: str
    body: bytes
    capture_sequence: int | None


def of_capture(organization_id: uuid.UUID, changes: Changes) -> Event:
    """The event of a new capture in a company's history, with how many records of each register have a new version."""
    data = {
        "organization_id": str(organization_id),
        "capture_sequence": changes.capture_sequence,
        "sequence": changes.sequence,
        "registers": {
            register.name: changes.records[number]
            for number, register in REGISTERS.items()
            if number in changes.records
        },
    }
    message_id = uuid.uuid5(organization_id, f"{HISTORY_CAPTURED} {changes.chain_hash}")
    return _event(message_id, HISTORY_CAPTURED, changes.captured_at, data, changes.capture_sequence)


def of_test(organization_id: uuid.UUID, webhook_id: uuid.UUID, test_id: uuid.UUID, asked_at: datetime) -> Event:
    """The event that staff send with a button; it only shows that events arrive."""
    data = {"organization_id": str(organization_id), "webhook_id": str(webhook_id)}
    return _event(test_id, TEST, asked_at, data, None)


def _event(message_id: uuid.UUID, kind: str, at: datetime, data: dict[str, Any], capture_sequence: int | None) -> Event:
    body = orjson.dumps({"type": kind, "timestamp": hashed_instant(at), "data": data})
    return Event(f"msg_{message_id.hex}", kind, body, capture_sequence)
