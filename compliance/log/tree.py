"""The log's tree in its published tiles, from which proofs, roots and the next tiles are computed."""

from collections.abc import Iterable

from compliance.log.errors import LogRefusedError
from compliance.proofs import merkle
from compliance.proofs.log import TILE_HEIGHT, TILE_WIDTH
from compliance.proofs.merkle import HASH_BYTES, Subtree
from compliance.tenancy import arrays, reading

TILE_BYTES = TILE_WIDTH * HASH_BYTES

Place = tuple[int, int]
"""Level and index of a tile."""


def inclusion(index: int, size: int) -> list[bytes]:
    """The audit path of a leaf in the tree of `size` leaves, in one statement. Raises TreeProofRefused."""
    return merkle.inclusion_path(index, size, subtrees(size, [index]))


def consistency(first: int, second: int) -> list[bytes]:
    """The proof that the tree of `second` leaves begins with that of `first`, in one statement."""
    return merkle.consistency_proof(first, second, subtrees(second, [max(first - 1, 0)]))


def root_at(size: int) -> bytes:
    """The root of the tree of the first `size` leaves, in one statement. Raises LogRefusedError for missing tiles."""
    return merkle.root_of_range(0, size, subtrees(size))


def subtrees(size: int, leaves: Iterable[int] = ()) -> Subtree:
    """Reads the complete subtrees for the root of a tree of `size` leaves and for the paths of `leaves`; one statement.

    They are in the tiles above the leaves and in the last tile of each level. The returned function raises
    LogRefusedError for a missing one.
    """
    places = set(edge(size))
    level, whole, above = 0, size, list(leaves)
    while whole:
        places |= {(level, leaf // TILE_WIDTH) for leaf in above if leaf < whole}
        level, whole, above = level + 1, whole >> TILE_HEIGHT, [leaf >> TILE_HEIGHT for leaf in above]
    tiles = stored(places)

    def subtree(height: int, index: int) -> bytes:
        level, within = divmod(height, TILE_HEIGHT)
        tile, offset = divmod(index << within, TILE_WIDTH)
        begin, end = offset * HASH_BYTES, (offset + (1 << within)) * HASH_BYTES
        hashes = tiles.get((level, tile), b"")[begin:end]
        if len(hashes) != end - begin:
            raise LogRefusedError(f"Tile {tile} of level {level} of the log is missing in the database, or too short.")
        return merkle.root_of_complete([hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)])

    return subtree


def edge(size: int) -> list[Place]:
    """The tiles at the right edge of a tree of `size` leaves that are not full, lowest level first."""
    places, level = [], 0
    while whole := size >> (TILE_HEIGHT * level):
        if whole % TILE_WIDTH:
            places.append((level, whole // TILE_WIDTH))
        level += 1
    return places


def stored(places: Iterable[Place]) -> dict[Place, bytes]:
    """The hashes of the tiles, by place, as far as they are published; one statement."""
    levels, indexes = zip(*sorted(places), strict=True) if places else ((), ())
    rows = reading.fetch(
        "SELECT t.level, t.index, t.hashes FROM unnest(%s::smallint[], %s::bigint[]) AS w (level, index)"
        " JOIN log_tile t ON t.level = w.level AND t.index = w.index",
        [arrays.smallints(levels), arrays.bigints(indexes)],
    )
    return {(level, index): bytes(hashes) for level, index, hashes in rows}


class Growing:
    """The right edge of a tree: appends leaves and returns the changed tiles."""

    def __init__(self, size: int, tiles: dict[Place, bytes]) -> None:
        """Raises LogRefusedError when `tiles`, those of `edge(size)`, do not fit such a tree."""
        self.size = size
        self._tiles: dict[Place, bytearray] = {}
        for level, index in edge(size):
            width = (size >> (TILE_HEIGHT * level)) % TILE_WIDTH
            hashes = tiles.get((level, index), b"")
            if len(hashes) != width * HASH_BYTES:
                raise LogRefusedError(f"Tile {index} of level {level} of the log does not hold {width} hashes.")
            self._tiles[level, index] = bytearray(hashes)

    def extend(self, leaves: Iterable[bytes]) -> dict[Place, bytes]:
        """Appends leaf hashes; returns the whole tiles that are new or longer."""
        level, place = 0, self.size
        changed: dict[Place, bytearray] = {}
        hashes = list(leaves)
        self.size += len(hashes)
        while hashes:
            above: list[bytes] = []
            for index, each in enumerate(hashes, place):
                at = (level, index // TILE_WIDTH)
                tile = changed[at] = self._tiles.setdefault(at, bytearray())
                tile += each
                if len(tile) == TILE_BYTES:
                    above.append(
                        merkle.root_of(bytes(tile[b : b + HASH_BYTES]) for b in range(0, len(tile), HASH_BYTES))
                    )
                    del self._tiles[at]
            level, place, hashes = level + 1, place >> TILE_HEIGHT, above
        return {at: bytes(tile) for at, tile in changed.items()}

    def edge(self) -> dict[Place, bytes]:
        """The tiles at the right edge that are not full."""
        return {at: bytes(tile) for at, tile in self._tiles.items()}
