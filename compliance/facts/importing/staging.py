"""Where the lines of a file wait, told apart by kind, until all of it is read.

Memory is bounded by construction: of each line stays an entry of a few hundred bytes; what it says stays parsed for the
first `KEPT_LINES` short lines and in a temporary file, without a name, for all others.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from types import TracebackType
from typing import BinaryIO, Self

from compliance.facts.lines import KINDS, FactLine
from compliance.facts.lines.digests import digest
from compliance.facts.lines.reading import ReadLine, RefusedLine
from compliance.facts.reasons import RefusalReason
from compliance.facts.recording import Staged

KEPT_LINES = 50_000
LONG_LINE_BYTES = 16 * 1024
BATCH_LINES = 5_000
BATCH_BYTES = 16 * 1024 * 1024

# (at, fact_id as a number, number, digest, length, place in the temporary file, the line itself or None)
_Entry = tuple[datetime, int, int, bytes, int, int, FactLine | None]


class Staging:
    """The lines read so far. Use as a context manager: it may own a temporary file."""

    def __init__(self) -> None:
        self.facts: Counter[str] = Counter()
        self.repeated = 0
        self.erased_at: dict[object, datetime] = {}
        self._entries: dict[str, list[_Entry]] = {kind: [] for kind in KINDS}
        self._seen: dict[int, _Entry] = {}
        self._given_up: set[int] = set()
        self._kept = 0
        self._spool: BinaryIO | None = None  # made when the first line goes there
        self._place = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._spool is not None:
            self._spool.close()

    def add(self, read: ReadLine) -> RefusedLine | None:
        """Stages a line. A fact_id that comes again with the same content counts once.

        With other content, one of the two is a fault: the one whose digest is greater, so that their order in the file
        decides nothing.
        """
        number, content, line = read
        kind = line.fact
        self.facts[kind] += 1
        line_digest = digest(line)
        key = line.fact_id.int
        fault = None
        before = self._seen.get(key)
        if before is not None:
            _, _, its_number, its_digest, *_ = before
            if its_digest == line_digest:
                self.repeated += 1
                return None
            fault = RefusedLine(
                number if line_digest > its_digest else its_number,
                RefusalReason.REUSED,
                "fact_id: stands in the file with other content.",
                str(line.fact_id),
                kind,
            )
            if line_digest > its_digest:
                return fault
            self._given_up.add(its_number)
        if kind == "person_erased":
            profile_id = line.learner_profile_id  # type: ignore[attr-defined]
            self.erased_at[profile_id] = min(self.erased_at.get(profile_id, line.at), line.at)
        length = len(content)
        kept: FactLine | None = None
        place = self._place
        if self._kept < KEPT_LINES and length <= LONG_LINE_BYTES:
            self._kept += 1
            kept = line
        else:
            self._set_aside(content)
        self._seen[key] = entry = (line.at, key, number, line_digest, length, place, kept)
        self._entries[kind].append(entry)
        return fault

    def _set_aside(self, content: bytes) -> None:
        if self._spool is None:
            self._spool = tempfile.TemporaryFile()  # noqa: SIM115
        self._spool.write(content)
        self._place += len(content)

    def batches(self, kind: str) -> Iterator[list[Staged]]:
        """The lines of a kind in order of (`at`, `fact_id`), in batches bounded by count and bytes."""
        entries = self._entries[kind]
        entries.sort()
        validate = KINDS[kind].__pydantic_validator__.validate_json
        batch: list[Staged] = []
        size = 0
        for _, _, number, line_digest, length, place, line in entries:
            if number in self._given_up:
                continue
            if batch and (len(batch) >= BATCH_LINES or size + length > BATCH_BYTES):
                yield batch
                batch, size = [], 0
            if line is None:
                assert self._spool is not None
                self._spool.seek(place)
                line = validate(self._spool.read(length))
            batch.append(Staged(number, line, line_digest))
            size += length
        if batch:
            yield batch
