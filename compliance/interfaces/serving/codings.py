"""Compresses answers: which coding a caller accepts (RFC 9110, 12.5.3), and zstd (RFC 8878) or gzip.

Only answers of data are compressed, never a page: a page holds the token of its forms together with words that others
chose, and the compressed size reveals something about both (BREACH). docs/security.md explains why an answer of data
reveals nothing.
"""

import re
import threading
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Any

import zstandard
from isal import isal_zlib

SMALLEST_BYTES = 1024
"""A body up to this size fits one packet anyway, and is sent as it is."""

LEVEL = 1
"""Of both codings: zstd's next level takes longer to save less than 1 % of the bytes, and ISA-L's others save none."""

SHORTEST_MATCH = 7
"""In bytes, for whole answers in zstd. Half of a page is identifiers, in which a shorter repetition is chance: a
reference to it takes more bytes than the repetition itself. This saves 2 % of the bytes of the level's own 6, in no
more time.
"""

VARY = "Accept-Encoding"
_GZIP = isal_zlib.MAX_WBITS | 16


class Coding(StrEnum):
    """What a body may be compressed with, the preferred one first."""

    ZSTD = "zstd"
    GZIP = "gzip"


_IDENTITY, _ANY = "identity", "*"
_ALIASES = {"x-gzip": Coding.GZIP.value}
_MEMBER = re.compile(r"([!#$%&'*+\-.^_`|~0-9a-z]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")
_own = threading.local()  # a compressor of zstd serves one thread at a time, and making one costs an eighth of a page


def chosen(accepted: str | None, size: int | None = None) -> Coding | None:
    """The coding of a body for a caller that sent `accepted` as Accept-Encoding; None: uncompressed.

    `size` is None where it is not known in advance. Malformed members are ignored. A caller that accepts none of the
    codings, not even `identity`, gets the body uncompressed: the contract has no answer for that, and RFC 9110 allows
    it.
    """
    return _chosen(accepted, size is not None and size <= SMALLEST_BYTES) if accepted else None


@lru_cache(maxsize=256)  # a client sends the same each time, and parsing it takes longer than the rest
def _chosen(accepted: str, small: bool) -> Coding | None:
    weights = _weights(accepted)
    otherwise = weights.get(_ANY, 0.0)
    best = max(Coding, key=lambda coding: weights.get(coding, otherwise))  # the first of those that weigh the same
    weight = weights.get(best, otherwise)
    if weight == 0:
        return None
    as_it_is = weights.get(_IDENTITY, weights.get(_ANY))  # None: acceptable, but not preferred to what was named
    if as_it_is == 0:
        return best
    return None if small or (as_it_is is not None and _IDENTITY in weights and as_it_is > weight) else best


def _weights(accepted: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for member in accepted.lower().split(","):
        found = _MEMBER.fullmatch(member.strip(" \t"))
        if found is not None:
            name = _ALIASES.get(found[1], found[1])
            weights[name] = max(weights.get(name, 0.0), float(found[2] or 1))
    return weights


def compressed(body: bytes, coding: Coding) -> bytes:
    """The whole body in a coding, the same bytes each time."""
    if coding is Coding.GZIP:
        return isal_zlib.compress(body, LEVEL, _GZIP)
    compressor: zstandard.ZstdCompressor | None = getattr(_own, "compressor", None)
    if compressor is None:
        parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, min_match=SHORTEST_MATCH)
        compressor = _own.compressor = zstandard.ZstdCompressor(compression_params=parameters)
    return compressor.compress(body)


def compressed_chunks(chunks: Iterable[bytes], coding: Coding) -> Iterator[bytes]:
    """A stream in a coding, compressed as it is read; memory holds only as much as the coding looks back."""
    stream: Any = (
        zstandard.ZstdCompressor(level=LEVEL).compressobj()
        if coding is Coding.ZSTD
        else isal_zlib.compressobj(LEVEL, wbits=_GZIP)
    )
    for chunk in chunks:
        ready = stream.compress(chunk)
        if ready:
            yield ready
    yield stream.flush()
