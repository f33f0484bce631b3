"""What is sent: `{type, timestamp, data}`, thin, the same bytes at every try, without anything personal."""

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
    """One event, ready to be signed. `capture_sequence` None: a test."""

    message_id: str
    kind: str
    body: bytes
    capture_sequence: int | None


def of_capture(organization_id: uuid.UUID, changes: Changes) -> Event:
    """A company's history has grown by a capture: how many records of which registers have a new version.

    The identifier follows from the capture's hash: it is the same at every try, in every replay, and for every webhook
    of the company, and another one for a capture that takes the number of one that a restored backup did not have.
    """
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
    """What staff send by a button: it tells nothing but that it arrives."""
    data = {"organization_id": str(organization_id), "webhook_id": str(webhook_id)}
    return _event(test_id, TEST, asked_at, data, None)


def _event(message_id: uuid.UUID, kind: str, at: datetime, data: dict[str, Any], capture_sequence: int | None) -> Event:
    body = orjson.dumps({"type": kind, "timestamp": hashed_instant(at), "data": data})
    return Event(f"msg_{message_id.hex}", kind, body, capture_sequence)
