"""The registers of a pack as files: JSON Lines and CSV of each, and the policy files.

Rows are made by the API's code, with personal fields. Only one page is in memory at a time, so the memory used does not
grow with the company.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from compliance.catalogue.declaration import Window
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import Tally
from compliance.proofs import cells
from compliance.registers import pages, totals
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import MAXIMUM_ROWS, Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import context

Row = dict[str, Any]
Progress = Callable[[int], None]

ROWS_A_READ = 1000


def write_registers(subject: Subject, folder: Path, tally: Tally, progress: Progress) -> dict[str, int]:
    """Writes every register below `folder` and returns the rows of each. Calls `progress` with the number of rows."""
    for name in ("registers", "policies"):
        (folder / name).mkdir()
    return {listing.register.file: _write(listing, subject, folder, tally, progress) for listing in LISTINGS.values()}


def _write(listing: Listing, subject: Subject, folder: Path, tally: Tally, progress: Progress) -> int:
    register = listing.register
    question = subject.question(by_period=register.window is Window.PERIOD)
    with context.company(subject.organization_id):
        total = totals.total(listing, question)
    columns = register.fields
    written = 0
    with ExitStack() as stack:
        lines = stack.enter_context((folder / "registers" / f"{register.file}.jsonl").open("wb"))
        table = stack.enter_context((folder / "registers" / f"{register.file}.csv").open("wb"))
        heading = [*columns, "html_file"] if "html" in register.row.model_fields else columns
        table.write(b"\xef\xbb\xbf" + cells.line(heading).encode())
        for page in _pages(listing, question, total):
            found: list[Row] = orjson.loads(b"[" + page.content + b"]")
            for row in found:
                tally.see(register, row)
                lines.write(orjson.dumps(row) + b"\n")
                values = [row.get(name) for name in columns]
                if "html" in row:
                    # A cell holds at most 32,767 characters, so a policy file is a file of its own.
                    values.append(_write_policy(folder, row))
                table.write(cells.line(values).encode())
            written += len(found)
            progress(len(found))
    return written


def _pages(listing: Listing, question: Question, total: int) -> Iterator[pages.RegisterPage]:
    """The pages of a whole register, one empty page if it has no row. Each is read in a transaction of its own."""
    limit = MAXIMUM_ROWS if listing.register.signed else ROWS_A_READ
    served, position = 0, Position()
    while True:
        with context.company(question.company.organization_id):
            page = pages.page(listing, question, position, limit, total - served)
        served += page.held
        yield page
        if page.position is None:
            return
        position = page.position


def _write_policy(folder: Path, row: Row) -> str:
    """Writes the policy file byte for byte, so that its digest is the row's `document_sha256`. Returns its name."""
    name = f"policies/{row['course_release_id']}.html"
    (folder / name).write_bytes(row["html"].encode())
    return name
