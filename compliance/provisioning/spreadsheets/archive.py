"""The ZIP archive of a workbook, read with limits: the sizes that the archive states are not trusted."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat

from compliance.provisioning.spreadsheets.errors import TooLargeError, UnreadableFileError
from compliance.provisioning.spreadsheets.limits import DIRECTORY_BYTES

_END = b"PK\x05\x06"
_END_BYTES = 22
_END_OF_LARGE = b"PK\x06\x07"
_PIECE = 64 * 1024
_LONGEST_TAG = 512 * 1024
_DEEPEST = 100
"""How deep tags may lie within each other; a workbook needs ten, and expat keeps each open one in memory."""
_ENCODINGS = frozenset({"utf-8", "utf-16", "iso-8859-1", "us-ascii"})
"""Those that expat reads by itself; a workbook has one of the first two. Others it looks up among Python's codecs."""

NO_WORKBOOK = "The file is no Excel workbook (.xlsx) that can be read. Open it in Excel and save it anew as .xlsx."

Start = Callable[[str, dict[str, str]], None]


class Archive:
    """The parts of a workbook, each read in pieces."""

    def __init__(self, data: bytes) -> None:
        _refuse_large_directory(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error):
            raise UnreadableFileError(NO_WORKBOOK) from None

    def has(self, name: str) -> bool:
        """Whether the archive has a part of this name."""
        return name in self._zip.NameToInfo

    def parse(self, name: str, start: Start, end: Any, text: Any, most: int) -> Iterator[int]:
        """Parses a part of at most `most` bytes as XML, and yields the number of bytes after every piece.

        Raises TooLargeError for more bytes, UnreadableFileError for anything but XML.
        """
        parser = expat.ParserCreate()
        parser.buffer_text = True
        depth = 0

        def opened(tag: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > _DEEPEST:
                raise UnreadableFileError(NO_WORKBOOK)
            start(tag.rpartition(":")[2], attributes)

        def closed(tag: str) -> None:
            nonlocal depth
            depth -= 1
            end(tag.rpartition(":")[2])

        parser.StartElementHandler, parser.EndElementHandler = opened, closed
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.XmlDeclHandler = _refuse_other_encodings
        read = 0
        try:
            for piece in self._pieces(name):
                read += len(piece)
                if read > most:
                    raise TooLargeError(
                        f"The workbook unpacks to more than {most // 1024 // 1024} MiB. Save the one sheet with the"
                        " people as CSV."
                    )
                parser.Parse(piece, False)
                if read - parser.CurrentByteIndex > _LONGEST_TAG:  # expat parses an unfinished tag anew with each piece
                    raise UnreadableFileError(NO_WORKBOOK)
                yield len(piece)
            parser.Parse(b"", True)
        except expat.ExpatError:
            raise UnreadableFileError(NO_WORKBOOK) from None
        yield 0

    def read(self, name: str, most: int) -> bytes:
        """Unpacks a part of at most `most` bytes. Raises TooLargeError."""
        pieces, size = [], 0
        for piece in self._pieces(name):
            size += len(piece)
            if size > most:
                raise TooLargeError("A part of the archive unpacks to more than may be read.")
            pieces.append(piece)
        return b"".join(pieces)

    def _pieces(self, name: str) -> Iterator[bytes]:
        found = self._zip.NameToInfo.get(name)
        if found is None:
            raise UnreadableFileError(NO_WORKBOOK)
        if found.flag_bits & 1:
            raise UnreadableFileError("The workbook is protected by a password. Save it without one.")
        if found.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UnreadableFileError(NO_WORKBOOK)
        try:
            with self._zip.open(found) as part:
                while piece := part.read(_PIECE):
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError):
            raise UnreadableFileError(NO_WORKBOOK) from None


def _refuse_large_directory(data: bytes) -> None:
    """Refuses an archive with many more parts than a workbook has, because `zipfile` loads the whole list at once."""
    for place in {len(data) - _END_BYTES, data.rfind(_END, max(0, len(data) - 66_000))}:
        if place < 0 or data[place : place + 4] != _END or len(data) < place + _END_BYTES:
            continue
        (directory,) = struct.unpack_from("<I", data, place + 12)
        if directory > DIRECTORY_BYTES or data[max(0, place - 20) : place].startswith(_END_OF_LARGE):
            raise UnreadableFileError(NO_WORKBOOK)


def _refuse_doctype(*_: object) -> None:
    raise UnreadableFileError(NO_WORKBOOK)


def _refuse_other_encodings(_: str, encoding: str | None, __: int) -> None:
    if encoding is not None and encoding.lower() not in _ENCODINGS:
        raise UnreadableFileError(NO_WORKBOOK)
