"""Batches that run without Python's garbage collector: the one place where it is switched off."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Switches the collector off for a batch, whose hundreds of thousands of objects live until its end.

    It halves what an import computes: 1.27 against 2.37 s (docs/benchmarks.md). Whoever enters this lets go of those
    objects before it ends, or all are looked through then.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
