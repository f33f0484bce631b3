"""Tables as answers, each sent as it is read."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse

from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.tables import cells, xlsx

FORMATS = ("csv", "xlsx")
_LINES = 500


def table(name: str, written_as: str, headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> HttpResponseBase:
    """The table as a file called `name`. Raises NothingThereError for another format."""
    if written_as == "csv":
        response = StreamingHttpResponse(_csv(headings, rows), content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
        return response
    if written_as == "xlsx":
        kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        response = StreamingHttpResponse(xlsx.stream(name, headings, rows), content_type=kind)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
        return response
    raise NothingThereError(f"There is no export as {written_as}.")


def _csv(headings: Iterable[str], rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """UTF-8 with a mark, which is how spreadsheets recognise it."""
    held = ["\ufeff", cells.line(headings)]
    for row in rows:
        held.append(cells.line(row))
        if len(held) > _LINES:
            yield "".join(held).encode()
            held = []
    yield "".join(held).encode()
