"""The lines of a package in which faults were found, to be displayed beside the faults."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from compliance.contentfile import limits
from compliance.contentfile.errors import PackageUnreadable
from compliance.contentfile.faults import Fault, Report
from compliance.contentfile.files import FileFaulty, read_all
from compliance.contentfile.package import open_files


def lines_with_faults(path: Path, faults: Iterable[Fault]) -> dict[str, list[str]]:
    """The lines of each file with a fault; of `path` itself under "". Leaves out a file that no longer exists."""
    texts: dict[str, list[str]] = {}
    for name in {fault.file for fault in faults if fault.line is not None}:
        with suppress(OSError, PackageUnreadable, FileFaulty):
            data = _bytes_of(path, name)
            texts[name] = data[: limits.JSON_BYTES].decode("utf-8-sig", "replace").split("\n")
    return texts


def _bytes_of(path: Path, name: str) -> bytes:
    if not name:
        return path.read_bytes()
    with open_files(path, Report()) as files:
        return read_all(files, name) if name in files.sizes else b""


def printable(text: str) -> str:
    """The text without characters that could control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def excerpt(line: str, column: int, width: int) -> tuple[str, int]:
    """At most `width` characters of a line around a column that counts from 1, and where that column is in them."""
    line = line.rstrip("\r").replace("\t", " ")
    start = max(0, min(column - 1 - width // 2, len(line) - width))
    return printable(line[start : start + width]), column - 1 - start
