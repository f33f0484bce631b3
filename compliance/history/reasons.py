"""The reason for a capture. It follows from the capture's rows, so `verify` finds one that was changed later."""

from collections.abc import Set as AbstractSet

from compliance.rules.vocabulary import Cause

CREATED, FACTS, SWEEP = "created", "facts", "sweep"


def capture_reason(capture_sequence: int, causes: AbstractSet[str]) -> str:
    """The company's creation, the clock alone, or facts. `causes` are those of the capture's rows."""
    if capture_sequence == 1:
        return CREATED
    return SWEEP if causes == {Cause.SWEEP.value} else FACTS
