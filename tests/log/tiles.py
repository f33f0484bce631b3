"""What is served below /log/, read as a C2SP client reads it."""

import struct

from compliance.proofs.log import TILE_WIDTH
from compliance.proofs.merkle import HASH_BYTES


def entries_of(bundle: bytes) -> list[bytes]:
    """The entries of a bundle, each behind its length in two bytes."""
    entries, at = [], 0
    while at < len(bundle):
        (length,) = struct.unpack_from(">H", bundle, at)
        entries.append(bundle[at + 2 : at + 2 + length])
        assert len(entries[-1]) == length
        at += 2 + length
    assert len(entries) <= TILE_WIDTH
    return entries


def hashes_of(tile: bytes) -> list[bytes]:
    """The hashes of a tile, one behind another."""
    assert len(tile) % HASH_BYTES == 0
    assert 0 < len(tile) <= HASH_BYTES * TILE_WIDTH
    return [tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES)]
