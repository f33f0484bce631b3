"""What the ZIP of a pack must not contain: each entry that other readers would read differently is refused by name."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import NamedTuple

import pytest

from compliance.proofs import pack_archive
from compliance.proofs.errors import PackMalformed, PackUnreadable
from compliance.proofs.pack_archive import Archive
from tests.vectors.log.forge import with_second_end

CONTENT = b"a row\n" * 1000


def archive(*names: str, stored: bool = False) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as file:
        for name in names:
            entry = zipfile.ZipInfo(name)  # dated 1980: the bytes of another time could contain the searched name
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o100644 << 16, file.compression
            file.writestr(entry, CONTENT)
    return output.getvalue()


def with_entry(content: bytes, name: str, mode: int = 0o100644, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    output = io.BytesIO(content)
    with zipfile.ZipFile(output, "a") as file:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr, entry.compress_type = 3, mode << 16, method
        file.writestr(entry, b"more")
    return output.getvalue()


def with_field(content: bytes, name: str, offset: int, value: int, form: str = "<L") -> bytes:
    """One field of an entry changed in the table of entries, `offset` bytes from its start (APPNOTE 4.3.12)."""
    at = content.rindex(name.encode()) - 46
    assert content[at : at + 4] == b"PK\1\2"
    changed = bytearray(content)
    struct.pack_into(form, changed, at + offset, value)
    return bytes(changed)


class Entry(NamedTuple):
    """A stored file of an archive that is written byte by byte, for what `zipfile` does not write."""

    name: str = "a"
    before: bytes = b""
    own_extra: bytes = b""
    table_extra: bytes = b""
    flags: int = 0
    check: int = zlib.crc32(CONTENT)
    size: int = len(CONTENT)
    after: bytes = b""
    listed: bool = True


def written(*entries: Entry) -> bytes:
    """The archive of these entries; `check` and `size` are what an entry's own header says."""
    content, table, count = b"", b"", 0
    for each in entries:
        name, size = each.name.encode(), len(CONTENT)
        content += each.before
        if each.listed:
            count += 1
            table += struct.pack(
                "<4s6H3L5H2L", b"PK\1\2", 0x314, 20, each.flags, 0, 0, 33, zlib.crc32(CONTENT), size, size,
                len(name), len(each.table_extra), 0, 0, 0, 0o100644 << 16, len(content),
            ) + name + each.table_extra  # fmt: skip
        content += struct.pack(
            "<4s5H3L2H", b"PK\3\4", 20, each.flags, 0, 0, 33, each.check, each.size, each.size,
            len(name), len(each.own_extra),
        )  # fmt: skip
        content += name + each.own_extra + CONTENT + each.after
    return content + table + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(table), len(content), 0)


OTHER_NAME = struct.pack("<2HBL", 0x7075, 10, 1, zlib.crc32(b"a")) + b"other"
"""The field of Info-ZIP from which `unzip` takes the name of a file."""


def opened(content: bytes) -> Archive:
    return Archive(io.BytesIO(content), "pack.zip")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a", lambda: with_entry(archive("a"), "a"), "two files of this name"),
        ("/etc/passwd", lambda: with_entry(archive("a"), "/etc/passwd"), "absolute"),
        ("C:/a", lambda: with_entry(archive("a"), "C:/a"), "characters that no file"),
        ("..\\a", lambda: with_entry(archive("a"), "..\\a"), "characters that no file"),
        ("registers/../../a", lambda: with_entry(archive("a"), "registers/../../a"), "out of the pack"),
        ("..", lambda: with_entry(archive("a"), ".."), "out of the pack"),
        ("a//b", lambda: with_entry(archive("a"), "a//b"), "names nothing"),
        ("./a", lambda: with_entry(archive("a"), "./a"), "names nothing"),
        ("folder/", lambda: with_entry(archive("a"), "folder/"), "A folder"),
        ("link", lambda: with_entry(archive("a"), "link", 0o120777), "link or a device"),
        ("device", lambda: with_entry(archive("a"), "device", 0o020644), "link or a device"),
        ("caf\u00e9", lambda: with_entry(archive("a"), "caf\u00e9"), "characters that no file"),
        ("bzip", lambda: with_entry(archive("a"), "bzip", method=zipfile.ZIP_BZIP2), "in a way that no pack uses"),
        ("a", lambda: with_field(archive("a"), "a", 8, 1, "<H"), "encrypted"),
        ("a", lambda: with_field(archive("a", stored=True), "a", 24, 7), "two sizes"),
        ("a", lambda: with_field(archive("a"), "a", 24, 1 << 30), "unfolds to 1073741824 bytes"),
        ("b", lambda: with_field(archive("a", "b"), "b", 42, 0), "within another one"),
    ],
)
def test_entries_that_must_not_be_read_are_refused_by_name(name: str, content: Callable[[], bytes], sentence: str):
    found = dict(opened(content()).refusals())
    assert sentence in found[name], found


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a", lambda: written(Entry(table_extra=OTHER_NAME)), "such as another name"),
        ("a", lambda: written(Entry(own_extra=OTHER_NAME)), "such as another name"),
        ("a", lambda: written(Entry(own_extra=struct.pack("<2H2Q", 1, 16, 0, 0))), "such as another name"),
        ("a", lambda: written(Entry(table_extra=struct.pack("<2HQ", 1, 8, 7))), "such as another name"),
        ("a", lambda: written(Entry(table_extra=b"\1")), "such as another name"),
        ("a", lambda: written(Entry(before=b"more")), "no file that it lists before the file"),
        ("b", lambda: written(Entry(), Entry("b", before=b"more")), "no file that it lists before the file"),
        ("b", lambda: written(Entry(), Entry("b", listed=False), Entry("b")), "no file that it lists before the file"),
        ("pack.zip", lambda: written(Entry(), Entry("b", listed=False)), "no file that it lists before the table"),
        ("a", lambda: written(Entry(check=1)), "own header says something else"),
        ("a", lambda: written(Entry(size=1)), "own header says something else"),
        ("a", lambda: written(Entry(flags=8, check=0, size=0)), "not its checksum and its sizes"),
    ],
)
def test_an_archive_holds_nothing_but_what_its_table_lists(name: str, content: Callable[[], bytes], sentence: str):
    found = list(opened(content()).refusals())
    assert [each for each, _ in found] == [name]
    assert sentence in found[0][1]


def with_end(**changed: int) -> bytes:
    """An archive whose end says something else: `at` the offset of a field in it, in bytes, `value` its new value."""
    content = bytearray(archive("a"))
    struct.pack_into("<H", content, len(content) - 22 + changed["at"], changed["value"])
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: b"more" + archive("a"), "not where its end says"),
        (lambda: archive("a") + b"more", "follows its end"),
        (lambda: with_end(at=20, value=4) + b"more", "follows its end"),
        (lambda: with_end(at=4, value=1), "not where its end says"),
        (lambda: with_end(at=8, value=2), "not where its end says"),
        (lambda: with_end(at=10, value=2)[:-14] + struct.pack("<H", 2) + with_end(at=10, value=2)[-12:],
         "not what its end says"),
        (lambda: with_field(archive("a"), "a", 32, 1, "<H"), "not what its end says"),
        (lambda: with_field(archive("a"), "a", 28, 2, "<H"), "not what its end says"),
        (lambda: with_zip64(archive("a"))[:-12] + struct.pack("<H", 2) + with_zip64(archive("a"))[-10:],
         "say different things"),
    ],
)  # fmt: skip
def test_an_archive_whose_end_says_something_else_is_not_read(content: Callable[[], bytes], sentence: str):
    with pytest.raises(PackUnreadable, match=sentence):
        opened(content())


class Unseekable(io.BytesIO):
    """A file to which an archive can only be written from beginning to end."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: object) -> int:
        raise io.UnsupportedOperation

    def tell(self) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize("output", [io.BytesIO, Unseekable])
@pytest.mark.parametrize("large", [False, True])
def test_an_archive_that_was_streamed_or_has_the_fields_of_large_files_is_read(
    output: Callable[[], io.BytesIO], large: bool
):
    whole = output()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("a", "b"):
            with file.open(zipfile.ZipInfo(name), "w", force_zip64=large) as entry:
                entry.write(CONTENT)
    found = opened(whole.getvalue())
    assert list(found.refusals()) == []
    assert found.content("b", len(CONTENT)) == CONTENT


def test_the_field_of_large_files_in_the_table_states_what_was_read():
    sizes = (len(CONTENT), len(CONTENT))
    for values in (sizes, (0,), (*sizes, 0)):
        extra = struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)
        assert list(opened(written(Entry(table_extra=extra))).refusals()) == []


def test_the_field_of_large_files_beside_sizes_that_it_repeats_is_read_as_old_pythons_write_it():
    size = len(CONTENT)
    found = opened(written(Entry(own_extra=struct.pack("<2H2Q", 1, 16, size, size))))
    assert list(found.refusals()) == []
    assert found.content("a", size) == CONTENT


def test_an_archive_of_plain_files_is_read_without_a_refusal():
    for stored in (False, True):
        found = opened(archive("a", "registers/b.jsonl", stored=stored))
        assert list(found.refusals()) == []
        assert found.content("registers/b.jsonl", len(CONTENT)) == CONTENT
        assert list(found.lines("a")) == [b"a row"] * 1000


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (lambda: with_field(archive("a"), "a", 24, len(CONTENT) - 1), "larger than the 5999 bytes"),
        (lambda: with_field(archive("a"), "a", 24, len(CONTENT) + 1), "shorter than the 6001 bytes"),
        (lambda: with_field(archive("a"), "a", 16, 1), "checksum"),
        (lambda: with_field(archive("a"), "a", 20, 10), "shorter than"),
        (lambda: with_field(archive("a", "b"), "a", 20, 1 << 20), "follows the file"),
        (lambda: with_field(archive("a", "b"), "a", 42, 1), "not where the archive says"),
        (lambda: archive("a").replace(b"a", b"b", 1), "own header"),
        (lambda: with_field(archive("a", stored=True), "a", 10, zipfile.ZIP_DEFLATED, "<H"), "own header"),
    ],
)
def test_what_the_archive_says_of_a_file_is_not_believed(content: Callable[[], bytes], sentence: str):
    with pytest.raises(PackMalformed, match=sentence) as fault:
        opened(content()).digest("a")
    assert fault.value.place == "a"


def test_lines_and_files_are_bounded(monkeypatch):
    monkeypatch.setattr(pack_archive, "MOST_LINE", 100)
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as file:
        file.writestr("long", b"x" * (pack_archive.BLOCK + 1) + b"\n")
        file.writestr("torn", b"x")
    found = opened(output.getvalue())
    with pytest.raises(PackMalformed, match="longer than 100 bytes"):
        list(found.lines("long"))
    with pytest.raises(PackMalformed, match="does not end in a line feed"):
        list(found.lines("torn"))
    with pytest.raises(PackMalformed, match="more than 9 bytes"):
        found.content("long", 9)
    with pytest.raises(PackMalformed, match="is missing"):
        found.digest("nothing")


@pytest.mark.parametrize("cut", [0, 3, 21, 60, -1])
def test_what_is_no_archive_is_unreadable_and_no_traceback(cut: int):
    whole = archive("a", "b")
    with pytest.raises(PackUnreadable):
        opened(whole[:cut])


def test_a_table_of_entries_that_would_fill_the_memory_is_not_read():
    whole = bytearray(archive("a"))
    struct.pack_into("<L", whole, len(whole) - 22 + 12, pack_archive.MOST_DIRECTORY + 1)
    with pytest.raises(PackUnreadable, match="more than any pack's"):
        opened(bytes(whole))


def with_zip64(content: bytes) -> bytes:
    """The archive with the records of ZIP64 at its end, as a large one has them."""
    end = content[-22:]
    entries, size, offset = struct.unpack("<HLL", end[10:20])
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(content) - 22, 1)
    return content[:-22] + record + locator + end[:12] + struct.pack("<LL", 0xFFFFFFFF, 0xFFFFFFFF) + end[20:]


def test_a_zip64_is_read_and_its_table_of_entries_is_bounded_by_the_record_that_is_read():
    assert opened(with_zip64(archive("a"))).content("a", len(CONTENT)) == CONTENT
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as file:
        for number in range(70):
            entry = zipfile.ZipInfo(str(number))
            entry.comment = b"x" * 0xFFFF
            file.writestr(entry, b"")
    for changed in (with_zip64(output.getvalue()), with_second_end(output.getvalue())):
        with pytest.raises(PackUnreadable, match=r"more than any pack's|is not where it says"):
            opened(changed)


@pytest.mark.parametrize(("at", "value"), [(-42 + 8, 0), (-98, 0)], ids=["elsewhere", "nothing"])
def test_a_zip64_without_its_record_where_it_says_is_not_read(at: int, value: int):
    changed = bytearray(with_zip64(archive("a")))
    struct.pack_into("<L", changed, len(changed) + at, value)
    with pytest.raises(PackUnreadable, match="is not where it says"):
        opened(bytes(changed))
