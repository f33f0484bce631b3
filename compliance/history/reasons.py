"""Why a capture was made, as far as its rows tell, so that nobody can say otherwise later without it showing."""

from collections.abc import Set as AbstractSet

from compliance.rules.vocabulary import Cause

CREATED, FACTS, SWEEP = "created", "facts", "sweep"


def why(capture_sequence: int, causes: AbstractSet[str]) -> str:
    """The company's creation, the clock alone, or facts."""
    if capture_sequence == 1:
        return CREATED
    return SWEEP if causes == {Cause.SWEEP.value} else FACTS
