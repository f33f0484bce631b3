"""Published tiles contain the tree that a plain computation over all entries gives, at every size."""

import random
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.log import actions, queries, tree
from compliance.log.errors import LogRefusedError
from compliance.log.memory import NewLeaf, Signed
from compliance.log.models import Checkpoint, Leaf, Tile
from compliance.proofs import merkle
from compliance.proofs.merkle import CompactRange, leaf_hash
from tests.companies import NOW
from tests.log.deployment import ORIGIN, some_entries

pytestmark = pytest.mark.django_db


def publish(entries, begin, end):
    """Publishes the entries from one size to another, as a signed checkpoint each time."""
    made = CompactRange()
    made.extend(map(leaf_hash, entries[:end]))
    leaves = [NewLeaf("capture", uuid.UUID(int=7), place + 1, entries[place]) for place in range(begin, end)]
    actions.publish(leaves, begin, Signed(ORIGIN, made, f"note of {end}", NOW, begin))


def naive(entries):
    """The root of any complete subtree, computed from its leaves each time."""
    hashes = [leaf_hash(entry) for entry in entries]
    return lambda height, index: merkle.root_of(hashes[index << height : (index + 1) << height])


@pytest.mark.parametrize("size", [1, 255, 256, 257, 511, 512, 700])
def test_tiles_grown_in_steps_of_any_length_are_those_of_a_plain_tree(size):
    entries, at, random_steps = some_entries(size), 0, random.Random(size)
    while at < size:
        following = min(size, at + random_steps.choice([1, 2, 17, 255, 256, 300]))
        publish(entries, at, following)
        at = following
    subtree = naive(entries)
    wanted = {}
    for level in range(3):
        whole = size >> (8 * level)
        for index in range((whole + 255) // 256):
            hashes = [subtree(8 * level, place) for place in range(index * 256, min(whole, (index + 1) * 256))]
            wanted[level, index] = b"".join(hashes)
    stored = {
        (level, index): bytes(hashes) for level, index, hashes in Tile.objects.values_list("level", "index", "hashes")
    }
    assert stored == wanted
    assert queries.entries(0, size) == entries


def test_proofs_of_every_entry_at_every_size_are_those_of_a_plain_tree():
    entries = some_entries(600)
    publish(entries, 0, 600)
    subtree, chosen = naive(entries), random.Random(1)
    sizes = [1, 2, 3, 255, 256, 257, 511, 512, 513, 599, 600]
    for size in sizes:
        assert queries.root_at(size) == merkle.root_of_range(0, size, subtree)
        for index in {0, size - 1, *(chosen.randrange(size) for _ in range(6))}:
            assert queries.inclusion(index, size) == merkle.inclusion_path(index, size, subtree)
        for first in {0, 1, size, *(chosen.randrange(size + 1) for _ in range(6))}:
            assert queries.consistency(first, size) == merkle.consistency_proof(first, size, subtree)


@pytest.mark.parametrize("size", [10, 66_000])
def test_a_proof_takes_one_statement_whatever_the_size(size):
    entries = some_entries(size)
    publish(entries, 0, size)
    hashes = [leaf_hash(entry) for entry in entries]
    root = merkle.root_of(hashes)
    for index in (0, size // 2, size - 1):
        with CaptureQueriesContext(connection) as found:
            path = queries.inclusion(index, size)
        assert len(found) == 1
        assert merkle.root_from_inclusion(hashes[index], index, size, path) == root
    for first in (1, size // 3, size - 1):
        with CaptureQueriesContext(connection) as found:
            proof = queries.consistency(first, size)
        assert len(found) == 1
        merkle.check_consistency(first, size, merkle.root_of(hashes[:first]), root, proof)


def test_nothing_is_published_over_tiles_that_do_not_lead_to_the_signed_root():
    entries = some_entries(20)
    publish(entries, 0, 10)
    hashes = bytearray(Tile.objects.get(level=0, index=0).hashes)
    hashes[40] ^= 1
    Tile.objects.filter(level=0, index=0).update(hashes=bytes(hashes))
    with pytest.raises(LogRefusedError, match="do not lead to the root of the 20 entries"):
        publish(entries, 10, 20)
    assert (queries.size(), Leaf.objects.count()) == (10, 10)


def test_a_tile_that_was_cut_is_named():
    publish(some_entries(300), 0, 300)
    Tile.objects.filter(level=0, index=1).update(hashes=b"\x01" * 32)
    with pytest.raises(LogRefusedError, match="Tile 1 of level 0 of the log is missing in the database, or too short"):
        tree.inclusion(299, 300)


def test_checkpoints_of_before_a_day_go_but_the_newest_two():
    entries = some_entries(4)
    for size in (1, 2, 3):
        publish(entries, size - 1, size)
    Checkpoint.objects.update(signed_at=NOW - actions.KEPT * 2)
    publish(entries, 3, 4)
    assert list(Checkpoint.objects.order_by("size").values_list("size", flat=True)) == [3, 4]
