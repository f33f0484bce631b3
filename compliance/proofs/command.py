"""The offline verifier as a command: files in, plain words out, an exit status."""

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from .errors import NotAPage
from .pages import Page, parse_page, printable
from .verifier import verify

HOLDS, AT_FAULT, NOT_PAGES = 0, 1, 2


def run(names: Sequence[str], out: TextIO, error: TextIO) -> int:
    """Verify the files called `names`, write what was found, and return the exit status."""
    pages: list[Page] = []
    unreadable = 0
    for name in names:
        try:
            pages.append(parse_page(_name(name), _content(name)))
        except NotAPage as fault:
            unreadable += 1
            error.write(f"{fault}\n")
    report = verify(pages)
    for sentence in report.holding:
        out.write(f"holds  {sentence}\n")
    for sentence in report.notes:
        out.write(f"note   {sentence}\n")
    for each in report.faults:
        out.write(f"FAULT  {each}\n")
    if report.faults:
        out.write(f"{len(report.faults)} {'fault' if len(report.faults) == 1 else 'faults'} found.\n")
        return AT_FAULT
    if unreadable:
        return NOT_PAGES
    out.write("No fault found.\n")
    return HOLDS


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise NotAPage(f"{_name(name)} cannot be read: {printable(reason)}") from fault


def _name(name: str) -> str:
    """The whole name of a file, so that it can be found again, without what would steer a terminal."""
    return name if name.isascii() and name.isprintable() else ascii(name)[1:-1]
