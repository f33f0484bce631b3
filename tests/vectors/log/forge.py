"""Writes the forged packs: `python -m tests.vectors.log.forge`. Each is `pack.zip` with one thing wrong, sealed again.

Most are what an operator who holds the log's key could make; some need a history of their own, which is captured again.
"""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from compliance.proofs import cells
from tests.proofs.second_log import leaf_of, root_of
from tests.proofs.second_verifier import REGISTERS, capture_digest, identity_digest, row_digest
from tests.vectors.log.pack import FOLDER, OPENED, PACK, as_json, seal, with_log, zipped

FORGED = FOLDER / "forged_packs"
SALT = "5a" * 16
Files = dict[str, bytes]
Row = dict[str, Any]


def genuine() -> Files:
    """The files of the genuine pack."""
    with zipfile.ZipFile(io.BytesIO(PACK.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows_of(files: Mapping[str, bytes], name: str) -> list[Row]:
    """The lines of a file."""
    return [json.loads(line) for line in files[name].splitlines()]


def with_rows(files: Files, name: str, rows: list[Row]) -> Files:
    """The files with other lines in one of them; a register's table has the same rows."""
    changed = {**files, name: b"".join(map(as_json, rows))}
    if name.startswith("registers/"):
        table = name.replace(".jsonl", ".csv")
        heading = files[table].decode("utf-8-sig").splitlines()[0].split(",")
        lines = [heading, *([row.get(column) for column in heading] for row in rows)]
        changed[table] = b"\xef\xbb\xbf" + "".join(map(cells.line, lines)).encode()
    return changed


def changed_rows(files: Files, name: str, change: Callable[[Row], Row | None]) -> Files:
    """The files with each line of one of them changed, or left out where `change` returns None."""
    return with_rows(files, name, [row for row in map(change, rows_of(files, name)) if row is not None])


def captured_again(files: Files) -> Files:
    """The files with captures and a log over the row versions that are in them now."""
    about = json.loads(files["pack.json"])
    leaves: dict[int, bytes] = {}
    for register in REGISTERS:
        for line in rows_of(files, f"history/{register}.jsonl"):
            content = line.get("content_sha256") or hashlib.sha256(line["content"].encode()).hexdigest()
            digest = row_digest(about["organization_id"], {**line, "register": register}, content)
            leaves[line["sequence"]] = leaf_of(bytes.fromhex(digest))
    captures = rows_of(files, "history/captures.jsonl")
    previous = "0" * 64
    for capture in captures:
        upto = [leaves[sequence] for sequence in range(1, int(capture["tree_size"]) + 1)]
        capture |= {"tree_root": root_of(upto).hex(), "previous_chain_hash": previous}
        capture["chain_hash"] = previous = capture_digest(capture)
    about["pin"]["chain_hash"] = about["snapshot"]["chain_hash"] = previous
    return with_log(with_rows(files | {"pack.json": as_json(about)}, "history/captures.jsonl", captures))


def with_content(files: Files, register: str, of: str, change: Callable[[Row], Row]) -> Files:
    """The files with another text of a record, captured again."""

    def changed(line: Row) -> Row:
        if line["record_id"] != of:
            return line
        return {**line, "content": as_json(change(json.loads(line["content"]))).decode().rstrip("\n")}

    return captured_again(changed_rows(files, f"history/{register}.jsonl", changed))


def about(files: Files, part: str | None = None, **values: Any) -> Files:
    """The files with other members in `pack.json`, or in a part of it."""
    found = json.loads(files["pack.json"])
    (found if part is None else found[part]).update(values)
    return {**files, "pack.json": as_json(found)}


def _hidden(files: Files, name: str, registers: tuple[str, ...]) -> Files:
    """The files with the label of erased people in place of a name, and without what opens the commitment."""
    for register in registers:
        files = changed_rows(
            files,
            f"registers/{register}.jsonl",
            lambda row: {**row, "person_name": "Erased person"} if row["person_name"] == name else row,
        )
    opened = {"certificates"} & set(registers) or {"people"}
    return changed_rows(
        files,
        "identities.jsonl",
        lambda line: None if line["person_name"] == name and line["register"] in opened else line,
    )


def hidden_employee(files: Files) -> Files:
    """An employee whom every register calls erased, though the history does not."""
    everywhere = ("people", "training-records", "training-records-period", "policy-records")
    return _hidden(files, "Eve", everywhere)


def hidden_holder(files: Files) -> Files:
    """A certificate whose holder is called erased, though the history does not."""
    return _hidden(files, "Ben", ("certificates",))


def _of_certificate(files: Files, name: str, **opening: str | None) -> Files:
    """The first certificate committed to a name of two lines, and opened as somebody else's."""
    record_id = rows_of(files, "registers/certificates.jsonl")[0]["certificate_id"]
    commitment = identity_digest(SALT, "Ann Bell\nBob Carr", None)
    files = with_content(files, "certificates", record_id, lambda text: {**text, "identity_sha256": commitment})
    files = changed_rows(
        files,
        "registers/certificates.jsonl",
        lambda row: {**row, "person_name": name} if row["certificate_id"] == record_id else row,
    )
    return changed_rows(
        files, "identities.jsonl", lambda line: line | opening if line["record_id"] == record_id else line
    )


def two_lines_in_a_name(files: Files) -> Files:
    """The genuine opening of the commitment that the next two open otherwise: no forgery."""
    return _of_certificate(files, "Ann Bell\nBob Carr", salt=SALT, person_name="Ann Bell\nBob Carr")


def certificate_with_an_address(files: Files) -> Files:
    """A commitment to a name of two lines, opened as a name and an address."""
    return _of_certificate(files, "Ann Bell", salt=SALT, person_name="Ann Bell", work_email="Bob Carr\n")


def salt_with_a_name(files: Files) -> Files:
    """The same commitment, opened by a salt that holds the first line of the name."""
    return _of_certificate(files, "Bob Carr", salt=f"{SALT}\nAnn Bell", person_name="Bob Carr")


def open_text(files: Files) -> Files:
    """A line with a text that does not end, of nothing but escaped quotation marks."""
    return {**files, "history/people.jsonl": b'"' + b'\\"' * 150_000 + b"\n"}


def sequence_too_large(files: Files) -> Files:
    """A pin at a sequence that no history has, and a row version far beyond all others."""
    files = about(about(files, "pin", sequence=1 << 60), "snapshot", sequence=1 << 60)
    return changed_rows(
        files, "history/people.jsonl", lambda line: {**line, "sequence": 1 << 40} if line["sequence"] == 11 else line
    )


def policy_that_is_no_text(files: Files) -> Files:
    """A policy version whose text UTF-8 cannot encode."""
    row = rows_of(files, "registers/policies.jsonl")[0]
    content = json.dumps({**row, "html": "\ud800"}, separators=(",", ":")).encode() + b"\n"
    return {**files, "registers/policies.jsonl": content}


def unknown_zone(files: Files) -> Files:
    """A period that begins after its first day has begun, in a time zone that there is not."""
    start = "2025-01-01T11:00:00.000000Z"
    return about(about(files, time_zone="Nowhere/Nowhere"), "period", start=start)


def truth_for_a_number(files: Files) -> Files:
    """`true` for 1 within the lessons of a course version."""
    row_id = rows_of(files, "registers/courses.jsonl")[0]["row_id"]
    files = with_content(files, "courses", row_id, lambda text: {**text, "lessons": [{"version": 1}]})
    lessons = [{"title": "Fire", "version": True}]
    return changed_rows(
        files,
        "registers/courses.jsonl",
        lambda row: {**row, "lessons": lessons} if row["row_id"] == row_id else row,
    )


def with_second_end(content: bytes) -> bytes:
    """A ZIP whose ZIP64 locator names another record than the one before it, with a smaller table of entries."""
    end = content[-22:]
    entries, size, offset = struct.unpack("<HLL", end[10:20])
    after = offset + 56
    record = struct.Struct("<4sQ2H2L4Q")
    named = record.pack(b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, 0, after)
    own = record.pack(b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, after)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, offset, 1)
    end = end[:12] + struct.pack("<LL", 0xFFFFFFFF, 0xFFFFFFFF) + end[20:]
    return content[:offset] + named + content[offset:-22] + own + locator + end


def with_exchanged_names(files: Files) -> bytes:
    """The ZIP with a field by which `unzip` gives two files the name of the other one."""
    names = ("registers/certificates.jsonl", "registers/courses.jsonl")
    others = dict(zip(names, reversed(names), strict=True))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, OPENED)
            if name in others:
                other = others[name].encode()
                entry.extra = struct.pack("<2HBL", 0x7075, 5 + len(other), 1, zlib.crc32(name.encode())) + other
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED)
    return content.getvalue()


def with_unlisted_entry(content: bytes) -> bytes:
    """The ZIP with another `summary.pdf` that its table does not list, as a reader without the table finds it."""
    name, other = b"summary.pdf", b"%PDF-1.7\n"
    entry = struct.pack(
        "<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, zlib.crc32(other), len(other), len(other), len(name), 0
    )
    entry += name + other
    end = content[-22:]
    (offset,) = struct.unpack("<L", end[16:20])
    end = end[:16] + struct.pack("<L", offset + len(entry)) + end[20:]
    return content[:offset] + entry + content[offset:-22] + end


FORGERIES: dict[str, Callable[[Files], Files]] = {
    "hidden_employee": hidden_employee,
    "hidden_holder": hidden_holder,
    "certificate_with_an_address": certificate_with_an_address,
    "salt_with_a_name": salt_with_a_name,
    "open_text": open_text,
    "sequence_too_large": sequence_too_large,
    "policy_that_is_no_text": policy_that_is_no_text,
    "unknown_zone": unknown_zone,
    "truth_for_a_number": truth_for_a_number,
}


def packs() -> dict[str, bytes]:
    """The forged packs by name."""
    found = {name: zipped(seal(forge(genuine()))) for name, forge in FORGERIES.items()}
    return {
        **found,
        "two_ends": with_second_end(PACK.read_bytes()),
        "exchanged_names": with_exchanged_names(genuine()),
        "unlisted_entry": with_unlisted_entry(PACK.read_bytes()),
    }


if __name__ == "__main__":
    for name, content in packs().items():
        Path(FORGED, f"{name}.zip").write_bytes(content)
