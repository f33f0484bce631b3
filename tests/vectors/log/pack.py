"""Seals a small evidence pack with keys that everybody knows: `python -m tests.vectors.log.pack SOURCE.zip`.

The registers and the history are those of SOURCE, a pack as the console makes it; what is long and only under its list
of files (summary.pdf, verify.py) is cut short. `seal` is also how an operator who holds the key forges a pack.
"""

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tests.proofs import second_story
from tests.proofs.second_log import leaf_of

FOLDER = Path(__file__).parent
PACK = FOLDER / "pack.zip"
EVIDENCE_KEY = second_story.LOG_KEY._replace(name=f"{second_story.ORIGIN}/evidence")
OPENED = (2020, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files as a ZIP, the same bytes each time."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, OPENED), files[name], zipfile.ZIP_DEFLATED)
    return content.getvalue()


def seal(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a list of them that is right, signed with the log's key."""
    about = json.loads(files["pack.json"])
    covered = {name: files[name] for name in files if name not in ("SHA256SUMS", "manifest.txt")}
    sums = "".join(f"{hashlib.sha256(covered[name]).hexdigest()}  {name}\n" for name in sorted(covered, key=str.encode))
    text = f"svc.evidence/2\n{about['organization_id']}\n{about['pin']['chain_hash']}\n{sums}"
    manifest = f"{text}\n{EVIDENCE_KEY.signature(text)}"
    return {**covered, "SHA256SUMS": sums.encode(), "manifest.txt": manifest.encode()}


def with_log(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a log of our own, in which the pack's capture is the third of five entries."""
    chain_hash = bytes.fromhex(json.loads(files["pack.json"])["pin"]["chain_hash"])
    entries = [hashlib.sha256(bytes([number])).digest() for number in range(5)]
    entries[2] = chain_hash
    log = {
        "size": 5,
        "index": 2,
        "path": second_story.path_in([leaf_of(entry) for entry in entries], 2),
        "checkpoint": second_story.checkpoint_over(entries),
    }
    key = f"{second_story.LOG_KEY.line}\n".encode()
    return {**files, "log.json": as_json(log), "log-key.txt": key}


def as_json(value: object) -> bytes:
    """JSON as the pack has it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def taken_from(source: Path) -> dict[str, bytes]:
    """The files of a pack, what is long and proves nothing cut short."""
    with zipfile.ZipFile(source) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["summary.pdf"] = b"%PDF-1.7\n%%EOF\n"
    files["verify.py"] = b"# The verifier: fetch your own.\n"
    return seal(with_log(files))


if __name__ == "__main__":
    PACK.write_bytes(zipped(taken_from(Path(sys.argv[1]))))
