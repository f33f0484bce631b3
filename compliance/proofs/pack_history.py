"""The row versions of a pack: their digests as leaves of the company's tree, and when each was in force."""

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from .errors import PackMalformed
from .forms import is_digest, is_uuid
from .history import ROW_CONSTANT
from .instants import is_hashed_instant
from .pack_archive import Archive
from .pack_json import number, parse_line, text
from .partitions import Partitions

CAUSES = frozenset({"first", "change", "sweep"})
_MEMBERS = frozenset({"sequence", "record_id", "valid_from", "recorded_at", "cause", "logic_version"})
_DIGEST_BYTES = 32
_LEAF_BYTES = _DIGEST_BYTES + len("YYYY-MM-DDTHH:MM:SS.ffffffZ")
_MOST_BLOCKS = 128
_LEAST_BLOCK = 1 << 16
MOST_SEQUENCE = (1 << 39) - 1
"""The largest sequence of a pin: within a block of `Leaves`, a sequence takes four bytes."""

MOST_VERSIONS = 10_000
"""How many versions of one record may have a text; no record has a hundredth of that in one period."""

MOST_TEXT = 1 << 26
"""How many bytes of memory the texts of one record may take: they are held until all of its versions were read."""


class Period(NamedTuple):
    """The first and the last instant of a pack's period, as texts, which sort like instants."""

    start: str
    end: str


class Version(NamedTuple):
    """One row version and its line in the pack; `content` is None where the pack has only its digest."""

    place: str
    sequence: int
    record_id: str
    valid_from: str
    recorded_at: str
    cause: str
    logic_version: int
    content: str | None


class Leaf(NamedTuple):
    """The digest of a row version, and the moment at which the version says that it was captured."""

    digest: bytes
    recorded_at: str


class Leaves:
    """The leaves of the company's tree by sequence, stored in any order and read back in order."""

    def __init__(self, size: int) -> None:
        """`size` is the sequence of the pin: each sequence from 1 to it must be stored exactly once."""
        self.size = size
        self.count = 0
        self._block = max(_LEAST_BLOCK, -(-size // _MOST_BLOCKS))
        self._parts = Partitions(4 + _LEAF_BYTES, -(-size // self._block) if size else 1)

    def __enter__(self) -> "Leaves":
        self._parts.__enter__()
        return self

    def __exit__(self, *fault: object) -> None:
        self._parts.__exit__(None, None, None)

    def put(self, sequence: int, leaf: Leaf) -> None:
        """Stores the leaf of a row version; the sequence must be within 1 and `size`."""
        self.count += 1
        block, offset = divmod(sequence - 1, self._block)
        self._parts.add_to(block, offset.to_bytes(4, "big") + leaf.digest + leaf.recorded_at.encode())

    def in_order(self) -> Iterator[Leaf]:
        """The leaves by sequence. Raises PackMalformed where one is missing or doubled."""
        if self.count != self.size:
            raise PackMalformed("history", f"There are {self.count} row versions, and the pin is at {self.size}.")
        done = 0
        for part in self._parts:
            width = min(self._block, self.size - done)
            leaves, present = bytearray(width * _LEAF_BYTES), bytearray(width)
            for entry in part:
                offset = int.from_bytes(entry[:4], "big")
                if present[offset]:
                    raise PackMalformed("history", f"Row version {done + offset + 1} is there twice.")
                present[offset] = 1
                leaves[offset * _LEAF_BYTES : (offset + 1) * _LEAF_BYTES] = entry[4:]
            missing = present.find(0)
            if missing >= 0:
                raise PackMalformed("history", f"Row version {done + missing + 1} is missing.")
            for at in range(0, len(leaves), _LEAF_BYTES):
                digest, recorded_at = leaves[at : at + _DIGEST_BYTES], leaves[at + _DIGEST_BYTES : at + _LEAF_BYTES]
                yield Leaf(bytes(digest), recorded_at.decode())
            done += width


def read_versions(archive: Archive, register: str, organization_id: str, leaves: Leaves) -> Iterator[Version]:
    """The row versions of a register's history in the order of the pack; stores each one's leaf in `leaves`.

    Raises PackMalformed for a line that is not a row version.
    """
    name = f"history/{register}.jsonl"
    head = f"{ROW_CONSTANT}\n{organization_id}\n"
    for at, line in enumerate(archive.lines(name), 1):
        place = f"{name} line {at}"
        found = parse_line(place, line)
        given = "content" if "content" in found else "content_sha256"
        if found.keys() - {given} != _MEMBERS:
            raise PackMalformed(place, "The line does not have the members of a row version.")
        content = text(place, found, "content") if given == "content" else None
        digest = sha256(content.encode()).hexdigest() if content is not None else text(place, found, given)
        version = Version(
            place,
            number(place, found, "sequence"),
            text(place, found, "record_id"),
            text(place, found, "valid_from"),
            text(place, found, "recorded_at"),
            text(place, found, "cause"),
            number(place, found, "logic_version"),
            content,
        )
        _check_form(version, digest, leaves.size)
        hashed = (
            f"{head}{version.sequence}\n{register}\n{version.record_id}\n{version.valid_from}\n{version.recorded_at}\n"
            f"{version.cause}\n{version.logic_version}\n{digest}"
        )
        leaves.put(version.sequence, Leaf(sha256(hashed.encode()).digest(), version.recorded_at))
        yield version


def _check_form(version: Version, digest: str, size: int) -> None:
    if not 1 <= version.sequence <= size:
        raise PackMalformed(version.place, "sequence is not within the history up to the pin.")
    if not is_uuid(version.record_id) or not is_digest(digest) or version.cause not in CAUSES:
        raise PackMalformed(version.place, "record_id, cause or the digest of the content has a form that no row has.")
    if not is_hashed_instant(version.valid_from) or not is_hashed_instant(version.recorded_at):
        raise PackMalformed(version.place, "valid_from or recorded_at is no instant in the form that is hashed.")


def records(versions: Iterable[Version]) -> Iterator[Iterator[Version]]:
    """The versions of each record, one record after another; read each to its end before the next.

    Raises PackMalformed where the versions of a record are not sorted by `valid_from`, then `sequence`, or have more
    texts than those of any record.
    """
    source = iter(versions)
    ahead = next(source, None)

    def of_one(first: Version) -> Iterator[Version]:
        nonlocal ahead
        before, texts, taken = first, 0, 0
        for each in chain((first,), source):
            if each.record_id != first.record_id:
                ahead = each
                return
            if each is not first and (each.valid_from, each.sequence) <= (before.valid_from, before.sequence):
                raise PackMalformed(each.place, "The versions of a record do not stand by valid_from and sequence.")
            if each.content is not None:
                texts, taken = texts + 1, taken + sys.getsizeof(each.content)
                if texts > MOST_VERSIONS or taken > MOST_TEXT:
                    raise PackMalformed(each.place, "The record has more texts, or larger ones, than any in a period.")
            before = each
            yield each
        ahead = None

    while ahead is not None:
        yield of_one(ahead)


def in_force(
    versions: Iterable[Version], period: Period, others: list[Version]
) -> Iterator[tuple[Version, str | None]]:
    """The versions of a record in force at some instant of the period, each with the moment of the next one.

    Of versions with the same `valid_from`, the last one counts. Other versions that have a text go to `others`. Raises
    PackMalformed when a version in force has no text.
    """
    held: Version | None = None
    for version in versions:
        if held is not None:
            if period.start < version.valid_from > held.valid_from <= period.end:
                yield _with_text(held), version.valid_from
            elif held.content:
                others.append(held)
        held = version
    if held is not None and held.valid_from <= period.end:
        yield _with_text(held), None
    elif held is not None and held.content:
        others.append(held)


def _with_text(version: Version) -> Version:
    if version.content is None:
        raise PackMalformed(version.place, "The text is not there, though this version was in force in the period.")
    return version
