"""Reads the ZIP of an evidence pack in place: nothing is unpacked, and nothing in it is imported or run.

The archive's own statements are not trusted. Entries that other readers would read differently, or unpack somewhere
else, are refused by name before any is read: doubled ones, absolute ones, ones with `..`, links, folders, encrypted
ones, overlapping ones. An entry with more or fewer bytes than it states, or with far more than rows and text of its
compressed size can have, is a fault.
"""

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from .errors import PackMalformed, PackUnreadable
from .pages import printable

BLOCK = 1 << 16
MOST_DIRECTORY = 1 << 22
"""The largest table of entries that is read, in bytes: it is held in memory."""

MOST_LINE = 1 << 23
"""The longest line of a file, in bytes: a row is at most 3 MiB, and its text within a line at most doubles."""

MOST_RATIO = 200
"""How many times its compressed size an entry of more than a mebibyte may have; rows have about 10 times."""

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_64 = struct.Struct("<4sLQL")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_END = _END.size + 0xFFFF
_ENCRYPTED = 0x2041
"""Bits 0, 6 and 13 of the flags: encryption, strong encryption, masked headers."""


class Archive:
    """The entries of a pack by name, each read as a stream."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Raises PackUnreadable for what is not a ZIP."""
        self.name = name
        self._file = file
        try:
            self._refuse_large_directory()
            infos = zipfile.ZipFile(file).infolist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError, struct.error) as fault:
            raise PackUnreadable(f"{name} cannot be read as a ZIP: {printable(str(fault))}") from fault
        self._infos = infos
        self.entries = {info.orig_filename: info for info in infos}

    def _refuse_large_directory(self) -> None:
        self._file.seek(0, 2)
        length = self._file.tell()
        start = max(0, length - _LONGEST_END)
        self._file.seek(start)
        tail = self._file.read(_LONGEST_END)
        at = tail.rfind(b"PK\5\6")
        if at < 0 or len(tail) - at < _END.size:
            raise zipfile.BadZipFile("it has no table of entries at its end")
        size = _END.unpack_from(tail, at)[5]
        if at >= _LOCATOR_64.size and tail[at - _LOCATOR_64.size :].startswith(b"PK\6\7"):
            record = start + at - _LOCATOR_64.size - _END_64.size
            self._file.seek(record)
            mark, *_, large, _ = _END_64.unpack(self._file.read(_END_64.size))
            if mark != b"PK\6\6" or _LOCATOR_64.unpack_from(tail, at - _LOCATOR_64.size)[2] != record:
                # `zipfile` reads the record before the locator, other readers the one that the locator names.
                raise zipfile.BadZipFile("the end of its table of entries is not where it says")
            size = max(size if size != 0xFFFFFFFF else 0, large)
        if size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"its table of entries has {size} bytes, more than any pack's")

    def refusals(self) -> Iterator[tuple[str, str]]:
        """The entries that must not be read, each as its name and a sentence."""
        seen: set[str] = set()
        for info in self._infos:
            name = info.orig_filename
            if name in seen:
                yield name, "There are two files of this name."
            seen.add(name)
            sentence = _refusal(info)
            if sentence is not None:
                yield name, sentence
        end = 0
        for info in sorted(self._infos, key=lambda each: each.header_offset):
            if info.header_offset < end:
                yield info.orig_filename, "The file lies within another one."
            end = max(end, info.header_offset + _LOCAL.size + info.compress_size)

    def blocks(self, name: str) -> Iterator[bytes]:
        """The content of an entry. Raises PackMalformed when it is missing or not what the archive states."""
        info = self.entries.get(name)
        if info is None:
            raise PackMalformed(name, "The file is missing.")
        self._to_content(info)
        left, size, check = info.compress_size, 0, 0
        offset = self._file.tell()
        inflate = zlib.decompressobj(-zlib.MAX_WBITS) if info.compress_type == zipfile.ZIP_DEFLATED else None
        while left:
            self._file.seek(offset)
            raw = self._file.read(min(left, BLOCK))
            if not raw:
                raise PackMalformed(name, "The archive ends within the file.")
            offset, left = offset + len(raw), left - len(raw)
            for block in _inflated(inflate, raw, name):
                size += len(block)
                if size > info.file_size:
                    raise PackMalformed(name, f"The file is larger than the {info.file_size} bytes that it says.")
                check = zlib.crc32(block, check)
                yield block
        if size < info.file_size or (inflate is not None and not inflate.eof):
            raise PackMalformed(name, f"The file is shorter than the {info.file_size} bytes that it says.")
        if check != info.CRC:
            raise PackMalformed(name, "The file does not have the checksum that the archive says.")

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of an entry without their line feeds. Raises PackMalformed; a last line must have its line feed."""
        rest = b""
        for block in self.blocks(name):
            *lines, last = block.split(b"\n")
            if lines:
                lines[0] = rest + lines[0]
                rest = b""
                yield from lines
            rest += last
            if len(rest) > MOST_LINE:
                raise PackMalformed(name, f"A line is longer than {MOST_LINE} bytes.")
        if rest:
            raise PackMalformed(name, "The last line does not end in a line feed.")

    def content(self, name: str, most: int) -> bytes:
        """A whole entry of at most `most` bytes. Raises PackMalformed."""
        found = bytearray()
        for block in self.blocks(name):
            found += block
            if len(found) > most:
                raise PackMalformed(name, f"The file has more than {most} bytes.")
        return bytes(found)

    def digest(self, name: str) -> str:
        """The SHA-256 of an entry. Raises PackMalformed."""
        found = hashlib.sha256()
        for block in self.blocks(name):
            found.update(block)
        return found.hexdigest()

    def _to_content(self, info: zipfile.ZipInfo) -> None:
        """Goes to where an entry's content begins, past its own header, which must name the same file."""
        name = info.orig_filename
        self._file.seek(info.header_offset)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise PackMalformed(name, "The file is not where the archive says.")
        _, _, flags, method, _, _, _, _, _, name_length, extra_length = _LOCAL.unpack(header)
        own = self._file.read(name_length).decode("utf-8" if flags & 0x800 else "cp437", "replace")
        if (own, method, flags & _ENCRYPTED) != (name, info.compress_type, 0):
            raise PackMalformed(name, "The file's own header says something else than the archive's table of entries.")
        self._file.seek(extra_length, 1)


def _inflated(inflate: "zlib._Decompress | None", raw: bytes, name: str) -> Iterator[bytes]:
    """Decompresses `raw` in pieces of bounded size."""
    if inflate is None:
        yield raw
        return
    try:
        while raw:
            if inflate.eof:
                raise PackMalformed(name, "Something follows the file within its own place.")
            block = inflate.decompress(raw, BLOCK)
            if block:
                yield block
            raw = inflate.unconsumed_tail or (inflate.unused_data if inflate.eof else b"")
        while not inflate.eof and (block := inflate.decompress(b"", BLOCK)):
            yield block
    except zlib.error as fault:
        raise PackMalformed(name, "The file is not compressed as the archive says.") from fault


def _refusal(info: zipfile.ZipInfo) -> str | None:
    """The reason not to read an entry; None for a plain file within the pack."""
    name = info.orig_filename
    parts = name.split("/")
    if not name.isascii() or not name.isprintable() or "\\" in name or ":" in name:
        return "The name holds characters that no file of a pack has."
    if name.startswith("/"):
        return "The name is absolute."
    if ".." in parts:
        return "The name leads out of the pack."
    if name.endswith("/"):
        return "A folder is no file of a pack."
    if "" in parts or "." in parts:
        return "The name has a part that names nothing."
    if info.flag_bits & _ENCRYPTED:
        return "The file is encrypted."
    kind = (info.external_attr >> 16) & 0o170000
    if kind not in (0, 0o100000):
        return "The entry is a link or a device, not a file." if kind != 0o040000 else "A folder is no file of a pack."
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "The file is compressed in a way that no pack uses."
    if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
        return "The file says two sizes."
    if info.file_size > 1 << 20 and info.file_size > MOST_RATIO * info.compress_size:
        return f"The file says that it unfolds to {info.file_size} bytes from {info.compress_size}."
    return None
