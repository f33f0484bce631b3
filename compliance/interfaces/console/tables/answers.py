"""Tables and other files as streamed responses."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import translation

from compliance.interfaces.console.tables import xlsx
from compliance.proofs import cells

_LINES = 500


def file(name: str, kind: str, content: Iterable[bytes]) -> StreamingHttpResponse:
    """A file called `name` of the media type `kind`, to be downloaded."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(content, content_type=kind, headers=headers)


def table(name: str, written_as: str, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> StreamingHttpResponse:
    """The table as a file called `name`, written as one of `FORMATS`, in the language of this request."""
    kind, write = FORMATS[written_as]
    return file(f"{name}.{written_as}", kind, _spoken(translation.get_language(), write(name, headings, rows)))


def _spoken(language: str | None, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces, each made in this language: they are made when the request, and its language, is over."""
    while True:
        with translation.override(language):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _csv(_: str, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """UTF-8 with a byte order mark, by which spreadsheet programs recognise it."""
    held = ["\ufeff", cells.line(headings)]
    for row in rows:
        held.append(cells.line(row))
        if len(held) > _LINES:
            yield "".join(held).encode()
            held = []
    yield "".join(held).encode()


FORMATS = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", xlsx.stream),
}
