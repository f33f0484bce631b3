"""Serves media and styles of a release: cached by the browser, because releases never change, and served in ranges.

Phones play no video from a server without range requests, so only the requested part of a file is read.
"""

import re
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

# Types that browsers may display; everything else is a download.
_DISPLAYED = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "audio/", "video/")
_KEPT = "private, max-age=31536000, immutable"
# A file that is opened directly cannot run or load anything either.
_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'"
_AT_ONCE = 256 * 1024
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


def media_answer(
    request: HttpRequest, *, media_type: str, size: int, sha256: str, read: Callable[[int, int], Iterator[bytes]]
) -> HttpResponseBase:
    """A media file, or the range that is asked for. `read(start, stop)` gives its bytes in pieces."""
    tag = f'"{sha256}"'
    if tag in request.headers.get("If-None-Match", ""):
        return _with_headers(HttpResponse(status=304), tag, media_type)
    wanted = request.headers.get("Range", "")
    if wanted and request.headers.get("If-Range", tag) == tag and (found := _RANGE.fullmatch(wanted)):
        start, stop = _bounds(found[1], found[2], size)
        if start >= stop:
            answer: HttpResponseBase = HttpResponse(status=416)
            answer["Content-Range"] = f"bytes */{size}"
            return answer
        answer = _body(read(start, stop), stop - start, 206, media_type)
        answer["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    else:
        answer = _body(read(0, size), size, 200, media_type)
    return _with_headers(answer, tag, media_type)


def _body(pieces: Iterator[bytes], length: int, status: int, media_type: str) -> HttpResponseBase:
    """Sends a small file at once, others while they are read, so that memory is constant for a film of any size."""
    if length <= _AT_ONCE:
        return HttpResponse(b"".join(pieces), status=status, content_type=media_type)
    answer = StreamingHttpResponse(pieces, status=status, content_type=media_type)
    answer["Content-Length"] = str(length)
    return answer


def style_answer(css: str) -> HttpResponse:
    """The style of a film, as `contentfile` rewrote it."""
    answer = HttpResponse(css, content_type="text/css; charset=utf-8")
    answer["Cache-Control"] = _KEPT
    return answer


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    """The first byte and the one after the last, by RFC 9110 (14.1.2); empty when there is none."""
    if not first:
        return (max(0, size - int(last)), size) if last else (0, 0)
    return int(first), min(int(last) + 1, size) if last else size


def _with_headers(answer: HttpResponseBase, tag: str, media_type: str) -> HttpResponseBase:
    answer["ETag"] = tag
    answer["Accept-Ranges"] = "bytes"
    answer["Cache-Control"] = _KEPT
    answer["Content-Security-Policy"] = _POLICY
    if not media_type.startswith(_DISPLAYED):
        answer["Content-Disposition"] = "attachment"
    return answer
