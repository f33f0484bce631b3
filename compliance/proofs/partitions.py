"""Partitions entries by key, so that each part is small enough to be read into memory alone.

Comparisons across a whole pack (that no record occurs twice, that one person's rows are counted correctly) would take
memory in proportion to the pack if they used dictionaries. Here each entry has a few bytes; beyond a few mebibytes
entries are in unnamed temporary files.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType

PARTS = 64
_HELD = 1 << 12
_IN_MEMORY = 1 << 17


class Partitions:
    """Entries of one width in `parts` parts. Used as a context manager, at whose end its files are deleted."""

    def __init__(self, width: int, parts: int = PARTS) -> None:
        self.width = width
        self._files = ExitStack()
        self._parts = [
            self._files.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 - the stack closes it
            for _ in range(parts)
        ]
        self._held = [bytearray() for _ in range(parts)]

    def __enter__(self) -> "Partitions":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    def add(self, key: bytes, payload: bytes = b"") -> None:
        """Adds an entry to the part of its key. Python's hash has a new seed in each process, so nobody can choose keys
        of the same part."""
        self.add_to(hash(key) % len(self._parts), key + payload)

    def add_to(self, part: int, entry: bytes) -> None:
        """Adds an entry to a part."""
        held = self._held[part]
        held += entry
        if len(held) >= _HELD:
            self._parts[part].write(held)
            held.clear()

    def part(self, number: int) -> Iterator[bytes]:
        """The entries of one part, in the order in which they were added."""
        file = self._parts[number]
        file.write(self._held[number])
        self._held[number].clear()
        file.seek(0)
        size = self.width * 4096
        while block := file.read(size):
            for at in range(0, len(block), self.width):
                yield block[at : at + self.width]

    def __iter__(self) -> Iterator[Iterator[bytes]]:
        """Yields the entries of each part."""
        return (self.part(number) for number in range(len(self._parts)))
