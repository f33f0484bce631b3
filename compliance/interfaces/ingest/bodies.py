"""The body of a post as plain bytes: of a type that can hold facts, decoded, and never more than `MAXIMUM_BYTES`.

Compressed bodies are decoded piece by piece, so that a small body that expands to gigabytes is refused as soon as it
exceeds the limit, before it fills the memory.
"""

import zlib
from collections.abc import Callable
from typing import Final

import zstandard
from django.http import HttpRequest

from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.serving import bodies
from compliance.interfaces.serving.front import REFUSED

MAXIMUM_BYTES: Final = bodies.SOURCE_BYTES
"""The limit for the body as sent, and for the decoded body."""
MEDIA_TYPES: Final = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/json")
UNSTATED: Final = ("", "application/octet-stream", "application/x-www-form-urlencoded", "text/plain")
"""Default types of HTTP clients where nobody names one: the format is then recognised by the body alone."""
MOST_ENCODINGS: Final = 3

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_STEP = 16 * 1024
_MOST_MEMBERS = 4_096
"""Programs that compress in parallel write a member for each 64 KiB or more."""
_ZSTD_WINDOW = 8 * 1024 * 1024
"""The largest window that RFC 9659 allows for a content encoding."""
_ZSTD_STEP = 256
"""A block of four bytes may expand to 128 KiB, so this many bytes expand to as much as a whole body may hold."""

_NOT_TAKEN = {
    bodies.UNREADABLE: (Code.BODY_NOT_READABLE, "The body ended before it was whole, or its Content-Length is none."),
    bodies.TIMED_OUT: (Code.BODY_TIMED_OUT, None),
    bodies.TOO_LARGE: (Code.BODY_TOO_LARGE, None),
    bodies.TOO_MANY: (Code.RECORDING_BUSY, "The service takes in as many bodies as it can at this moment."),
}


def content_of(request: HttpRequest) -> bytes:
    """The decoded body. Raises `Problem`: 400, 408, 413, 415 or 429."""
    check_taken(request)
    _check_type(request.META.get("CONTENT_TYPE", ""))
    decoders = _decoders(request.META.get("HTTP_CONTENT_ENCODING", ""))
    content = request.read(MAXIMUM_BYTES + 1)
    for decode in decoders:
        content = decode(content)
    if len(content) > MAXIMUM_BYTES:
        raise _too_large()
    return content


def check_taken(request: HttpRequest) -> None:
    """Raises the reason if the server did not read the body. Raises `Problem`: 400, 408, 413 or 429."""
    status = request.META.get(REFUSED)
    if status is not None:
        code, detail = _NOT_TAKEN[status]
        headers = {"Retry-After": "1"} if code is Code.RECORDING_BUSY else {}
        raise Problem(code, detail, headers=headers)


def _check_type(header: str) -> None:
    named, *parameters = (part.strip().lower() for part in header.split(";"))
    charsets = [part.partition("=")[2].strip(' "') for part in parameters if part.startswith("charset")]
    if named not in MEDIA_TYPES + UNSTATED:
        raise Problem(
            Code.UNSUPPORTED_MEDIA_TYPE,
            f"Send facts as one of {', '.join(MEDIA_TYPES)}.",
            headers={"Accept-Post": ", ".join(MEDIA_TYPES)},
        )
    if any(charset not in ("utf-8", "utf8", "us-ascii") for charset in charsets):
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE, "Facts are UTF-8.")


def _decoders(header: str) -> list[Callable[[bytes], bytes]]:
    """The functions that undo a Content-Encoding header; the encoding applied last comes first."""
    names = [name for part in header.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    if len(names) > MOST_ENCODINGS or any(name not in _DECODERS for name in names):
        raise Problem(
            Code.UNSUPPORTED_ENCODING,
            f"Send the body as it is, or encoded with gzip or zstd, at most {MOST_ENCODINGS} times.",
            headers={"Accept-Encoding": "gzip, zstd, identity"},
        )
    return [_DECODERS[name] for name in reversed(names)]


def _gunzip(content: bytes) -> bytes:
    made = bytearray()
    members = 0
    decoder = zlib.decompressobj(_GZIP)
    for start in range(0, len(content), _GZIP_STEP):
        left = content[start : start + _GZIP_STEP]
        while left:
            if decoder.eof:
                decoder = zlib.decompressobj(_GZIP)
                members += 1
                if members == _MOST_MEMBERS:
                    raise _undecodable("gzip", f"has more than {_MOST_MEMBERS:,} members")
            try:
                made += decoder.decompress(left, MAXIMUM_BYTES + 1 - len(made))
            except zlib.error:
                raise _undecodable("gzip", "is damaged, or followed by something else") from None
            if len(made) > MAXIMUM_BYTES:
                raise _too_large()
            left = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise _undecodable("gzip", "is cut short")
    return bytes(made)


def _unzstd(content: bytes) -> bytes:
    made = bytearray()
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    decoder = decompressor.decompressobj()
    ended = False
    for start in range(0, len(content), _ZSTD_STEP):
        left = content[start : start + _ZSTD_STEP]
        while left:
            if ended:
                decoder, ended = decompressor.decompressobj(), False
            try:
                made += decoder.decompress(left)
            except zstandard.ZstdError:
                raise _undecodable(
                    "zstd", "is damaged, followed by something else, or needs a window of more than 8 MiB"
                ) from None
            if len(made) > MAXIMUM_BYTES:
                raise _too_large()
            ended = decoder.eof
            left = decoder.unused_data if ended else b""
    if not ended:
        raise _undecodable("zstd", "is cut short")
    return bytes(made)


_DECODERS: Final[dict[str, Callable[[bytes], bytes]]] = {"gzip": _gunzip, "x-gzip": _gunzip, "zstd": _unzstd}


def _too_large() -> Problem:
    return Problem(Code.BODY_TOO_LARGE)


def _undecodable(name: str, what: str) -> Problem:
    return Problem(Code.BODY_NOT_READABLE, f"The body is sent as {name}, but {what}.")
