"""A file's content in pieces, each with a digest of its own, which is compared before the piece is returned.

So a download of any size, or any part of a film, is checked while it is sent, with at most one piece in memory.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

from compliance.files.errors import ObjectChangedError

PIECE_BYTES = 256 * 1024
_DIGEST_BYTES = 32


class Digests(NamedTuple):
    """The digests of a content: its size, its SHA-256, and those of its pieces, concatenated."""

    size: int
    sha256: str
    pieces: bytes


def digests_of(content: IO[bytes]) -> Digests:
    """Reads the content once, from beginning to end, and rewinds it."""
    content.seek(0)
    whole, pieces, size = hashlib.sha256(), bytearray(), 0
    while piece := content.read(PIECE_BYTES):
        whole.update(piece)
        pieces += hashlib.sha256(piece).digest()
        size += len(piece)
    content.seek(0)
    return Digests(size, whole.hexdigest(), bytes(pieces))


def bounds(start: int, stop: int, size: int) -> tuple[int, int]:
    """The byte range of the pieces that contain the bytes from `start` to before `stop`."""
    return start - start % PIECE_BYTES, min(size, -(-stop // PIECE_BYTES) * PIECE_BYTES)


def checked(chunks: Iterable[bytes], digests: Digests, start: int, stop: int) -> Iterator[bytes]:
    """The bytes from `start` to before `stop` of a content, read from `chunks`, the bytes between `bounds`.

    Raises ObjectChangedError before it yields any byte of a changed piece.
    """
    first, last = bounds(start, stop, digests.size)
    place, held = first, bytearray()
    for chunk in chunks:
        held += chunk
        while place < last and len(held) >= (length := min(PIECE_BYTES, last - place)):
            piece = bytes(held[:length])
            del held[:length]
            _compare(piece, digests, place)
            yield piece[max(0, start - place) : stop - place]
            place += length
    if place < last or held:
        raise ObjectChangedError("The file is not as it was kept: it is longer or shorter.")


def _compare(piece: bytes, digests: Digests, place: int) -> None:
    at = place // PIECE_BYTES * _DIGEST_BYTES
    if hashlib.sha256(piece).digest() != digests.pieces[at : at + _DIGEST_BYTES]:
        raise ObjectChangedError("The file is not as it was kept: its content differs.")
