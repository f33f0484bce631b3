"""A company's tree (RFC 6962) over its row digests: captures append to it, and proofs read audit paths from it.

Leaf i is the hash of the 32 bytes of the row digest of sequence i + 1. The head stores the tree's compact range; a
table stores the roots of complete subtrees of 16, 256, 4,096, ... leaves. All other hashes follow from the digests.
"""

import uuid
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from compliance.history.errors import MissingRowError
from compliance.proofs import merkle
from compliance.proofs.merkle import CompactRange
from compliance.tenancy import arrays, reading, sql

TILE_HEIGHT: Final = 4
"""Roots are kept of subtrees whose height is a multiple of this: a proof reads up to 16 hashes per height and side."""
KEPT_SINCE_THE_FIRST: Final = 8
"""Roots at multiples of this are never missing. An older release that kept only these may capture after `migrate`."""
DIGESTS_AT_ONCE: Final = 50_000

_DIGESTS = """
SELECT sequence, row_sha256 FROM history_historyrow
WHERE organization_id = (SELECT %s::uuid) AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s
"""
# LATERAL in the order of the key, with a limit, makes the planner scan a short part of the index for each range.
# Without it, the planner expects a range between two columns to hold much of the company, and reads the whole table.
# The hashes of a range come as one value, because the driver takes longer for a thousand rows than PostgreSQL.
_WANTED = f"""
SELECT w.place, string_agg(kept.hash, ''::bytea ORDER BY kept.number)
FROM unnest(%(heights)s::smallint[], %(firsts)s::bigint[], %(lasts)s::bigint[])
    WITH ORDINALITY AS w (height, first, last, place)
CROSS JOIN LATERAL (
    (SELECT sequence AS number, row_sha256 AS hash FROM history_historyrow
        WHERE organization_id = (SELECT %(organization)s::uuid) AND w.height = 0
        AND sequence BETWEEN w.first + 1 AND w.last + 1 ORDER BY sequence LIMIT {1 << TILE_HEIGHT})
    UNION ALL
    (SELECT index, root FROM history_subtree
        WHERE organization_id = (SELECT %(organization)s::uuid) AND height = w.height
        AND index BETWEEN w.first AND w.last ORDER BY index LIMIT {1 << TILE_HEIGHT})
) kept
GROUP BY w.place
"""  # noqa: S608
_COLUMNS = {"organization_id": "uuid", "height": "smallint", "index": "bigint", "root": "bytea"}


KeptRoot = tuple[int, int, bytes]
"""Height, index and root of a complete subtree that the table holds."""
Place = tuple[int, int]
"""Height and index of a complete subtree."""


def grow(tree: CompactRange, digests: Iterable[bytes]) -> Iterator[KeptRoot]:
    """Appends the rows of these digests to `tree`; yields the roots to keep, of the subtrees that this completes.

    All rows are in the tree only when the iterator is exhausted.
    """
    leaves = map(merkle.leaf_hash, digests)
    while chunk := list(islice(leaves, (1 << TILE_HEIGHT) - tree.size % (1 << TILE_HEIGHT))):
        last = chunk.pop()
        tree.extend(chunk)
        for height, index, root in tree.append(last):
            if height % TILE_HEIGHT == 0:
                yield height, index, root


def keep(organization_id: uuid.UUID, roots: Iterable[KeptRoot]) -> None:
    """Inserts the roots of completed subtrees, within the company's context."""
    sql.insert("history_subtree", _COLUMNS, [(organization_id, *each) for each in roots])


def stored_digests(organization_id: uuid.UUID, after: int, last: int) -> Iterator[bytes]:
    """Yields the row digests of a company after sequence `after` up to `last`, within its context, page by page.

    Raises MissingRowError where one is not stored.
    """
    while after < last:
        page = sql.fetch(_DIGESTS, [organization_id, after, last, DIGESTS_AT_ONCE])
        for sequence, digest in page:
            after += 1
            if sequence != after:
                raise MissingRowError(f"Row {after} of organization {organization_id} is missing.")
            yield bytes(digest)
        if not page:
            raise MissingRowError(f"Row {after + 1} of organization {organization_id} is missing.")


def inclusion(organization_id: uuid.UUID, sequence: int, size: int) -> list[bytes]:
    """The audit path of the row of `sequence` in the tree of `size` rows, the leaf's sibling first.

    One statement at any size, within the company's context, or two where roots are missing (`KEPT_SINCE_THE_FIRST`).
    The path is computed twice, the first time to learn which subtrees it needs. Raises TreeProofRefused when that tree
    has no such row, and MissingRowError when the history holds fewer rows than `size`.
    """
    asked: list[Place] = []

    def note(height: int, index: int) -> bytes:
        asked.append((height, index))
        return merkle.EMPTY_ROOT

    merkle.inclusion_path(sequence - 1, size, note)
    roots = _roots(organization_id, asked)
    return merkle.inclusion_path(sequence - 1, size, lambda height, index: roots[height, index])


def _roots(organization_id: uuid.UUID, asked: Iterable[Place]) -> dict[Place, bytes]:
    """The roots of the complete subtrees at these places.

    Kept hashes are read as one range per tile, because the siblings on a path are neighbours in their tile.
    """
    below = [(height, index, height % TILE_HEIGHT) for height, index in asked]
    kept = {
        (height, index): (height - within, index << within, (index + 1 << within) - 1)
        for height, index, within in below
    }
    ranges: dict[Place, tuple[int, int]] = {}
    for level, first, last in kept.values():
        tile = (level, first >> TILE_HEIGHT)
        low, high = ranges.get(tile, (first, last))
        ranges[tile] = min(low, first), max(high, last)
    hashes = _kept(organization_id, ranges)
    return {
        place: merkle.root_of_complete(hashes[level, first >> TILE_HEIGHT][first - low : last + 1 - low])
        for place, (level, first, last) in kept.items()
        for low, _ in [ranges[level, first >> TILE_HEIGHT]]
    }


def _kept(organization_id: uuid.UUID, ranges: dict[Place, tuple[int, int]]) -> dict[Place, list[bytes]]:
    """The hashes within each range of a tile, those of leaves computed from the row digests; one statement.

    Roots that an older release did not keep are computed from the tiles below, which takes one more statement.
    """
    asked = {
        "organization": organization_id,
        "heights": arrays.smallints([level for level, _ in ranges]),
        "firsts": arrays.bigints([first for first, _ in ranges.values()]),
        "lasts": arrays.bigints([last for _, last in ranges.values()]),
    }
    joined: dict[int, bytes] = dict(reading.fetch(_WANTED, asked)) if ranges else {}
    found: dict[Place, list[bytes]] = {}
    lacking: dict[Place, range] = {}
    for number, ((level, tile), (first, last)) in enumerate(ranges.items(), 1):
        hashes = joined.get(number, b"")
        if len(hashes) == merkle.HASH_BYTES * (last + 1 - first):
            each = [hashes[at : at + merkle.HASH_BYTES] for at in range(0, len(hashes), merkle.HASH_BYTES)]
            found[level, tile] = each if level else merkle.leaf_hashes(each)
        elif level % KEPT_SINCE_THE_FIRST:
            lacking[level, tile] = range(first, last + 1)
        else:
            raise MissingRowError(f"Organization {organization_id} lacks rows below tile {tile} of height {level}.")
    if lacking:
        whole = {
            (level - TILE_HEIGHT, index): (index << TILE_HEIGHT, (index + 1 << TILE_HEIGHT) - 1)
            for (level, _), indexes in lacking.items()
            for index in indexes
        }
        below = _kept(organization_id, whole)
        for (level, tile), indexes in lacking.items():
            found[level, tile] = [merkle.root_of_complete(below[level - TILE_HEIGHT, index]) for index in indexes]
    return found
