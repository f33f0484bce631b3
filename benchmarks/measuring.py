"""Times of several things in turn, so that all of them meet the same machine; medians of the rounds."""

import statistics
import time
from collections.abc import Callable, Mapping


def interleaved(things: Mapping[str, Callable[[], object]], rounds: int, *, warm: int = 2) -> dict[str, float]:
    """The median seconds of each, each measured once a round, in turn."""
    taken: dict[str, list[float]] = {name: [] for name in things}
    for number in range(rounds + warm):
        for name, thing in things.items():
            began = time.perf_counter()
            thing()
            if number >= warm:
                taken[name].append(time.perf_counter() - began)
    return {name: statistics.median(times) for name, times in taken.items()}


def once(thing: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    began = time.perf_counter()
    thing()
    return time.perf_counter() - began
