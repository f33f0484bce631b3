"""The registers of a pack as files: JSON Lines and CSV of each, the pages that the verifier reads, policy files.

Rows are those of the API, made by its code, with personal fields. One page is held at a time, so a company of any size
takes the same memory.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from compliance.interfaces.api import rows
from compliance.interfaces.api.views import snapshot_of
from compliance.interfaces.console.evidence.subject import Subject
from compliance.interfaces.console.evidence.tally import Tally
from compliance.interfaces.console.tables import cells
from compliance.registers import certificates, courses, pages, people, policies, totals, training
from compliance.registers.pages import MAXIMUM_ROWS, Listing
from compliance.registers.questions import Position, Question
from compliance.tenancy import context

Row = dict[str, Any]
Progress = Callable[[int], None]

ROWS_A_READ = 1000


class Register(NamedTuple):
    """A register of the pack. `paged`: its pages are kept as the API gives them, for the verifier."""

    name: str
    listing: Listing
    row: type[rows.Shape]
    by_period: bool = False
    paged: bool = False


REGISTERS = (
    Register("courses", courses.COURSES, rows.CourseVersion),
    Register("people", people.PEOPLE, rows.Person, by_period=True),
    Register("training-records", training.RECORDS, rows.TrainingRecord),
    Register("training-records-period", training.PERIOD, rows.TrainingRecord, by_period=True),
    Register("certificates", certificates.CERTIFICATES, rows.Certificate),
    Register("policies", policies.POLICIES, rows.PolicyVersion, paged=True),
    Register("policy-records", policies.POLICY_RECORDS, rows.PolicyRecord),
    Register("acknowledgements", policies.ACKNOWLEDGEMENTS, rows.Receipt, paged=True),
)


def write_registers(subject: Subject, folder: Path, tally: Tally, progress: Progress) -> dict[str, int]:
    """Writes every register below `folder`; how many rows each has. `progress` hears how many rows came."""
    for name in ("registers", "pages", "policies"):
        (folder / name).mkdir()
    return {register.name: _write(register, subject, folder, tally, progress) for register in REGISTERS}


def _write(register: Register, subject: Subject, folder: Path, tally: Tally, progress: Progress) -> int:
    question = subject.question(by_period=register.by_period)
    with context.company(subject.organization_id):
        total = totals.total(register.listing, question)
    columns = [name for name in register.row.model_fields if name != "html"]
    written = 0
    with ExitStack() as stack:
        lines = stack.enter_context((folder / "registers" / f"{register.name}.jsonl").open("wb"))
        table = stack.enter_context((folder / "registers" / f"{register.name}.csv").open("wb"))
        heading = [*columns, "html_file"] if "html" in register.row.model_fields else columns
        table.write(b"\xef\xbb\xbf" + cells.line(heading).encode())
        for number, page in enumerate(_pages(register, question, total), 1):
            found: list[Row] = orjson.loads(b"[" + page.content + b"]")
            for row in found:
                tally.see(register.name, row)
                lines.write(orjson.dumps(row) + b"\n")
                values = [row.get(name) for name in columns]
                if "html" in row:
                    # A cell holds 32,767 characters at most, and a policy file is to be read, not to be cut.
                    values.append(_write_policy(folder, row))
                table.write(cells.line(values).encode())
            written += len(found)
            progress(len(found))
            if register.paged:
                _write_page(register, folder, number, page, total, question)
    return written


def _pages(register: Register, question: Question, total: int) -> Iterator[pages.Page]:
    """The pages of a whole pull; one without a row where there is none. Each in a transaction of its own."""
    limit = MAXIMUM_ROWS if register.paged else ROWS_A_READ
    served, position = 0, Position()
    while True:
        with context.company(question.company.organization_id):
            page = pages.page(register.listing, question, position, limit, total - served)
        served += page.held
        yield page
        if page.position is None:
            return
        position = page.position


def _write_page(
    register: Register, folder: Path, number: int, page: pages.Page, total: int, question: Question
) -> None:
    """A page as `/v1` gives it; its cursor is the name of the file that follows."""
    following = None if page.position is None else f"pages/{register.name}-{number + 1:06}.json"
    tail = orjson.dumps({"total": total, "snapshot": snapshot_of(question, True), "next_cursor": following})
    content = b'{"data":[' + page.content + b"]," + tail[1:]
    (folder / "pages" / f"{register.name}-{number:06}.json").write_bytes(content)


def _write_policy(folder: Path, row: Row) -> str:
    """The policy file byte for byte, so that its digest is the row's `document_sha256`; its name."""
    name = f"policies/{row['course_release_id']}.html"
    (folder / name).write_bytes(row["html"].encode())
    return name
