"""Reads what is served below /log/ as a C2SP client does."""

import struct

from compliance.proofs.log import TILE_WIDTH
from compliance.proofs.merkle import HASH_BYTES


def entries_of(bundle: bytes) -> list[bytes]:
    """The entries of a bundle, in which each follows its length in two bytes."""
    entries, at = [], 0
    while at < len(bundle):
        (length,) = struct.unpack_from(">H", bundle, at)
        entries.append(bundle[at + 2 : at + 2 + length])
        assert len(entries[-1]) == length
        at += 2 + length
    assert len(entries) <= TILE_WIDTH
    return entries


def hashes_of(tile: bytes) -> list[bytes]:
    """The hashes that a tile concatenates."""
    assert len(tile) % HASH_BYTES == 0
    assert 0 < len(tile) <= HASH_BYTES * TILE_WIDTH
    return [tile[at : at + HASH_BYTES] for at in range(0, len(tile), HASH_BYTES)]
