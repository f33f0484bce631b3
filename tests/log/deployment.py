"""Helpers of the log's tests."""

import hashlib
from collections.abc import Sequence
from datetime import timedelta

from compliance.history import actions, queries
from compliance.log import folder, keys
from compliance.log.models import Leaf
from compliance.proofs.log import LogCheckpoint
from compliance.proofs.merkle import leaf_hash, root_of
from tests.companies import NOW, Company

KEY = "a key of the test that is long enough"
ORIGIN = "records.example.com/log"
LATER = NOW + timedelta(minutes=1)


def grow(company: Company, *names: str) -> None:
    """Makes a capture for each person who joins."""
    for name in names:
        company.join(name)
        actions.capture_all(company.organization_id, NOW)


def captures(company: Company) -> list[int]:
    """The captures of the company that are under the log, in the order of their entries."""
    found = Leaf.objects.filter(organization_id=company.organization_id, kind="capture").order_by("index")
    return list(found.values_list("capture_sequence", flat=True))


def head(company: Company) -> queries.Head:
    return queries.head(company.organization_id)


def stated() -> LogCheckpoint:
    """The content of the folder's checkpoint."""
    note = folder.read(folder.CHECKPOINT)
    assert note is not None
    return keys.checked_checkpoint(note)


def entries() -> list[bytes]:
    return [bytes(entry) for entry in Leaf.objects.order_by("index").values_list("entry", flat=True)]


def root(found: Sequence[bytes]) -> bytes:
    return root_of(leaf_hash(entry) for entry in found)


def some_entries(count: int, salt: str = "") -> list[bytes]:
    return [hashlib.sha256(f"{salt}{number}".encode()).digest() for number in range(count)]
