"""Sorting without memory: entries parted by key into parts that are small enough to be looked at one at a time.

What must be compared across a whole pack (that no record is there twice, that the rows of one person are counted right)
would take memory in proportion to the pack if it were kept in tables. Here each entry is a few bytes; beyond a few
mebibytes they lie in temporary files without a name.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType

PARTS = 64
_HELD = 1 << 12
_IN_MEMORY = 1 << 17


class Partitions:
    """Entries of one width in `parts` parts. Used as a context: what it wrote is gone when it ends."""

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
        """Adds an entry to the part of its key. Python's own hash is seeded anew in each process: nobody can aim at
        one part."""
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
        """The parts, each as its entries."""
        return (self.part(number) for number in range(len(self._parts)))
