"""A whole course package, folder or zip: manifest, content, words and media checked against each other."""

import hashlib
import io
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import IO, Any, Final

from compliance.contentfile import limits, places, source
from compliance.contentfile.content import walk_content
from compliance.contentfile.errors import MediaNotInPackage, PackageFaulty, PackageUnreadable
from compliance.contentfile.faults import EnoughFaults, Fault, FaultCode, Path, Report, quoted
from compliance.contentfile.files import FileFaulty, FolderFiles, PackageFiles, ZipFiles, read_all
from compliance.contentfile.fingerprint import (
    LessonFingerprint,
    content_sha256,
    lesson_fingerprints,
    package_sha256,
)
from compliance.contentfile.identifiers import is_sha256
from compliance.contentfile.manifest import (
    MEDIA_TYPES,
    SIGNATURE_BYTES,
    ManifestWalk,
    has_signature,
    walk_manifest,
)
from compliance.contentfile.references import numbered_objects, resolve
from compliance.contentfile.walk import Walk
from compliance.contentfile.words import check_addresses, check_resolution, check_titles, walk_words

MANIFEST: Final = "manifest.json"
CONTENT: Final = "content.json"


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A media file of a checked package; `size` in bytes, `description` a text id."""

    id: str
    kind: str
    file: str
    type: str
    size: int
    sha256: str
    description: str | None


@dataclass(frozen=True, slots=True)
class CheckedPackage:
    """The result of checking a package. The parts are empty where a fault keeps it from being published.

    `words` maps language to text id to string, in the manifest's order of languages (the first is the default).
    """

    path: FilePath
    manifest: dict[str, Any] | None
    content: dict[str, Any] | None
    words: Mapping[str, Mapping[str, str]]
    media: tuple[MediaFile, ...]
    faults: tuple[Fault, ...]
    fault_count: int

    @property
    def ok(self) -> bool:
        """Whether the package may be published; warnings may remain."""
        return self.content is not None

    @property
    def content_sha256(self) -> str:
        """The fingerprint of the content file."""
        return content_sha256(self._sound_content())

    @property
    def package_sha256(self) -> str:
        """The fingerprint of content, words and media together."""
        return package_sha256(self._sound_content(), self.words, {item.id: item.sha256 for item in self.media})

    @property
    def lesson_fingerprints(self) -> tuple[LessonFingerprint, ...]:
        """Each lesson's fingerprint in reading order."""
        return lesson_fingerprints(self._sound_content())

    def text(self, text_id: str, language: str | None = None) -> str:
        """The words of a text id, in the default language unless another is named."""
        self._sound_content()
        return self.words[language or next(iter(self.words))][text_id]

    @property
    def title(self) -> str:
        """The course's title in the default language."""
        self._sound_content()
        assert self.manifest is not None
        return self.text(self.manifest["title"])

    def read_media(self, media_id: str) -> bytes:
        """The bytes of a media file; raises `MediaNotInPackage` if it is unknown or has changed since the check."""
        copied = io.BytesIO()
        self.copy_media(media_id, copied)
        return copied.getvalue()

    def copy_media(self, media_id: str, output: IO[bytes]) -> None:
        """Writes a media file to `output` in pieces. Raises as `read_media`; discard then what was written."""
        item = next((item for item in self.media if item.id == media_id), None)
        if item is None:
            raise MediaNotInPackage(f"The package defines no media {quoted(media_id)}.")
        try:
            digest = hashlib.sha256()
            with open_files(self.path, Report()) as files:
                for chunk in files.chunks(item.file) if files.sizes.get(item.file) == item.size else ():
                    digest.update(chunk)
                    output.write(chunk)
        except (FileFaulty, PackageUnreadable) as error:
            raise MediaNotInPackage(str(error)) from error
        if digest.hexdigest() != item.sha256:
            raise MediaNotInPackage(f"The media {quoted(media_id)} has changed since the package was checked.")

    def _sound_content(self) -> dict[str, Any]:
        if self.content is None:
            raise PackageFaulty("The package has faults; mend them first.")
        return self.content


@dataclass(slots=True)
class _File:
    """One JSON file of the package during the check."""

    name: str
    report: Report = field(default_factory=Report)
    document: source.Document | None = None
    faults: list[Fault] | None = None

    @property
    def value(self) -> Any:
        """The parsed value, None when the bytes could not be parsed."""
        return self.document.value if self.document is not None and self.document.readable else None

    def placed(self) -> list[Fault]:
        """The faults with their places. The first call ends the check of this file and releases its text."""
        if self.faults is None:
            self.faults = places.place(self.report.found, self.document, self.name)
            if self.document is not None:
                self.document.text = ""
        return self.faults


def check_package(path: str | FilePath) -> CheckedPackage:
    """Check a package folder or zip. Raises `PackageUnreadable` where nothing can be read, and no other error."""
    path = FilePath(path)
    report = Report()
    with open_files(path, report) as files:
        return _Check(path, files, report).result()


@contextmanager
def open_files(path: FilePath, report: Report) -> Iterator[PackageFiles]:
    """The files of a package folder or zip; faults of the files themselves go into the report."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        raise PackageUnreadable(f"{quoted(str(path))} cannot be read: {_reason(error)}.") from error
    if stat.S_ISDIR(mode):
        yield FolderFiles(path, report)
    elif stat.S_ISREG(mode):
        with closing(ZipFiles(path, report)) as files:
            yield files
    else:
        raise PackageUnreadable(f"{quoted(str(path))} is neither a file nor a folder.")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "no such name can exist"


class _Check:
    """One pass over one package."""

    def __init__(self, path: FilePath, files: PackageFiles, report: Report) -> None:
        self.path = path
        self.files = files
        self.report = report
        self.manifest = _File(MANIFEST)
        self.content = _File(CONTENT)
        self.words: dict[str, _File] = {}
        self.texts: dict[str, dict[str, str]] = {}
        self.media: list[MediaFile] = []
        self.digests: dict[str, tuple[str, bytes]] = {}
        if files.sizes or not report.errors:
            with suppress(EnoughFaults):
                self._check()

    def _check(self) -> None:
        if self._read(self.manifest, (), None):
            self._check_with_manifest()
        elif CONTENT in self.files.sizes and self._read(self.content, (), None):
            walk_content(self.content.value, self.content.report)

    def result(self) -> CheckedPackage:
        """The result, faults in the order package, manifest, content, words."""
        parts = [self.manifest, self.content, *self.words.values()]
        faults = places.place(self.report.found, None)
        for part in parts:
            faults.extend(part.placed())
        sound = self._is_sound()
        return CheckedPackage(
            path=self.path,
            manifest=self.manifest.value if sound else None,
            content=self.content.value if sound else None,
            words=self.texts if sound else {},
            media=tuple(self.media) if sound else (),
            faults=tuple(faults[: limits.FAULTS_LISTED]),
            fault_count=self.report.count + sum(part.report.count for part in parts),
        )

    def _is_sound(self) -> bool:
        """Whether no error was found until now."""
        reports = [self.report, *(part.report for part in (self.manifest, self.content, *self.words.values()))]
        return not any(report.errors for report in reports)

    def _read(self, part: _File, named_at: Path, by: Report | None) -> bool:
        """Read and parse one JSON file; returns whether there is a value to walk."""
        limit = limits.MANIFEST_BYTES if part is self.manifest else limits.JSON_BYTES
        size = self.files.sizes.get(part.name)
        if size is None:
            at_top = " at its top (zip the files, not the folder around them)."
            where = at_top if by is None else " or correct the name."
            message = f"The file {quoted(part.name)} is not in the package; add it{where}"
            (by or self.report).add(FaultCode.MISSING_FILE, named_at, message)
            return False
        if source.is_too_large(size, part.report, limit):
            return False
        try:
            data = read_all(self.files, part.name)
        except FileFaulty as error:
            self.report.add(error.code, (), str(error))
            return False
        part.document = source.parse(data, part.report, limit=limit)
        return part.document.readable

    def _check_with_manifest(self) -> None:
        manifest = self.manifest.value
        walk = walk_manifest(manifest, self.manifest.report)
        if not isinstance(manifest, dict):
            return
        content_walk: Walk | None = None
        name = manifest.get("content", CONTENT)
        if isinstance(name, str) and (name in walk.files or "content" not in manifest):
            self.content.name = name
            if self._read(self.content, ("content",) if "content" in manifest else (), self.manifest.report):
                content_walk = walk_content(self.content.value, self.content.report)
        with suppress(EnoughFaults):
            if content_walk is not None:
                resolve(walk, content_walk, manifest, self.content.report)
        self.content.placed()
        with suppress(EnoughFaults):
            self._check_media(manifest, walk)
        with suppress(EnoughFaults):
            self._check_words(manifest, walk, content_walk)
        self._check_leftovers(walk)

    def _check_media(self, manifest: Mapping[str, Any], walk: ManifestWalk) -> None:
        report = self.manifest.report
        for path, item in numbered_objects(("media",), manifest.get("media")):
            name = item.get("file")
            if not isinstance(name, str) or name not in walk.files:
                continue
            size = self.files.sizes.get(name)
            if size is None:
                message = f"The file {quoted(name)} is not in the package; add it or correct the name."
                report.add(FaultCode.MISSING_FILE, (*path, "file"), message)
                continue
            if size > limits.MEDIA_BYTES:
                message = f"{quoted(name)} has {size:,} bytes; a media file has at most {limits.MEDIA_BYTES:,}."
                report.add(FaultCode.MEDIA_TOO_LARGE, (*path, "file"), message)
                continue
            self._check_media_bytes(path, item, name, size)

    def _check_media_bytes(self, path: Path, item: Mapping[str, Any], name: str, size: int) -> None:
        report = self.manifest.report
        if name not in self.digests:
            self.digests[name] = self._digest(name)
        sha256, start = self.digests[name]
        if not sha256:
            return
        if type(item.get("bytes")) is int and item["bytes"] != size and item["bytes"] <= limits.MEDIA_BYTES:
            report.add(
                FaultCode.MEDIA_BYTES,
                (*path, "bytes"),
                f"{quoted(name)} has {size} bytes; correct the number or the file.",
            )
        stated = item.get("sha256")
        if isinstance(stated, str) and is_sha256(stated) and stated != sha256:
            report.add(
                FaultCode.MEDIA_SHA256,
                (*path, "sha256"),
                f"{quoted(name)} has the SHA-256 {sha256}; correct the digest or the file.",
            )
        media_type = item.get("type")
        if (
            isinstance(media_type, str)
            and any(media_type in types for types in MEDIA_TYPES.values())
            and not has_signature(media_type, start)
        ):
            report.add(
                FaultCode.MEDIA_SIGNATURE,
                (*path, "type"),
                f"{quoted(name)} does not begin like {quoted(media_type)}; correct the type or the file.",
            )
        if report.errors == 0:
            self.media.append(
                MediaFile(item["id"], item["kind"], name, item["type"], size, stated or "", item.get("description"))
            )

    def _digest(self, name: str) -> tuple[str, bytes]:
        """The SHA-256 and the first bytes of a file, read once however many entries name it; empty if unreadable."""
        digest = hashlib.sha256()
        start = b""
        try:
            for chunk in self.files.chunks(name):
                if len(start) < SIGNATURE_BYTES:
                    start += chunk[:SIGNATURE_BYTES]
                digest.update(chunk)
        except FileFaulty as error:
            self.report.add(error.code, (), str(error))
            return "", b""
        return digest.hexdigest(), start

    def _check_words(self, manifest: Mapping[str, Any], walk: ManifestWalk, content_walk: Walk | None) -> None:
        used: dict[str, Mapping[str, Path]] = {MANIFEST: walk.texts}
        if content_walk is not None:
            used[self.content.name] = content_walk.texts
        complete = content_walk is not None and self.content.report.errors == 0 and self.manifest.report.errors == 0
        listed = manifest.get("words")
        if not isinstance(listed, dict) or len(listed) > limits.LANGUAGES:
            return
        if self._words_are_too_large(listed):
            return
        languages = manifest.get("languages")
        order = [name for name in languages if isinstance(name, str)] if isinstance(languages, list) else []
        for language in sorted(listed, key=lambda name: (order.index(name) if name in order else len(order), name)):
            name = listed[language]
            if not isinstance(name, str) or name not in walk.files:
                continue
            if any(part.name == name for part in self.words.values()):
                self.manifest.report.add(
                    FaultCode.WRONG_LANGUAGE,
                    ("words", language),
                    f"The file {quoted(name)} is listed for another language too; write one file for each.",
                )
                continue
            part = self.words[language] = _File(name)
            if not self._read(part, ("words", language), self.manifest.report):
                continue
            texts = walk_words(part.value, language, part.report)
            with suppress(EnoughFaults):
                if isinstance(part.value, dict) and isinstance(part.value.get("words"), dict):
                    check_resolution(texts, used, part.report, complete=complete)
                if language in order[:1]:  # the language whose titles are recorded
                    check_titles(texts, {**walk.titles, **(content_walk.titles if content_walk else {})}, part.report)
                if content_walk is not None:
                    check_addresses(texts, content_walk.emails, content_walk.urls, part.report)
            # Only the words are kept of a file, and only while the package may be published: there may be 64 of them.
            part.placed()
            part.document = None
            self.texts[language] = texts
            if not self._is_sound():
                self.texts.clear()

    def _words_are_too_large(self, listed: Mapping[str, object]) -> bool:
        """Whether the words files have too many bytes in all; reported if so, and none is read."""
        total = sum(
            self.files.sizes.get(name, 0) for name in {each for each in listed.values() if isinstance(each, str)}
        )
        if total > limits.WORDS_BYTES_IN_ALL:
            self.manifest.report.add(
                FaultCode.TOO_LARGE,
                ("words",),
                f"The words files have {total:,} bytes in all; at most {limits.WORDS_BYTES_IN_ALL:,} are read. "
                "Shorten them or split the course.",
            )
        return total > limits.WORDS_BYTES_IN_ALL

    def _check_leftovers(self, walk: ManifestWalk) -> None:
        if self.manifest.report.errors or self.report.errors:
            return
        for name in self.files.sizes:
            if name != MANIFEST and name not in walk.files:
                self.report.add(
                    FaultCode.UNUSED_FILE, (), f"The manifest does not name {quoted(name)}; remove the file."
                )
