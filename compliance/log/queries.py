"""Reads of the published log for other rooms. The newest checkpoint covers everything in its tables."""

import uuid
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from compliance.log.models import Checkpoint, Leaf, Tile, Witness
from compliance.log.tree import consistency, inclusion, root_at
from compliance.tenancy import reading, sql

__all__ = ["consistency", "inclusion", "root_at"]


class Published(NamedTuple):
    """A published checkpoint: its number of entries, the root of their tree, the signed note, and when it was made."""

    size: int
    root: bytes
    note: str
    signed_at: datetime


class SignedCapture(NamedTuple):
    """A company's newest capture under the newest checkpoint, and its entry.

    There is none after a history was accepted before its first capture: `capture_sequence` is 0, the rest is null.
    """

    organization_id: uuid.UUID
    capture_sequence: int
    leaf: int | None
    entry: bytes | None


def newest_checkpoint() -> Published | None:
    """The newest checkpoint; None before the first."""
    return next(iter(newest_checkpoints(1)), None)


def newest_checkpoints(most: int) -> list[Published]:
    """The newest `most` checkpoints, newest first."""
    found = sql.fetch("SELECT size, root, note, signed_at FROM log_checkpoint ORDER BY size DESC LIMIT %s", [most])
    return [Published(*row) for row in found]


def size() -> int:
    """How many entries the newest checkpoint covers; 0 before the first."""
    return Checkpoint.objects.order_by("-size").values_list("size", flat=True).first() or 0


def leaf_of(organization_id: uuid.UUID, capture_sequence: int) -> int | None:
    """The place of the entry of a capture; None while it is not signed.

    After an acceptance several entries may have the same capture number: the last one counts, unless the company's
    history was accepted after it at an earlier capture.
    """
    ((index,),) = sql.fetch(
        "SELECT max(l.index) FROM log_leaf l WHERE l.organization_id = %(organization_id)s AND l.kind = 'capture'"
        " AND l.capture_sequence = %(capture_sequence)s AND NOT EXISTS (SELECT FROM log_leaf a"
        " WHERE a.organization_id = %(organization_id)s AND a.kind = 'acceptance' AND a.index > l.index"
        " AND a.capture_sequence < l.capture_sequence)",
        {"organization_id": organization_id, "capture_sequence": capture_sequence},
    )
    return index


_EVERYTHING = 2**63 - 1
_NEWEST = """
SELECT c.organization_id, newest.capture_sequence, leaf.index, leaf.entry FROM company c
CROSS JOIN LATERAL (SELECT capture_sequence FROM log_leaf
    WHERE organization_id = c.organization_id AND index < %(size)s ORDER BY index DESC LIMIT 1) newest
LEFT JOIN LATERAL (SELECT index, entry FROM log_leaf WHERE organization_id = c.organization_id AND kind = 'capture'
    AND capture_sequence = newest.capture_sequence AND index < %(size)s ORDER BY index DESC LIMIT 1) leaf ON true
"""


_NEWEST_SIGNED = """
SELECT newest.capture_sequence, leaf.index FROM
(SELECT capture_sequence FROM log_leaf WHERE organization_id = %(organization)s ORDER BY index DESC LIMIT 1) newest
CROSS JOIN LATERAL (SELECT index FROM log_leaf WHERE organization_id = %(organization)s AND kind = 'capture'
    AND capture_sequence = newest.capture_sequence ORDER BY index DESC LIMIT 1) leaf
"""
_SIGNED_AND_CHECKPOINT = f"""
SELECT entry.*, checkpoint.* FROM ({_NEWEST_SIGNED}) entry
CROSS JOIN (SELECT size, root, note, signed_at FROM log_checkpoint ORDER BY size DESC LIMIT 1) checkpoint
"""  # noqa: S608 - an expression of our own


def newest_signed_capture(organization_id: uuid.UUID) -> tuple[int, int] | None:
    """The number of a company's newest capture under the newest checkpoint and the place of its entry, or None."""
    for capture_sequence, index in sql.fetch(_NEWEST_SIGNED, {"organization": organization_id}):
        return capture_sequence, index
    return None


class NewestSigned(NamedTuple):
    """A company's newest capture under the newest checkpoint, the place of its entry, and that checkpoint."""

    capture_sequence: int
    leaf: int
    checkpoint: Published


def newest_signed(organization_id: uuid.UUID) -> NewestSigned | None:
    """As `newest_signed_capture`, with the checkpoint itself; read as requests read (`tenancy.reading`)."""
    for number, leaf, *checkpoint in reading.fetch(_SIGNED_AND_CHECKPOINT, {"organization": organization_id}):
        return NewestSigned(number, leaf, Published(*checkpoint))
    return None


def signed_captures(size: int = _EVERYTHING) -> list[SignedCapture]:
    """The newest capture of each company among the first `size` entries, in one statement with a look-up for each."""
    rows = sql.fetch(
        f"""WITH RECURSIVE company AS (
            (SELECT organization_id FROM log_leaf ORDER BY organization_id LIMIT 1)
            UNION ALL
            SELECT (SELECT l.organization_id FROM log_leaf l WHERE l.organization_id > c.organization_id
                ORDER BY l.organization_id LIMIT 1) FROM company c WHERE c.organization_id IS NOT NULL
        ) {_NEWEST} WHERE c.organization_id IS NOT NULL""",  # noqa: S608
        {"size": size},
    )
    return [
        SignedCapture(company, number, leaf, None if entry is None else bytes(entry))
        for company, number, leaf, entry in rows
    ]


def joined_signed(alias: str) -> str:
    """SQL that joins, as `g.signed`, the number of the newest signed capture of the company of `alias`."""
    return (
        f" LEFT JOIN LATERAL (SELECT capture_sequence AS signed FROM log_leaf"  # noqa: S608
        f" WHERE organization_id = {alias}.organization_id ORDER BY index DESC LIMIT 1) g ON true"
    )


def tile(level: int, index: int) -> bytes:
    """The concatenated hashes of a tile; empty if there is no such tile."""
    found = Tile.objects.filter(level=level, index=index).values_list("hashes", flat=True).first()
    return b"" if found is None else bytes(found)


def entries(begin: int, end: int) -> list[bytes]:
    """The entries from place `begin` up to, not including, `end`."""
    found = Leaf.objects.filter(index__gte=begin, index__lt=end).order_by("index")
    return [bytes(entry) for entry in found.values_list("entry", flat=True)]


def capture_entries(organization_id: uuid.UUID) -> dict[int, bytes]:
    """The valid entries of all captures of a company, by `capture_sequence`."""
    found: dict[int, bytes] = {}
    rows = Leaf.objects.filter(organization_id=organization_id).order_by("index")
    for kind, number, entry in rows.values_list("kind", "capture_sequence", "entry").iterator(chunk_size=10_000):
        if kind == Leaf.Kind.CAPTURE:
            found[number] = bytes(entry)
        else:
            found = {each: known for each, known in found.items() if each <= number}
    return found


def quorum_missing_since() -> datetime | None:
    """Since when the log lacks cosignatures by LOG_QUORUM of LOG_WITNESSES; None when none is missing.

    A cosignature of a checkpoint covers the checkpoints before it. Only checkpoints of the last day are kept, so what
    has been missing for longer counts from the oldest of these.
    """
    keys = [entry.partition(" ")[0] for entry in settings.LOG_WITNESSES]
    if not keys:
        return None
    largest = Witness.objects.filter(key__in=keys, size__isnull=False).order_by("-size").values_list("size", flat=True)
    reached = next(iter(largest[settings.LOG_QUORUM - 1 : settings.LOG_QUORUM]), -1)
    waiting = Checkpoint.objects.filter(size__gt=reached).order_by("size").values_list("signed_at", flat=True)
    return waiting.first()


def witness_answers() -> list[tuple[str, str, int]]:
    """For each witness of LOG_WITNESSES and each outcome: the name, the outcome, and how often it occurred."""
    keys = [entry.partition(" ")[0] for entry in settings.LOG_WITNESSES]
    counted = dict(Witness.objects.filter(key__in=keys).values_list("key", "answers"))
    return [
        (key.partition("+")[0], outcome.value, counted.get(key, {}).get(outcome.value, 0))
        for key in keys
        for outcome in Witness.Outcome
    ]
