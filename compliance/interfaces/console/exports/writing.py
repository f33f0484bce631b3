"""Writes a register to a file, in one of four forms. Memory does not grow with the register."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
from django.utils.translation import gettext, gettext_lazy

from compliance.catalogue.declaration import Register
from compliance.history.text import instant
from compliance.interfaces.console.exports import parquet
from compliance.interfaces.console.exports.errors import CannotExportError
from compliance.interfaces.console.exports.extract import Extract, fields
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.tables import answers

FORMATS: dict[str, Words] = {
    "csv": gettext_lazy("CSV, for any spreadsheet"),
    "xlsx": gettext_lazy("XLSX, for Excel"),
    "jsonl": gettext_lazy("JSON Lines, as /v1 gives the rows"),
    "parquet": gettext_lazy("Parquet, with typed columns, for a warehouse"),
}
MEDIA_TYPES = {
    "csv": answers.FORMATS["csv"][0],
    "xlsx": answers.FORMATS["xlsx"][0],
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def check(written_as: str) -> None:
    """Raises CannotExportError for an unknown format, NotInstalledError for one that cannot be written here."""
    if written_as not in FORMATS:
        raise CannotExportError(
            gettext("There is no export as %(written_as)s. Choose from %(FORMATS)s.")
            % {"written_as": repr(written_as), "FORMATS": ", ".join(FORMATS)}
        )
    if written_as == "parquet":
        parquet.pyarrow()


def write(path: Path, about: Extract, register: Register, written_as: str, tell: Callable[[int], None]) -> int:
    """Writes the register to `path` and returns how many rows it has; `tell` is called after each page.

    In CSV and XLSX no text becomes a formula, and a policy's file is left out, as in every table of the console.
    """
    count = 0

    def pages() -> Iterator[list[dict[str, Any]]]:
        nonlocal count
        for page in about.pages(register):
            count += len(page)
            yield page
            tell(count)

    columns = fields(register, personal=about.personal)
    if written_as == "parquet":
        described = {
            "organization_id": str(about.organization_id),
            "register": register.name,
            "as_at": instant(about.as_at),
            "sequence": str(about.pin.sequence),
            "capture_sequence": str(about.pin.capture_sequence),
            "chain_hash": about.pin.chain_hash,
        }
        parquet.write(path, register, columns, pages(), described)
        return count
    content: Iterable[bytes]
    if written_as == "jsonl":
        content = (b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in page) for page in pages())
    else:
        columns = [name for name in columns if name in register.fields]
        rows = ([row.get(name) for name in columns] for page in pages() for row in page)
        content = answers.FORMATS[written_as][1](register.name, columns, rows)
    with path.open("wb") as file:
        for piece in content:
            file.write(piece)
    return count
