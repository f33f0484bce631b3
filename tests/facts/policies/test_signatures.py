"""Signatures: typed words and drawn strokes give digests; invalid ones are refused without quoting them."""

from typing import Any

import pytest

from compliance.facts.policies.errors import SignatureError
from compliance.facts.policies.signatures import read_signature, stored_signature
from compliance.proofs.digests import signature_text


def test_typed_words_and_drawn_strokes_are_kept_as_they_came() -> None:
    typed = read_signature("sign", {"typed": "  Zoë  O'Neil "})
    assert typed is not None
    assert signature_text(typed) == "typed\n  Zoë  O'Neil "
    assert stored_signature(typed) == {"typed": "  Zoë  O'Neil "}
    drawn = read_signature("sign", {"drawn": [[1, 2.5, 0.1], [-3.0, 4]]})
    assert drawn is not None
    assert signature_text(drawn) == "drawn\n1,2.5,0.1\n-3,4"
    assert stored_signature(drawn) == {"drawn": [[1, 2.5, 0.1], [-3.0, 4]]}
    assert read_signature("acknowledge", None) is None
    assert stored_signature(None) is None


@pytest.mark.parametrize(
    "act, raw, said",
    [
        ("sign", None, "needed"),
        ("acknowledge", {"typed": "Ann"}, "send no signature"),
        ("sign", {"typed": " \u00a0\t"}, "empty"),
        ("sign", {"typed": "Ann\nBob"}, "one line"),
        ("sign", {"typed": "\ud800"}, "surrogate"),
        ("sign", {"typed": 7}, "is text"),
        ("sign", {"typed": "x" * 301}, "300"),
        ("sign", {"drawn": []}, "nothing was drawn"),
        ("sign", {"drawn": [[]]}, "at least one point"),
        ("sign", {"drawn": [[1]]}, "at least one point"),
        ("sign", {"drawn": [[1, "2"]]}, "not a number"),
        ("sign", {"drawn": [[1, None]]}, "not a number"),
        ("sign", {"drawn": [[True, 1]]}, "not a number"),
        ("sign", {"drawn": [[float("inf"), 1]]}, "not finite"),
        ("sign", {"drawn": [[float("nan"), 1]]}, "not finite"),
        ("sign", {"drawn": [[1e300, 1]]}, "beyond"),
        ("sign", {"drawn": [[0.5] * 1_000_000]}, "20,000 numbers"),
        ("sign", {"drawn": [[1, 2]] * 2001}, "2000 strokes"),
        ("sign", {"drawn": 5}, "list of strokes"),
        ("sign", {"drawn": [5]}, "list of strokes"),
        ("sign", {"typed": "Ann", "drawn": [[1]]}, "A signature is"),
        ("sign", {"painted": 1}, "A signature is"),
        ("sign", "Ann", "A signature is"),
    ],
)
def test_a_bad_signature_is_refused_and_never_quoted(act: str, raw: Any, said: str) -> None:
    with pytest.raises(SignatureError, match=said) as caught:
        read_signature(act, raw)
    assert "Ann" not in str(caught.value)
