"""Signatures as submitted: typed words or drawn strokes, checked before they are hashed.

The raw signature is personal: it is kept apart from the receipt, and erasure clears it.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from compliance.facts.policies.errors import SignatureError
from compliance.proofs.digests import DrawnSignature, Signature, TypedSignature, normalise_statement
from compliance.rules.vocabulary import PolicyAct

LONGEST_WORDS = 300
MOST_STROKES = 2_000
MOST_NUMBERS = 20_000
LARGEST_NUMBER = 1_000_000_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def read_signature(act: str, raw: object) -> Signature | None:
    """Return the signature of a `sign`, None for an `acknowledge`. Raises SignatureError, which quotes no words."""
    if act == PolicyAct.ACKNOWLEDGE:
        if raw is not None:
            raise SignatureError("This version is acknowledged, not signed: send no signature.")
        return None
    if raw is None:
        raise SignatureError("This version is signed: a typed or drawn signature is needed.")
    if not isinstance(raw, Mapping) or len(raw) != 1 or not raw.keys() <= {"typed", "drawn"}:
        raise SignatureError('A signature is {"typed": words} or {"drawn": [[numbers], ...]}.')
    return _typed(raw["typed"]) if "typed" in raw else _drawn(raw["drawn"])


def stored_signature(signature: Signature | None) -> dict[str, Any] | None:
    """Return the raw signature as JSON to store, in the form of the facts file."""
    if signature is None:
        return None
    if isinstance(signature, TypedSignature):
        return {"typed": signature.words}
    return {"drawn": [list(stroke) for stroke in signature.strokes]}


def _typed(words: object) -> TypedSignature:
    if not isinstance(words, str):
        raise SignatureError("A typed signature is text.")
    if not normalise_statement(words):
        raise SignatureError("The signature is empty: type your name.")
    if len(words) > LONGEST_WORDS:
        raise SignatureError(f"A typed signature has at most {LONGEST_WORDS} characters.")
    if _CONTROL.search(words):
        raise SignatureError("A typed signature is one line of text without control characters.")
    try:
        words.encode()
    except UnicodeEncodeError as error:
        raise SignatureError("The signature holds half a surrogate pair, which is no Unicode text.") from error
    return TypedSignature(words)


def _drawn(strokes: object) -> DrawnSignature:
    if not isinstance(strokes, list | tuple):
        raise SignatureError("A drawn signature is a list of strokes, each a list of numbers.")
    if not strokes:
        raise SignatureError("The signature is empty: nothing was drawn.")
    if len(strokes) > MOST_STROKES:
        raise SignatureError(f"A drawn signature has at most {MOST_STROKES} strokes.")
    numbers = 0
    for stroke in strokes:
        if not isinstance(stroke, list | tuple):
            raise SignatureError("A drawn signature is a list of strokes, each a list of numbers.")
        if len(stroke) < 2:
            raise SignatureError("A stroke of the signature has at least one point, which is two numbers.")
        numbers += len(stroke)
        if numbers > MOST_NUMBERS:
            raise SignatureError(f"A drawn signature has at most {MOST_NUMBERS:,} numbers.")
        for number in stroke:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise SignatureError("A stroke of the signature holds something that is not a number.")
            if isinstance(number, float) and not math.isfinite(number):
                raise SignatureError("A stroke of the signature holds a number that is not finite.")
            if abs(number) > LARGEST_NUMBER:
                raise SignatureError(f"A stroke of the signature holds a number beyond {LARGEST_NUMBER:,}.")
    return DrawnSignature(tuple(tuple(stroke) for stroke in strokes))
