"""Bounds what a failing storage costs: work goes on past objects that it refuses, not past a storage that is away."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from compliance.files.errors import FilesError, StorageFailedError

MOST = 100
"""Failures of one storage, at most. One that refuses an object answers at once."""
SLOW_SECONDS = 10.0
"""How long failures of one storage may take together. One that is away needs longer for its second failure."""
ALWAYS = 2


class Failures:
    """The failures of each storage in one run."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._count: defaultdict[str, int] = defaultdict(int)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self.first: FilesError | None = None

    def enough(self, place: str) -> bool:
        """Whether nothing more is tried in this place until the next run."""
        count = self._count[place]
        return count >= self._most or (count >= ALWAYS and self._seconds[place] >= SLOW_SECONDS)

    @contextmanager
    def counted(self, place: str) -> Iterator[None]:
        """Counts a failure of this place and ends the block, with no error."""
        began = time.monotonic()
        try:
            yield
        except FilesError as error:
            self._count[place] += 1
            self._seconds[place] += time.monotonic() - began
            self.first = self.first or error

    def raise_them(self, what: str) -> None:
        """Raises StorageFailedError, with their number before `what`, if there was any failure."""
        if self.first is not None:
            count = sum(self._count.values())
            raise StorageFailedError(f"{count:,} {what}. {self.first}") from self.first
