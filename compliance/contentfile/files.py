"""The files of a package, read from an untrusted folder or zip.

Nothing is unpacked to disk. Names must be plain relative paths, links and devices are refused, and sizes are limited
both as declared and as read.
"""

import os
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path as FilePath
from typing import IO, Final, Protocol

from compliance.contentfile import limits
from compliance.contentfile.errors import ContentFileError, PackageUnreadable
from compliance.contentfile.faults import EnoughFaults, FaultCode, Report, quoted
from compliance.contentfile.manifest import is_safe_path

_CHUNK: Final = 1 << 20
_ZIP_FAULTS: Final = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    UnicodeError,
    ValueError,
    OSError,
)
"""What Python's zip reader raises for a damaged zip."""


class FileFaulty(ContentFileError):
    """One file of a package could not be read to its end; the caller reports it with the file's name."""

    def __init__(self, code: FaultCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class PackageFiles(Protocol):
    """The files of a package by name; `sizes` are in bytes."""

    sizes: dict[str, int]

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file in pieces, in all no more than `sizes` states; raises `FileFaulty`."""
        ...


def read_all(files: PackageFiles, name: str) -> bytes:
    """All bytes of a file; raises `FileFaulty`."""
    return b"".join(files.chunks(name))


class FolderFiles:
    """A package as a folder."""

    def __init__(self, root: FilePath, report: Report) -> None:
        self.root = root
        self.sizes: dict[str, int] = {}
        self._report = report
        self._full = False
        try:
            with suppress(EnoughFaults):
                self._collect(root, "", 1)
                _check_names(list(self.sizes), report)
                if _is_too_large(sum(self.sizes.values()), report):
                    self.sizes.clear()
        except OSError as error:
            raise PackageUnreadable(f"The folder {quoted(str(root))} cannot be read: {error.strerror}.") from error

    def _collect(self, folder: FilePath, prefix: str, depth: int) -> None:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
        for entry in ordered:
            name = prefix + entry.name
            if self._full:
                return
            if entry.is_symlink():
                _link(name, self._report)
            elif entry.is_dir(follow_symlinks=False):
                if depth >= limits.FOLDER_DEPTH:
                    _unsafe(name, self._report)
                    continue
                self._collect(FilePath(entry.path), name + "/", depth + 1)
            elif not entry.is_file(follow_symlinks=False):
                _special(name, self._report)
            elif not is_safe_path(name):
                _unsafe(name, self._report)
            elif len(self.sizes) >= limits.PACKAGE_FILES:
                self._full = True
                self.sizes.clear()
                _too_many(self._report)
            else:
                self.sizes[name] = entry.stat(follow_symlinks=False).st_size

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file in pieces."""
        left = self.sizes[name]
        try:
            # Should the file have become a link or a pipe since it was listed, this fails instead of following it.
            handle = os.open(self.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as opened:
                while left > 0 and (chunk := opened.read(min(_CHUNK, left))):
                    left -= len(chunk)
                    yield chunk
        except OSError as error:
            raise PackageUnreadable(f"{quoted(name)} cannot be read: {error.strerror}.") from error


class ZipFiles:
    """A package as a zip. Stays open until `close`."""

    def __init__(self, path: FilePath, report: Report) -> None:
        self.sizes: dict[str, int] = {}
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self._archive: zipfile.ZipFile | None = None
        try:
            self._file: IO[bytes] = path.open("rb")
        except OSError as error:
            raise PackageUnreadable(f"The file {quoted(str(path))} cannot be read: {error.strerror}.") from error
        try:
            self._size = self._file.seek(0, os.SEEK_END)
            reason = _directory_fault(self._file)
            if reason:
                code = FaultCode.PACKAGE_TOO_LARGE if "larger" in reason else FaultCode.INVALID_ZIP
                report.add(code, (), reason)
                return
            self._archive = zipfile.ZipFile(self._file)
        except _ZIP_FAULTS as error:
            report.add(FaultCode.INVALID_ZIP, (), f"This is no sound zip ({_one_line(error)}); make it anew.")
            return
        with suppress(EnoughFaults):
            self._collect(self._archive, report)

    def _collect(self, archive: zipfile.ZipFile, report: Report) -> None:
        names: list[str] = []
        total = 0
        infos = archive.infolist()
        if len(infos) > limits.PACKAGE_FILES:
            _too_many(report)
            return
        for info in infos:
            name = info.orig_filename
            kind = stat.S_IFMT(info.external_attr >> 16)
            total += info.file_size
            if kind == stat.S_IFLNK:
                _link(name, report)
            elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                _special(name, report)
            elif not is_safe_path(name.removesuffix("/")):
                _unsafe(name, report)
            elif name.endswith("/"):
                continue
            elif info.flag_bits & 0x1:
                report.add(
                    FaultCode.ZIP_ENCRYPTED,
                    (),
                    f"{quoted(name)} is encrypted; make the zip without a password.",
                    file=name,
                )
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                report.add(
                    FaultCode.ZIP_COMPRESSION,
                    (),
                    f"{quoted(name)} is compressed in an unusual way; use deflate or store.",
                    file=name,
                )
            else:
                names.append(name)
                self.sizes[name] = info.file_size
                self._entries[name] = info
        _check_names(names, report)
        if _is_too_large(total, report) or _is_bomb(total, self._size, report):
            self.sizes.clear()

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file in pieces: as many as the zip declares, with its CRC."""
        if self._archive is None:
            raise FileFaulty(FaultCode.INVALID_ZIP, "The zip is closed.")
        try:
            left = self.sizes[name]
            with self._archive.open(self._entries[name]) as opened:
                while chunk := opened.read(_CHUNK):
                    left -= len(chunk)
                    yield chunk
            if left:  # Python's reader compares only the CRC
                raise zipfile.BadZipFile("File is shorter than its declared size")
        except _ZIP_FAULTS as error:
            raise FileFaulty(
                FaultCode.INVALID_ZIP, f"{quoted(name)} cannot be unpacked ({_one_line(error)}); make the zip anew."
            ) from error

    def close(self) -> None:
        """Closes the file."""
        if self._archive is not None:
            self._archive.close()
        self._file.close()


def _directory_fault(file: IO[bytes]) -> str:
    """Why the zip's directory is refused, or an empty text. Limits the work before Python's reader begins."""
    file.seek(0, os.SEEK_END)
    size = file.tell()
    if size > limits.ZIP_BYTES:
        return f"The zip has {size:,} bytes and is larger than the {limits.ZIP_BYTES:,} that are read."
    tail_size = min(size, 22 + 65_535 + 20)
    file.seek(size - tail_size)
    tail = file.read(tail_size)
    file.seek(0)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) - end < 22:
        return "This is no zip; zip the files of the package."
    directory_bytes = struct.unpack_from("<I", tail, end + 12)[0]
    if directory_bytes > limits.ZIP_DIRECTORY_BYTES or b"PK\x06\x07" in tail[max(0, end - 20) : end]:
        return "This zip lists more files than a package may have; make it anew with the files of the package only."
    return ""


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())[:100]
    return text.encode("ascii", "backslashreplace").decode("ascii") or type(error).__name__


def _link(name: str, report: Report) -> None:
    report.add(FaultCode.LINK_IN_PACKAGE, (), f"{quoted(name)} is a link; put the file itself there.", file=name)


def _special(name: str, report: Report) -> None:
    report.add(FaultCode.SPECIAL_FILE, (), f"{quoted(name)} is no ordinary file; remove it.", file=name)


def _unsafe(name: str, report: Report) -> None:
    report.add(
        FaultCode.UNSAFE_PATH,
        (),
        f"{quoted(name)} is no plain path inside the package; write one such as media/plan.png.",
        file=name,
    )


def _too_many(report: Report) -> None:
    report.add(FaultCode.TOO_MANY_FILES, (), f"The package has more than {limits.PACKAGE_FILES:,} files; remove some.")


def _check_names(names: list[str], report: Report) -> None:
    seen: dict[str, str] = {}
    for name in names:
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen:
            other = seen[folded]
            same = (
                "occurs twice in the package" if other == name else f"and {quoted(other)} are one name on some systems"
            )
            report.add(FaultCode.NAME_COLLISION, (), f"{quoted(name)} {same}; rename one.", file=name)
        else:
            seen[folded] = name


def _is_bomb(total: int, zipped: int, report: Report) -> bool:
    if total <= limits.BOMB_BYTES or total <= limits.BOMB_RATIO * zipped:
        return False
    report.add(
        FaultCode.ZIP_BOMB,
        (),
        f"The zip of {zipped:,} bytes would unpack to {total:,}; no real course does, so nothing of it is read.",
    )
    return True


def _is_too_large(total: int, report: Report) -> bool:
    if total <= limits.PACKAGE_BYTES:
        return False
    report.add(
        FaultCode.PACKAGE_TOO_LARGE,
        (),
        f"The files have {total:,} bytes unpacked; a package has at most {limits.PACKAGE_BYTES:,}.",
    )
    return True
