"""A second verifier of evidence packs, `svc.evidence/2`: from the ZIP to the log's checkpoint, and every register row.

Written from docs/evidence-pack.md, docs/rules.md and docs/verify.md; shares no code with `compliance`. What depends on
the clock is recomputed for training records and certificates; what the document calls not provable is not checked.
It reads the whole pack into memory, because it is for small ones.
"""

import csv
import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.proofs.second_log import (
    Refused,
    Trust,
    leaf_of,
    read_key,
    root_of,
    sha256_lines,
    signed_text,
)
from tests.proofs.second_registers import FILES, ID_FIELDS, Period, Version, check_row, listed_versions
from tests.proofs.second_verifier import (
    CAPTURE_LINES,
    DIGEST,
    INSTANT,
    REGISTERS,
    UUID,
    capture_digest,
    check_identity,
    check_in_log,
    is_count,
    is_text,
    members_of,
    read_json,
    row_digest,
)

OLD_CAPTURE_LINES = (*CAPTURE_LINES[:5], "rows_sha256", "previous_chain_hash")
FIXED = ("pack.json", "identities.jsonl", "log.json", "log-key.txt", "summary.pdf", "README.txt", "verify.py")
ABOUT = (
    "format", "company", "organization_id", "deployment_id", "learning_space_id", "time_zone", "period", "pin",
    "snapshot", "registers", "completeness",
)  # fmt: skip
ERASED = "Erased person"
SIGNS = "=+@-＝＋－＠"
UNSEEN = "\\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u2060\ufeff\"'"
FORMULA = re.compile(rf"((?:^|[;,|\t\r\n])[{UNSEEN}]*)(?=[{re.escape(SIGNS)}])")


class Pack(NamedTuple):
    """The files of a pack, and the content of its pack.json."""

    files: dict[str, bytes]
    about: dict[str, Any]


def read_zip(content: bytes) -> dict[str, bytes]:
    """The files of a ZIP. Raises Refused for entries that are doubled, point outside or are not plain files.

    The ZIP is a small one: it needs no extra fields, and its entries fill it from its beginning to its table.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            for entry in entries:
                parts = entry.filename.split("/")
                if "" in parts or "." in parts or ".." in parts or "\\" in entry.filename or ":" in entry.filename:
                    raise Refused(entry.filename, "is no name of a file within the pack")
                if entry.external_attr >> 16 & 0o170000 not in (0, 0o100000):
                    raise Refused(entry.filename, "is no file")
            names = [entry.filename for entry in entries]
            if len(set(names)) != len(names):
                raise Refused("pack", "has a name twice")
            _check_places(content, entries)
            return {entry.filename: archive.read(entry) for entry in entries}
    except (
        struct.error,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        ValueError,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ):
        raise Refused("pack", "is no ZIP that can be read") from None


def _check_places(content: bytes, entries: list[zipfile.ZipInfo]) -> None:
    end = 0
    for entry in sorted(entries, key=lambda each: each.header_offset):
        flags, _, _, _, check, packed, size, name, extra = struct.unpack_from("<4H3L2H", content, end + 6)
        if entry.header_offset != end or (check, packed, size) != (entry.CRC, entry.compress_size, entry.file_size):
            raise Refused(entry.filename, "is not where the file before it ends")
        if entry.extra or extra or flags & 8:
            raise Refused(entry.filename, "has fields that no file of a small pack has")
        end += 30 + name + packed
    if content[end : end + 4] not in (b"PK\1\2", b"PK\5\6"):
        raise Refused("pack", "holds bytes of no file that it lists")


def check_pack(content: bytes, trust: Trust) -> dict[str, Any]:
    """Check a pack and return its pack.json. Raises Refused."""
    files = read_zip(content)
    sums = _check_sums(files)
    pack = Pack(files, _about(files))
    pin = pack.about["pin"]
    _check_manifest(files, sums, pack.about, trust)
    histories = {register: list(_versions(pack, register)) for register in sorted(REGISTERS)}
    digests = _digests(pack, histories)
    _check_captures(pack, digests)
    log = read_json(_file(files, "log.json"), "log.json")
    check_in_log(pin["chain_hash"], log, trust, "log.json")
    _check_registers(pack, histories)
    return pack.about


def _file(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise Refused(name, "is missing")
    return files[name]


def _lines(files: Mapping[str, bytes], name: str) -> Iterator[tuple[str, Any]]:
    content = _file(files, name)
    if content and not content.endswith(b"\n"):
        raise Refused(name, "does not end in a line feed")
    for at, line in enumerate(content.split(b"\n")[:-1], 1):
        place = f"{name} line {at}"
        yield place, read_json(line, place)


def _check_sums(files: Mapping[str, bytes]) -> str:
    try:
        sums = _file(files, "SHA256SUMS").decode()
    except UnicodeDecodeError:
        raise Refused("SHA256SUMS", "is not UTF-8") from None
    covered = sorted(set(files) - {"SHA256SUMS", "manifest.txt"}, key=str.encode)
    expected = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in covered)
    if sums != expected:
        listed = dict(line.partition("  ")[::2][::-1] for line in sums.split("\n") if "  " in line)
        for name in covered:
            if listed.get(name) != hashlib.sha256(files[name]).hexdigest():
                raise Refused(name, "is not the file that SHA256SUMS lists")
        raise Refused("SHA256SUMS", "lists other files than the pack has, or not in their order")
    return sums


def _check_manifest(files: Mapping[str, bytes], sums: str, about: Mapping[str, Any], trust: Trust) -> None:
    name, _, public = read_key(trust.log_key, 1)
    signer = f"{name}/evidence"
    key_id = hashlib.sha256(f"{signer}\n".encode() + b"\x01" + public).digest()[:4].hex()
    line = f"{signer}+{key_id}+{trust.log_key.split('+', 2)[2]}"
    try:
        text = signed_text(_file(files, "manifest.txt").decode(), line, "manifest.txt")
    except UnicodeDecodeError:
        raise Refused("manifest.txt", "is not UTF-8") from None
    if text != f"svc.evidence/2\n{about['organization_id']}\n{about['pin']['chain_hash']}\n{sums}":
        raise Refused("manifest.txt", "is not over this pack")


def _about(files: Mapping[str, bytes]) -> dict[str, Any]:
    about = read_json(_file(files, "pack.json"), "pack.json")
    if not isinstance(about, dict) or not set(ABOUT) <= set(about):
        raise Refused("pack.json", f"lacks one of {', '.join(ABOUT)}")
    if not isinstance(about["company"], str) or about["format"] != "svc.evidence/2":
        raise Refused("pack.json", "is not of svc.evidence/2")
    for name in ("organization_id", "deployment_id", "learning_space_id"):
        is_text(about[name], UUID, f"pack.json {name}")
    for part, names in (
        ("period", ("from", "to", "start", "end")),
        ("pin", ("capture_sequence", "sequence", "chain_hash")),
    ):
        if not isinstance(about[part], dict) or not set(names) <= set(about[part]):
            raise Refused(f"pack.json {part}", f"lacks one of {', '.join(names)}")
    for name in ("start", "end"):
        is_text(about["period"][name], INSTANT, f"pack.json period.{name}")
    is_count(about["pin"]["capture_sequence"], "pack.json pin.capture_sequence", 1)
    is_count(about["pin"]["sequence"], "pack.json pin.sequence")
    is_text(about["pin"]["chain_hash"], DIGEST, "pack.json pin.chain_hash")
    for name in ("organization_id", "sequence", "capture_sequence", "chain_hash"):
        pinned = {**about["pin"], "organization_id": about["organization_id"]}[name]
        if not isinstance(about["snapshot"], dict) or about["snapshot"].get(name) != pinned:
            raise Refused(f"pack.json snapshot.{name}", "is not the pin's")
    return dict(about)


def _versions(pack: Pack, register: str) -> Iterator[Version]:
    """The versions of a register's history file; those of a record must be together and in order."""
    before: Version | None = None
    ended: set[str] = set()
    for place, line in _lines(pack.files, f"history/{register}.jsonl"):
        text = "content_sha256" if isinstance(line, dict) and "content_sha256" in line else "content"
        names = ("sequence", "record_id", "valid_from", "recorded_at", "cause", "logic_version")
        *_, content = members_of(line, place, *names, text)
        if not isinstance(content, str):
            raise Refused(place, f"has no text as {text}")
        if text == "content_sha256":
            content_sha256, content = is_text(content, DIGEST, place), None
        else:
            try:
                content_sha256 = hashlib.sha256(content.encode()).hexdigest()
            except UnicodeEncodeError:
                raise Refused(place, "is not Unicode") from None
        try:
            digest = row_digest(pack.about["organization_id"], {**line, "register": register}, content_sha256)
        except Refused as fault:
            raise Refused(place, str(fault)) from None
        version = Version(place, register, line, digest, content)
        if before is not None and version.record_id == before.record_id:
            if (version.valid_from, version.sequence) <= (before.valid_from, before.sequence):
                raise Refused(place, "does not stand in the order of valid_from and sequence")
        elif version.record_id in ended:
            raise Refused(place, "does not stand with the other versions of its record")
        if before is not None and before.record_id != version.record_id:
            ended.add(before.record_id)
        before = version
        yield version


def _digests(pack: Pack, histories: Mapping[str, list[Version]]) -> list[str]:
    """The row digests of all sequences from 1 to the pin's, each there exactly once."""
    found: dict[int, Version] = {}
    for versions in histories.values():
        for version in versions:
            if version.sequence in found:
                raise Refused(version.place, f"has sequence {version.sequence}, as {found[version.sequence].place} has")
            found[version.sequence] = version
    size = pack.about["pin"]["sequence"]
    if len(found) != size or any(sequence not in found for sequence in range(1, size + 1)):
        raise Refused("history", f"does not have each sequence from 1 to {size} once")
    return [found[sequence].digest for sequence in range(1, size + 1)]


def _check_captures(pack: Pack, digests: list[str]) -> None:
    place, previous, rows, number = "history/captures.jsonl", "0" * 64, 0, 0
    leaves = [leaf_of(bytes.fromhex(digest)) for digest in digests]
    for place, line in _lines(pack.files, "history/captures.jsonl"):
        number += 1
        form = line.get("format") if isinstance(line, dict) else None
        names = {"svc.capture/1": OLD_CAPTURE_LINES, "svc.capture/2": CAPTURE_LINES}.get(form, ())
        members_of(line, place, "format", *names, "chain_hash")
        if not names or not all(isinstance(value, str) for value in line.values()):
            raise Refused(place, "is no capture")
        if form == "svc.capture/2":
            chain_hash = capture_digest(line, place)
        else:
            chain_hash = sha256_lines("svc.capture/1", *(line[name] for name in names))
        if line["chain_hash"] != chain_hash:
            raise Refused(f"{place}.chain_hash", "is not that of the lines")
        if line["organization_id"] != pack.about["organization_id"] or line["capture_sequence"] != str(number):
            raise Refused(place, "is not the next capture of the company")
        if line["previous_chain_hash"] != previous:
            raise Refused(f"{place}.previous_chain_hash", "is not that of the capture before")
        first, last = line["first_sequence"], line["last_sequence"]
        if (first or last) and (first != str(rows + 1) or not last.isdecimal() or int(last) > len(digests)):
            raise Refused(f"{place}.first_sequence", "does not follow the rows of the capture before")
        begin, rows = rows, int(last) if last else rows
        if form == "svc.capture/1" and line["rows_sha256"] != sha256_lines(*digests[begin:rows]):
            raise Refused(f"{place}.rows_sha256", "is not that of its rows")
        if form == "svc.capture/2":
            tree = (line["tree_size"], line["tree_root"])
            if tree != (str(rows), root_of(leaves[:rows]).hex()):
                raise Refused(f"{place}.tree_root", "is not that of the rows up to it")
        previous = line["chain_hash"]
    pin = pack.about["pin"]
    if (number, rows, previous) != (pin["capture_sequence"], pin["sequence"], pin["chain_hash"]):
        raise Refused(place, "is not the pin")


def _check_registers(pack: Pack, histories: Mapping[str, list[Version]]) -> None:
    period = Period(pack.about["period"]["start"], pack.about["period"]["end"])
    identities = list(_lines(pack.files, "identities.jsonl"))
    erased = _erased(histories["people"])
    if not isinstance(pack.about["registers"], dict) or set(pack.about["registers"]) != set(FILES):
        raise Refused("pack.json registers", "does not name the registers")
    expected = {f"registers/{name}.{form}" for name in FILES for form in ("jsonl", "csv")}
    expected |= {f"history/{name}.jsonl" for name in (*REGISTERS, "captures")} | {*FIXED, "SHA256SUMS", "manifest.txt"}
    policies = {name for name in pack.files if name.startswith("policies/")}
    for name in set(pack.files) - expected - policies:
        raise Refused(name, "is no file of a pack")
    for name in expected - set(pack.files):
        raise Refused(name, "is missing")
    found = set()
    for name, register in FILES.items():
        place = f"registers/{name}.jsonl"
        rows = list(_lines(pack.files, place))
        if is_count(pack.about["registers"][name], f"pack.json registers.{name}") != len(rows):
            raise Refused(f"pack.json registers.{name}", "is not how many rows there are")
        listed = listed_versions(name, histories, period)
        for (at, row), version in zip(rows, listed, strict=False):
            if not isinstance(row, dict) or row.get(ID_FIELDS[register]) != version.record_id:
                raise Refused(at, f"is not {version.record_id}, which the history has next")
            check_row(at, name, row, version, pack.about, histories, period)
            if name in ("people", "certificates"):
                _check_name(at, name, row, version, identities, erased)
            if name == "policies":
                html = f"policies/{version.record_id}.html"
                found.add(html)
                if _file(pack.files, html) != str(row.get("html")).encode():
                    raise Refused(html, "is not the text of the policy version")
        if len(rows) != len(listed):
            raise Refused(place, f"has {len(rows)} rows where the history lists {len(listed)}")
        _check_table(pack.files, name, [row for _, row in rows])
    if found != policies:
        raise Refused("policies", "holds files of policy versions that are not listed")
    if identities:
        raise Refused(identities[0][0], "belongs to no row")


def _erased(people: list[Version]) -> set[str | None]:
    """The records of the people register in which a text shows an erasure, and the people whose records they are."""
    found: set[str | None] = set()
    for version in people:
        if version.content:
            members = version.members
            if members["access_state"] == "erased" or members.get("identity_sha256", "") is None:
                found |= {version.record_id, members["learner_profile_id"]}
    return found - {None}


def _check_name(
    at: str,
    name: str,
    row: Mapping[str, Any],
    version: Version,
    identities: list[tuple[str, Any]],
    erased: set[str | None],
) -> None:
    """Check that the row has the name that its text commits to; without an identity, only after an erasure."""
    committed = version.members.get("identity_sha256")
    if identities:
        place, line = identities[0]
        members_of(line, place, "register", "record_id", "sequence", "salt", "person_name", "work_email")
        if (line["register"], line["record_id"], line["sequence"]) == (name, version.record_id, version.sequence):
            identities.pop(0)
            identity = {member: line[member] for member in ("salt", "person_name", "work_email")}
            if name == "certificates" and line["work_email"] is not None:
                raise Refused(place, "has an address, which no certificate has")
            check_identity(identity, committed, place)
            if row["person_name"] != line["person_name"] or (
                name == "people" and row["work_email"] != line["work_email"]
            ):
                raise Refused(at, "names somebody else than the history commits to")
            return
    if "identity_sha256" in version.members and committed is None and row["person_name"] != ERASED:
        raise Refused(at, "names somebody whom the history says is erased")
    if committed is not None and row["person_name"] != ERASED:
        raise Refused(at, "has a name that no line of identities.jsonl opens the commitment of")
    if committed is not None and (version.record_id if name == "people" else row["learner_profile_id"]) not in erased:
        raise Refused(at, "is called erased, and no text of the history shows that")


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
        value = "; ".join(map(str, value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    found = FORMULA.sub(r"\1'", text)
    return f"'{found}" if found.startswith(("\t", "\r", "\n")) else found


def _check_table(files: Mapping[str, bytes], name: str, rows: list[dict[str, Any]]) -> None:
    place = f"registers/{name}.csv"
    try:
        text = _file(files, place).decode("utf-8-sig")
        table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise Refused(place, "is no CSV") from None
    if not table or len(table) != len(rows) + 1:
        raise Refused(place, "does not have a line for each row and one for the names")
    for at, (row, cells) in enumerate(zip(rows, table[1:], strict=True), 2):
        expected = dict(row)
        if name == "policies":
            del expected["html"]
            expected["html_file"] = f"policies/{row['course_release_id']}.html"
        if len(cells) != len(table[0]) or set(table[0]) != set(expected):
            raise Refused(f"{place} line {at}", "does not have a cell for each field of the row")
        for field, value in zip(table[0], cells, strict=True):
            if value != cell(expected[field]):
                raise Refused(f"{place} line {at}", f"has another {field} than the row")
