"""Reads the ZIP of an evidence pack in place: nothing is unpacked, and nothing in it is imported or run.

The archive's own statements are not trusted. Entries that other readers would read differently, or unpack somewhere
else, are refused by name before any is read: doubled ones, absolute ones, ones with `..`, links, folders, encrypted
ones, overlapping ones, ones with fields of which some readers take another name. The entries of the table are all that
the archive holds: they follow one another from its first byte to the table, and the table lies before its end. An entry
with more or fewer bytes than it states, or with far more than rows and text of its compressed size can have, is a
fault.
"""

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

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
_ENTRY_BYTES = 46
_ENTRY_LENGTHS = struct.Struct("<3H")
_ENTRY_LENGTHS_AT = 28
_SIZES_64 = struct.Struct("<2H2Q")
_LARGE = 0xFFFFFFFF
"""What a header has in place of a size that its field of ZIP64 states."""

_ZIP64 = 1
_DEFERRED = 0x8
"""Bit 3 of the flags: checksum and sizes follow the content."""

_LONGEST_END = _END.size + 0xFFFF
_ENCRYPTED = 0x2041
"""Bits 0, 6 and 13 of the flags: encryption, strong encryption, masked headers."""

_MOST_OF_END = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
"""What the short end has in place of a value that only the long one can state."""

_OTHER_HEADER = "The file's own header says something else than the archive's table of entries."
_OTHER_FIELDS = "The file has fields that no file of a pack has, such as another name of it."
_UNLISTED = "The archive holds bytes of no file that it lists"


class _Header(NamedTuple):
    """An entry's own header: where its content begins, and what it states."""

    begin: int
    flags: int
    check: int
    sizes: tuple[int, int]
    extra: bytes


class Archive:
    """The entries of a pack by name, each read as a stream."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Raises PackUnreadable for what is not a ZIP."""
        self.name = name
        self._file = file
        try:
            self._table, entries = self._place_of_table()
            infos = zipfile.ZipFile(file).infolist()
            if len(infos) != entries or not self._table_is_whole():
                raise zipfile.BadZipFile("its table of entries is not what its end says")
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError, struct.error) as fault:
            raise PackUnreadable(f"{name} cannot be read as a ZIP: {printable(str(fault))}") from fault
        self._infos = infos
        self.entries = {info.orig_filename: info for info in infos}

    def _place_of_table(self) -> tuple[range, int]:
        """Where the table of entries is, and how many it has, in which every statement of its end must agree."""
        self._file.seek(0, 2)
        length = self._file.tell()
        start = max(0, length - _LONGEST_END)
        self._file.seek(start)
        tail = self._file.read(_LONGEST_END)
        at = tail.rfind(b"PK\5\6")
        if at < 0 or len(tail) - at < _END.size:
            raise zipfile.BadZipFile("it has no table of entries at its end")
        _, *disks, here, entries, size, offset, comment = _END.unpack_from(tail, at)
        if comment or at + _END.size != len(tail):
            raise zipfile.BadZipFile("something follows its end")
        stated, end = (*disks, here, entries, size, offset), start + at
        if at >= _LOCATOR_64.size and tail[at - _LOCATOR_64.size :].startswith(b"PK\6\7"):
            record = start + at - _LOCATOR_64.size - _END_64.size
            self._file.seek(record)
            mark, *_, own_disk, disk, here, entries, size, offset = _END_64.unpack(self._file.read(_END_64.size))
            if mark != b"PK\6\6" or _LOCATOR_64.unpack_from(tail, at - _LOCATOR_64.size)[2] != record:
                # `zipfile` reads the record before the locator, other readers the one that the locator names.
                raise zipfile.BadZipFile("the end of its table of entries is not where it says")
            large = (own_disk, disk, here, entries, size, offset)
            if any(short not in (long, most) for short, long, most in zip(stated, large, _MOST_OF_END, strict=True)):
                raise zipfile.BadZipFile("its two ends say different things")
            stated, end = large, record
        if size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"its table of entries has {size} bytes, more than any pack's")
        if stated[:2] != (0, 0) or here != entries or offset + size != end:
            raise zipfile.BadZipFile("its table of entries is not where its end says")
        return range(offset, end), entries

    def _table_is_whole(self) -> bool:
        """Whether the entries of the table fill it exactly, none with a comment."""
        self._file.seek(self._table.start)
        table, at = self._file.read(len(self._table)), 0
        while at < len(table):
            name, extra, comment = _ENTRY_LENGTHS.unpack_from(table, at + _ENTRY_LENGTHS_AT)
            if comment:
                return False
            at += _ENTRY_BYTES + name + extra
        return at == len(self._table)

    def refusals(self) -> Iterator[tuple[str, str]]:
        """The entries that must not be read, each as its name and a sentence."""
        seen: set[str] = set()
        refused = False
        for info in self._infos:
            name = info.orig_filename
            if name in seen:
                refused = True
                yield name, "There are two files of this name."
            seen.add(name)
            sentence = _refusal(info)
            if sentence is not None:
                refused = True
                yield name, sentence
        if not refused:
            yield from self._misplaced()

    def _misplaced(self) -> Iterator[tuple[str, str]]:
        """The first entry that does not begin where the one before it ends, or has another header than the table."""
        end = 0
        for info in sorted(self._infos, key=lambda each: each.header_offset):
            name = info.orig_filename
            if info.header_offset != end:
                within = info.header_offset < end
                yield name, "The file lies within another one." if within else f"{_UNLISTED} before the file."
                return
            try:
                end = self._end_of(info)
            except PackMalformed as fault:
                yield name, fault.sentence
                return
        if end != self._table.start:
            yield self.name, f"{_UNLISTED} before the table of entries."

    def blocks(self, name: str) -> Iterator[bytes]:
        """The content of an entry. Raises PackMalformed when it is missing or not what the archive states."""
        info = self.entries.get(name)
        if info is None:
            raise PackMalformed(name, "The file is missing.")
        offset = self._header(info).begin
        left, size, check = info.compress_size, 0, 0
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

    def _end_of(self, info: zipfile.ZipInfo) -> int:
        """Where an entry ends. Raises PackMalformed unless its own header says of it what the table says."""
        found = self._header(info)
        name, sizes = info.orig_filename, (info.file_size, info.compress_size)
        large = bool(found.extra)
        stated = found.sizes
        if large:
            kind, length, *own = _SIZES_64.unpack(found.extra) if len(found.extra) == _SIZES_64.size else (0, 0)
            # Python before 3.11.4 repeats small sizes in the header where it should refer to the field.
            if (kind, length) != (_ZIP64, 16) or stated not in ((_LARGE, _LARGE), tuple(own)):
                raise PackMalformed(name, _OTHER_FIELDS)
            stated = (own[0], own[1])
        deferred = bool(found.flags & _DEFERRED)
        if found.flags != info.flag_bits or (
            (found.check, stated) != (info.CRC, sizes) and not (deferred and (found.check, stated) == (0, (0, 0)))
        ):
            raise PackMalformed(name, _OTHER_HEADER)
        end = found.begin + info.compress_size
        if deferred:
            after = struct.pack("<4s1L2Q" if large else "<4s3L", b"PK\7\10", info.CRC, *reversed(sizes))
            self._file.seek(end)
            if self._file.read(len(after)) != after:
                raise PackMalformed(name, "What follows the file is not its checksum and its sizes.")
            end += len(after)
        return end

    def _header(self, info: zipfile.ZipInfo) -> _Header:
        """An entry's own header, which must name the same file. Raises PackMalformed."""
        name = info.orig_filename
        self._file.seek(info.header_offset)
        header = self._file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            raise PackMalformed(name, "The file is not where the archive says.")
        _, _, flags, method, _, _, check, compressed, size, name_length, extra_length = _LOCAL.unpack(header)
        own = self._file.read(name_length).decode("utf-8" if flags & 0x800 else "cp437", "replace")
        if (own, method, flags & _ENCRYPTED) != (name, info.compress_type, 0):
            raise PackMalformed(name, _OTHER_HEADER)
        extra = self._file.read(extra_length)
        return _Header(self._file.tell(), flags, check, (size, compressed), extra)


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
    if info.extra and not _is_zip64(info):
        return _OTHER_FIELDS
    if info.file_size > 1 << 20 and info.file_size > MOST_RATIO * info.compress_size:
        return f"The file says that it unfolds to {info.file_size} bytes from {info.compress_size}."
    return None


def _is_zip64(info: zipfile.ZipInfo) -> bool:
    """Whether an entry has no other field in the table than that of large files, which states what was read of it."""
    kind, length = struct.unpack_from("<2H", info.extra) if len(info.extra) >= 4 else (0, 0)
    if kind != _ZIP64 or length not in (8, 16, 24) or len(info.extra) != 4 + length:
        return False
    values, sizes = struct.unpack_from(f"<{length // 8}Q", info.extra, 4), (info.file_size, info.compress_size)
    return values in ((info.header_offset,), sizes, (*sizes, info.header_offset))
