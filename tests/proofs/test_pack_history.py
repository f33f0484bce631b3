"""What is held in memory of one record of a pack is bounded, however many versions with a text it has."""

from collections.abc import Iterator

import pytest

from compliance.proofs import pack_history
from compliance.proofs.errors import PackMalformed
from compliance.proofs.pack_history import Version, records

RECORD = "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"


def versions(number: int, content: str | None) -> Iterator[Version]:
    """Versions of one record, each in force from a moment of its own."""
    for sequence in range(1, number + 1):
        moment = f"2026-01-01T00:00:00.{sequence:06}Z"
        yield Version(f"line {sequence}", sequence, RECORD, moment, moment, "change", 2, content)


def read(found: Iterator[Version]) -> list[int]:
    return [len(list(of_one)) for of_one in records(found)]


def test_texts_of_one_record_that_would_fill_the_memory_are_refused():
    large = "x" * (1 << 21)
    assert read(versions(25, large)) == [25]
    with pytest.raises(PackMalformed, match="more texts, or larger ones") as fault:
        read(versions(1000, large))
    assert fault.value.place == "line 32"


def test_more_texts_of_one_record_than_any_has_are_refused():
    most = pack_history.MOST_VERSIONS
    assert read(versions(most, "")) == [most]
    with pytest.raises(PackMalformed, match="more texts, or larger ones"):
        read(versions(most + 1, ""))
    assert read(versions(most + 1, None)) == [most + 1]
