"""Switches Python's garbage collector off for large batches; nothing else in the platform does."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Switches the collector off for a batch whose hundreds of thousands of objects live until its end.

    This halves the computing time of an import: 1.27 against 2.37 s (docs/benchmarks.md). The caller must release
    those objects before the context ends, or the collector looks through all of them then.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
