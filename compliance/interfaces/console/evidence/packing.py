"""Writes a folder as a ZIP with the same bytes each time: sorted, with fixed times, at zlib's default level.

SHA256SUMS, in the form that `sha256sum -c` reads, lists every other file except the note that signs it, so its digest
identifies the pack.
"""

import hashlib
import shutil
import zipfile
from pathlib import Path

LIST = "SHA256SUMS"
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)


def write_list(folder: Path) -> str:
    """Writes SHA256SUMS into `folder`. Returns its SHA-256."""
    lines = []
    for path in _files(folder):
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        lines.append((path.relative_to(folder).as_posix(), digest))
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(lines)).encode()
    (folder / LIST).write_bytes(text)
    return hashlib.sha256(text).hexdigest()


def write_zip(folder: Path, output: Path) -> None:
    """Packs `folder` into `output`."""
    names = sorted(path.relative_to(folder).as_posix() for path in _files(folder))
    with zipfile.ZipFile(output, "w", allowZip64=True) as pack:
        for name in names:
            entry = zipfile.ZipInfo(name, FIRST_MOMENT)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.file_size = (folder / name).stat().st_size
            with (folder / name).open("rb") as content, pack.open(entry, "w") as target:
                shutil.copyfileobj(content, target, 1 << 20)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
