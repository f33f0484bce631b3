"""Takes built packs apart and puts them together again, as an operator with the key could."""

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compliance.proofs import pack
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import log_trust
from compliance.proofs.note_keys import NoteSigner
from compliance.proofs.pack_captures import manifest_text
from tests.interfaces.console.evidence.conftest import KEY

ORIGIN = "records.example.com/log"
SEED = hashlib.sha256(KEY.encode()).digest()
LOG_KEY = NoteSigner.from_seed(ORIGIN, SEED).verifier_key
UNLISTED = ("SHA256SUMS", "manifest.txt")

Files = dict[str, bytes]


def files_of(content: bytes) -> Files:
    """The files of a pack."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: Files) -> bytes:
    """The files as a ZIP."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return output.getvalue()


def listed_anew(files: Files) -> Files:
    """The files with a new list, signed with the key of the log's operator."""
    kept = {name: content for name, content in files.items() if name not in UNLISTED}
    sums = "".join(f"{hashlib.sha256(kept[name]).hexdigest()}  {name}\n" for name in sorted(kept))
    about = json.loads(kept["pack.json"])
    text = manifest_text(about["organization_id"], about["pin"]["chain_hash"], sums)
    note = NoteSigner.from_seed(f"{ORIGIN}/evidence", SEED).sign(text)
    return kept | {"SHA256SUMS": sums.encode(), "manifest.txt": note.encode()}


def verified(content: bytes) -> Report:
    """The verifier's report on a pack, with the log's key."""
    report = Report()
    pack.verify_pack(io.BytesIO(content), "pack.zip", log_trust(LOG_KEY), report)
    return report


def rows(files: Files, name: str) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in files[name].splitlines()]


def with_rows(files: Files, name: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Files:
    """The files with the lines of one file changed."""
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in change(rows(files, name))]
    return files | {name: "".join(lines).encode()}


def with_json(files: Files, name: str, change: Callable[[dict[str, Any]], object]) -> Files:
    """The files with one JSON document changed in place."""
    found = json.loads(files[name])
    change(found)
    return files | {name: json.dumps(found).encode() + b"\n"}


def with_entry(content: bytes, name: str, more: bytes, *, mode: int = 0o100644) -> bytes:
    """The ZIP with one more entry of any name."""
    output = io.BytesIO(content)
    with zipfile.ZipFile(output, "a", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr = 3, mode << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, more)
    return output.getvalue()


def with_field(content: bytes, name: str, offset: int, value: int, width: str = "<L") -> bytes:
    """The ZIP with a field of one entry of its central directory changed (APPNOTE 4.3.12), at `offset` in the entry."""
    at = content.rindex(name.encode()) - 46
    assert content[at : at + 4] == b"PK\1\2"
    changed = bytearray(content)
    struct.pack_into(width, changed, at + offset, value)
    return bytes(changed)


def write(content: bytes, path: Path) -> Path:
    """Writes a pack to a file."""
    path.write_bytes(content)
    return path
