"""A company's tree (RFC 6962) over its row digests: what the writer lets grow, and what proofs are read from.

Leaf i is the hash of the 32 bytes of the row digest of sequence i + 1. The head keeps the tree's compact range; the
roots of complete subtrees of 256, 65,536, ... leaves are kept in a table. All else follows from the stored digests.
"""

import uuid
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from compliance.history.errors import MissingRowError
from compliance.proofs import merkle
from compliance.proofs.merkle import CompactRange
from compliance.tenancy import arrays, sql

TILE_HEIGHT: Final = 8
"""Roots are kept of subtrees whose height is a multiple of this: a proof reads at most 255 hashes a height and side."""
DIGESTS_AT_ONCE: Final = 50_000

_DIGESTS = """
SELECT sequence, row_sha256 FROM history_historyrow
WHERE organization_id = (SELECT %s::uuid) AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s
"""
# LATERAL in the order of the key, with a limit, holds the planner to a short walk along the index for each range: it
# takes a range between two columns for a good part of the company, and read the whole table. One text of bytes a range,
# since a thousand rows take the driver longer than PostgreSQL.
_WANTED_DIGESTS = f"""
SELECT w.place, string_agg(v.row_sha256, ''::bytea ORDER BY v.sequence)
FROM unnest(%s::bigint[], %s::bigint[]) WITH ORDINALITY AS w (first, last, place)
CROSS JOIN LATERAL (
    SELECT sequence, row_sha256 FROM history_historyrow WHERE organization_id = (SELECT %s::uuid)
        AND sequence BETWEEN w.first + 1 AND w.last + 1 ORDER BY sequence LIMIT {1 << TILE_HEIGHT}
) v
GROUP BY w.place
"""  # noqa: S608
_WANTED_ROOTS = f"""
SELECT w.place, string_agg(s.root, ''::bytea ORDER BY s.index)
FROM unnest(%s::bigint[], %s::bigint[], %s::smallint[]) WITH ORDINALITY AS w (first, last, height, place)
CROSS JOIN LATERAL (
    SELECT index, root FROM history_subtree WHERE organization_id = (SELECT %s::uuid) AND height = w.height
        AND index BETWEEN w.first AND w.last ORDER BY index LIMIT {1 << TILE_HEIGHT}
) s
GROUP BY w.place
"""  # noqa: S608
_COLUMNS = {"organization_id": "uuid", "height": "smallint", "index": "bigint", "root": "bytea"}


KeptRoot = tuple[int, int, bytes]
"""Height, index and root of a complete subtree that the table holds."""
Place = tuple[int, int]
"""Height and index of a complete subtree."""


def grow(tree: CompactRange, digests: Iterable[bytes]) -> Iterator[KeptRoot]:
    """Append the rows of these digests to `tree`; yield the roots to keep of the subtrees that this completes.

    The rows are in the tree once the iterator has run to its end.
    """
    leaves = map(merkle.leaf_hash, digests)
    while chunk := list(islice(leaves, (1 << TILE_HEIGHT) - tree.size % (1 << TILE_HEIGHT))):
        last = chunk.pop()
        tree.extend(chunk)
        for height, index, root in tree.append(last):
            if height % TILE_HEIGHT == 0:
                yield height, index, root


def keep(organization_id: uuid.UUID, roots: Iterable[KeptRoot]) -> None:
    """Insert the roots of completed subtrees, within the company's context."""
    sql.insert("history_subtree", _COLUMNS, [(organization_id, *each) for each in roots])


def stored_digests(organization_id: uuid.UUID, after: int, last: int) -> Iterator[bytes]:
    """The row digests of a company above sequence `after` up to `last`, within its context, read as they are needed.

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

    Two statements at any size, within the company's context: the path is asked for twice, first to learn which subtrees
    it needs. Raises TreeProofRefused when that tree has no such row, and MissingRowError when the history holds fewer
    rows than `size`.
    """
    asked: list[Place] = []

    def note(height: int, index: int) -> bytes:
        asked.append((height, index))
        return merkle.EMPTY_ROOT

    merkle.inclusion_path(sequence - 1, size, note)
    roots = _roots(organization_id, asked)
    return merkle.inclusion_path(sequence - 1, size, lambda height, index: roots[height, index])


def _roots(organization_id: uuid.UUID, asked: Iterable[Place]) -> dict[Place, bytes]:
    """The roots of the complete subtrees at these places."""
    of_rows = [place for place in asked if place[0] < TILE_HEIGHT]
    of_roots = [place for place in asked if place[0] >= TILE_HEIGHT]
    found: dict[Place, bytes] = {}
    if of_rows:
        stored = sql.fetch(_WANTED_DIGESTS, [*_ends(of_rows), organization_id])
        for place, hashes in _complete(organization_id, of_rows, stored):
            found[place] = merkle.root_of_complete(merkle.leaf_hashes(hashes))
    if of_roots:
        heights = arrays.smallints([height - height % TILE_HEIGHT for height, _ in of_roots])
        stored = sql.fetch(_WANTED_ROOTS, [*_ends(of_roots), heights, organization_id])
        for place, hashes in _complete(organization_id, of_roots, stored):
            found[place] = merkle.root_of_complete(hashes)
    return found


def _ends(places: list[Place]) -> tuple[arrays.BinaryArray, arrays.BinaryArray]:
    """The first and the last of what is kept below each place."""
    below = [(index, height % TILE_HEIGHT) for height, index in places]
    return (
        arrays.bigints([index << height for index, height in below]),
        arrays.bigints([(index + 1 << height) - 1 for index, height in below]),
    )


def _complete(
    organization_id: uuid.UUID, places: list[Place], stored: list[sql.Row]
) -> Iterator[tuple[Place, list[bytes]]]:
    """What is kept below each place, hash by hash."""
    by_place: dict[int, bytes] = dict(stored)
    for number, (height, index) in enumerate(places, 1):
        joined = by_place.get(number, b"")
        if len(joined) != merkle.HASH_BYTES << height % TILE_HEIGHT:
            raise MissingRowError(
                f"Organization {organization_id} lacks rows below subtree {index} of height {height}."
            )
        hashes = [bytes(joined[at : at + merkle.HASH_BYTES]) for at in range(0, len(joined), merkle.HASH_BYTES)]
        yield (height, index), hashes
