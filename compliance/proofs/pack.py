"""Verification of an evidence pack, `svc.evidence/2`, as docs/evidence-pack.md describes it.

It checks the archive, the list of files and every byte of the files; then, from the leaves to the checkpoint, the row
versions, the company's tree, its captures and the log; and every row of every register against the texts. Memory does
not grow with the pack. Malformed content is a fault with its place, never an exception.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import BinaryIO, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .errors import PackMalformed, ProofError
from .findings import MOST_FAULTS, Check, Report
from .forms import is_digest, is_uuid
from .instants import hashed_instant, is_hashed_instant
from .log import LogCheckpoint
from .log_trust import LogTrust
from .pack_archive import Archive
from .pack_captures import (
    CAPTURES,
    EVIDENCE_CONSTANT,
    LOG,
    MANIFEST,
    SUMS,
    Pin,
    check_captures,
    check_log,
    check_manifest,
)
from .pack_counts import Completeness, Counts
from .pack_history import MOST_SEQUENCE, Leaves, Period, Version, in_force, read_versions, records
from .pack_identities import Identities
from .pack_json import member, number, parse_line, text
from .pack_receipts import Policies
from .pack_registers import FILES, NOT_PROVED, READINGS, REGISTERS, Frame, Listed, Role, content_of, file_of, frame_of
from .pack_rows import RegisterRows
from .pages import JsonObject, printable

PACK = "pack.json"
IDENTITIES = "identities.jsonl"
SUMMARY = "summary.pdf"
_PLAIN = ("README.txt", "log-key.txt", SUMMARY, "verify.py")
_MOST_TEXT = 1 << 20
_MOST_SUMS = 1 << 23
_MOST_COURSES = 200_000
_SUM = re.compile(r"([0-9a-f]{64})  ([!-~]+)")
_POLICY_FILE = re.compile(r"policies/[0-9a-f-]{36}\.html")


class About(NamedTuple):
    """The content of `pack.json`: what the pack is about."""

    pin: Pin
    period: Period
    tenant: dict[str, object]
    registers: dict[str, int]
    completeness: Completeness
    days: tuple[str, str, str]
    """Time zone, first day, last day."""


def verify_pack(file: BinaryIO, name: str, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    """Verify the pack in `file` and report the findings; return the log's checkpoint in it, or None.

    Raises PackUnreadable for what is not a ZIP.
    """
    archive = Archive(file, name)
    found = Report(most=MOST_FAULTS)
    checkpoint: LogCheckpoint | None = None
    for entry, sentence in archive.refusals():
        found.fault(Check.FILE, printable(entry), (), sentence)
    if not found.faults:
        with _stage(Check.FILE, found):
            checkpoint = _verify(archive, trust, found)
    report.add(found)
    return checkpoint


def _verify(archive: Archive, trust: LogTrust, report: Report) -> LogCheckpoint | None:
    checkpoint: LogCheckpoint | None = None
    files, sums = _check_files(archive, report)
    if report.faults:
        return None  # the content is read only if every file is what was packed
    about = _about(archive)
    with _stage(Check.SIGNATURE, report):
        check_manifest(archive, about.pin, sums, trust, report)
    with _stage(Check.LOG, report):
        checkpoint = check_log(archive, about.pin, trust, report)
    if trust.log_key is None:
        report.unchecked.append(f"{archive.name}: no --log-key was given, and anyone could have made this pack up.")
    _check_days(about, report)
    _Contents(archive, about, files, report).check()
    return checkpoint


@contextmanager
def _stage(check: Check, report: Report) -> Iterator[None]:
    """Turns malformed content into a fault of this stage; stages that do not depend on it go on."""
    try:
        yield
    except PackMalformed as fault:
        report.fault(check, printable(fault.place), (), fault.sentence)
    except RecursionError:
        report.fault(check, "The pack", (), "A value is nested too deeply to be read.")
    except ProofError as fault:
        report.fault(check, "The pack", (), str(fault))
    except OverflowError:
        report.fault(check, "The pack", (), "It holds a number that is larger than any of a pack.")


def _check_files(archive: Archive, report: Report) -> tuple[dict[str, str], bytes]:
    """Check that every file is listed once and has the listed digest; return the list. Raises PackMalformed."""
    sums = archive.content(SUMS, _MOST_SUMS)
    listed: dict[str, str] = {}
    *lines, last = sums.split(b"\n")
    for at, line in enumerate(lines, 1):
        match = _SUM.fullmatch(line.decode("ascii", "replace"))
        if match is None or match[2] in listed:
            raise PackMalformed(f"{SUMS} line {at}", "The line is malformed, or its file is listed twice.")
        listed[match[2]] = match[1]
    if last or list(listed) != sorted(listed):
        raise PackMalformed(SUMS, "The list is not sorted, or does not end in a line feed.")
    present = set(archive.entries) - {SUMS, MANIFEST}
    for name in sorted(present - set(listed)):
        report.fault(Check.FILE, name, (), "The file is not listed.")
    for name in sorted(_names(listed) - present):
        report.fault(Check.FILE, name, (), "The file is missing.")
    for name in sorted(set(listed) - _names(listed)):
        report.fault(Check.FILE, printable(name), (), "No pack has such a file.")
    for name in sorted(present & set(listed)):
        with _stage(Check.FILE, report):
            if archive.digest(name) != listed[name]:
                report.fault(Check.FILE, name, (), "This is not the file that was packed.")
    report.holding.append(f"{len(listed)} files are those of the list.")
    return listed, sums


def _names(listed: dict[str, str]) -> set[str]:
    """The files that a pack must have, and those of the listed ones that it may have."""
    fixed = {PACK, LOG, CAPTURES, IDENTITIES, *_PLAIN}
    fixed.update(f"history/{each}.jsonl" for each in REGISTERS)
    fixed.update(f"registers/{each}.{kind}" for each in FILES for kind in ("jsonl", "csv"))
    return fixed | {name for name in listed if _POLICY_FILE.fullmatch(name)}


def _about(archive: Archive) -> About:
    found = parse_line(PACK, archive.content(PACK, _MOST_TEXT))
    if text(PACK, found, "format") != EVIDENCE_CONSTANT:
        raise PackMalformed(PACK, f"The format is not {EVIDENCE_CONSTANT}.")
    text(PACK, found, "company")
    pin, period, counts = (member(PACK, found, name) for name in ("pin", "period", "completeness"))
    tenant = {name: text(PACK, found, name) for name in ("deployment_id", "organization_id", "learning_space_id")}
    chain_hash = text(PACK, pin, "chain_hash")
    start, end = text(PACK, period, "start"), text(PACK, period, "end")
    if not all(map(is_uuid, tenant.values())) or not is_digest(chain_hash):
        raise PackMalformed(PACK, "An identifier or the chain hash has not its form.")
    if not is_hashed_instant(start) or not is_hashed_instant(end) or start > end:
        raise PackMalformed(PACK, "The period does not have two instants in their order.")
    registers = member(PACK, found, "registers")
    if registers.keys() != set(FILES):
        raise PackMalformed(PACK, "registers does not name the registers of a pack.")
    numbers = (number(PACK, pin, "capture_sequence", 1), number(PACK, pin, "sequence"))
    if numbers[1] > MOST_SEQUENCE:
        raise PackMalformed(PACK, "No history is as long as the sequence of the pin says.")
    pinned = Pin(tenant["organization_id"], *numbers, chain_hash)
    snapshot = member(PACK, found, "snapshot")
    if any(snapshot.get(name) != value for name, value in pinned._asdict().items()):
        raise PackMalformed(PACK, "snapshot is not that of the pin.")
    return About(
        pinned,
        Period(start, end),
        dict(tenant),
        {name: number(PACK, registers, name) for name in registers},
        Completeness(*(number(PACK, counts, name) for name in Completeness._fields)),
        (text(PACK, found, "time_zone"), text(PACK, period, "from"), text(PACK, period, "to")),
    )


def _check_days(about: About, report: Report) -> None:
    """Check that the instants of the period are those of its days in the company's time zone."""
    zone_name, first_day, last_day = about.days
    try:
        zone = ZoneInfo(zone_name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        report.unchecked.append(
            f"This machine does not know the time zone {printable(zone_name)}, so it was not checked whether the"
            " period has the whole of its days."
        )
        return
    try:
        first, after = date.fromisoformat(first_day), date.fromisoformat(last_day) + timedelta(days=1)
        start = datetime.combine(first, time(), zone)
        end = datetime.combine(after, time(), zone)
        stated = (hashed_instant(start), hashed_instant(end - timedelta(microseconds=1)))
    except (ValueError, OverflowError):
        report.fault(Check.FORM, PACK, ("period",), "The days of the period are no dates.")
        return
    if stated != tuple(about.period):
        report.fault(Check.FORM, PACK, ("period",), f"In {zone_name} these days are {stated[0]} to {stated[1]}.")


class _Contents:
    """The registers and the history behind them."""

    def __init__(self, archive: Archive, about: About, files: dict[str, str], report: Report) -> None:
        self._archive = archive
        self._about = about
        self._files = files
        self._report = report
        self._courses: set[str] = set()
        self._behind: set[str] = set()
        """`_courses`: the course versions of the history; `_behind`: those that a training record names (`_source`)."""

    def check(self) -> None:
        """Reads every register's history once, together with the register's files."""
        report, about = self._report, self._about
        with (
            Leaves(about.pin.sequence) as leaves,
            Counts() as counts,
            Policies(self._files) as policies,
            _stage(Check.HISTORY, report),
            Identities(self._archive, IDENTITIES) as identities,
        ):
            self._read_courses()
            for register in REGISTERS:
                self._check_register(register, leaves, counts, policies, identities)
            identities.end(report)
            if check_captures(self._archive, about.pin, leaves.in_order(), report):
                report.holding.append(
                    f"{about.pin.sequence} row versions are the leaves of the tree at capture"
                    f" {about.pin.capture_sequence}, and the captures up to it are one chain."
                )
            self._check_across(counts, policies, identities)
            report.notes.append(f"Not proved, only as the signed list of files has it: {NOT_PROVED}.")

    def _check_register(
        self, register: str, leaves: Leaves, counts: Counts, policies: Policies, identities: Identities
    ) -> None:
        report, period = self._report, self._about.period
        before = report.total
        files = [RegisterRows(self._archive, reading, self._about.tenant, report) for reading in READINGS[register]]
        for versions in records(read_versions(self._archive, register, self._about.pin.organization_id, leaves)):
            first = next(versions)
            counts.record(register, first.record_id)
            others: list[Version] = []
            frames = [
                frame_of(register, version, until)
                for version, until in in_force(chain((first,), versions), period, others)
            ]
            with_text = chain(frames, (frame_of(register, version, None) for version in others))
            if files[0].reading.role is Role.OWED:
                self._note_sources(with_text)
            elif files[0].reading.role is Role.PERSON:
                identities.person(first.record_id, with_text)
            for rows in files:
                listed = rows.reading.lists(frames, period)
                if listed is None or (rows.reading.role is Role.COURSE and not self._lists_course(rows, listed)):
                    continue
                row = rows.take(listed)
                if row is None:
                    continue
                counts.row(rows.reading, listed, row, rows.count, report)
                identities.check(rows.reading, listed, row, rows.count, report)
                if rows.reading.role is Role.POLICY:
                    policies.version(f"registers/{register}.jsonl", rows.count, JsonObject(row), report)
                elif rows.reading.role is Role.RECEIPT:
                    policies.receipt(f"registers/{register}.jsonl", rows.count, JsonObject(row), report)
        for rows in files:
            rows.end()
            stated = self._about.registers[rows.reading.file]
            if not rows.broken and rows.count != stated:
                sentence = f"{PACK} says {stated} rows, and there are {rows.count}."
                report.fault(Check.COUNT, f"registers/{rows.reading.file}.jsonl", (), sentence)
            if report.total == before:
                report.holding.append(
                    f"{rows.reading.file}: {rows.count} rows are all that the history lists, field by field."
                )

    def _read_courses(self) -> None:
        """Reads all course versions first: there are few, and training records need them."""
        register = file_of(Role.COURSE)
        for at, line in enumerate(self._archive.lines(f"history/{register}.jsonl"), 1):
            place = f"history/{register}.jsonl line {at}"
            found = parse_line(place, line)
            if found.get("content"):
                version = Version(place, 0, "", "", "", "", 0, text(place, found, "content"))
                self._courses.add(_source(content_of(register, version)[0]))
            if len(self._courses) > _MOST_COURSES:
                raise PackMalformed(place, "There are more course versions than any company has.")

    def _lists_course(self, rows: RegisterRows, listed: Listed) -> bool:
        """Whether a training record is behind a course version.

        If a lesson was shared alone, a record names only the course, so the pack decides which of the lessons it lists.
        """
        if _source(listed.fields) not in self._behind:
            return False
        return listed.fields.get("course_release_id") is not None or rows.is_next(listed)

    def _note_sources(self, frames: Iterable[Frame]) -> None:
        """Notes the course versions that a training record names."""
        for frame in frames:
            if frame.fields is not None and (source := _source(frame.fields)) in self._courses:
                self._behind.add(source)

    def _check_across(self, counts: Counts, policies: Policies, identities: Identities) -> None:
        """Makes the comparisons across records and registers, after all were read."""
        report = self._report
        before = report.total
        counts.check_records(report)
        counts.check_owed(report)
        policies.check_cycles(report)
        identities.check_erased(report)
        surplus = sum(1 for name in self._files if _POLICY_FILE.fullmatch(name)) - policies.versions
        if surplus > 0:
            report.fault(Check.DOCUMENT, "policies", (), f"{surplus} policy files are of no policy version.")
        counted = counts.completeness(report)
        if counted != self._about.completeness:
            sentence = (
                f"Counted anew, completeness is {_words(counted)}, and it says {_words(self._about.completeness)}."
            )
            report.fault(Check.COUNT, PACK, ("completeness",), sentence)
        unknown = counts.check_names(report)
        if report.total > before:
            return
        report.holding.append(f"{_words(counted)}.")
        report.holding.append(
            f"{policies.versions} policy versions and their files, {policies.receipts} receipts: every digest holds,"
            " and their chain."
        )
        report.holding.append(
            f"{identities.proved} rows of people and certificates bear the name that the history commits to."
        )
        if identities.erased:
            report.notes.append(
                f"{identities.erased} rows of people and certificates name nobody: the history shows that the person"
                " was erased."
            )
        if identities.unproved or unknown:
            report.notes.append(
                f"Names without a commitment in this pack: {identities.unproved} rows of people and certificates, and"
                f" {unknown} rows of people whom the people register does not name."
            )


def _source(fields: Mapping[str, object]) -> str:
    """What a training record or a course version is about: a release or, for a lesson shared alone, the course."""
    release = fields.get("course_release_id")
    return f"release {release}" if release is not None else f"course {fields.get('course_id')}"


def _words(counted: Completeness) -> str:
    return "{people} people = {owing} owing + {excused} excused + {none_owed} none owed".format(**counted._asdict())
