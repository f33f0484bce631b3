"""Many errors and notes about lines are kept on disk and are returned in the order of the file, as few are."""

import random
import tracemalloc

import pytest

from compliance.facts.importing import reported
from compliance.facts.importing.reported import ReportedLine, ReportedLines
from compliance.facts.refusal_reasons import RefusalReason

LINES = [
    *(ReportedLine(number, "at: the field is missing.", None, None, RefusalReason.INVALID_FACT) for number in range(8)),
    ReportedLine(3, "The line is a note.", None, None),
    ReportedLine(5, "A second sentence.", "0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b", "team_created", RefusalReason.REUSED),
]
IN_ORDER = sorted(LINES, key=lambda each: (each.line, each.reason))


def _reported(most: int, monkeypatch: pytest.MonkeyPatch) -> ReportedLines:
    monkeypatch.setattr(reported, "MOST_IN_MEMORY", most)
    mixed = LINES.copy()
    random.Random(3).shuffle(mixed)
    found = ReportedLines()
    found.add(mixed[:4])
    found.add(iter(mixed[4:]))
    return found


@pytest.mark.parametrize("most", [1, 3, 100])
def test_lines_come_in_the_order_of_the_file(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _reported(most, monkeypatch)
    for lines in (found, found.settled()):
        assert list(lines) == list(lines) == IN_ORDER
        assert len(lines) == len(LINES)
        assert lines[:3] == IN_ORDER[:3]
        assert lines[2:50] == IN_ORDER[2:]
        assert (lines[0], lines[-1]) == (IN_ORDER[0], IN_ORDER[-1])
        with pytest.raises(IndexError):
            lines[len(LINES)]
    assert all(type(line.code) is RefusalReason for line in found if line.code)


def test_none_is_nothing() -> None:
    assert not ReportedLines()
    assert ReportedLines().settled() == []


def test_memory_does_not_grow_with_them() -> None:
    def grown(number: int) -> int:
        tracemalloc.start()
        found = ReportedLines()
        found.add(
            ReportedLine(line, f"Line {line} is wrong.", None, None, RefusalReason.RULE) for line in range(number)
        )
        assert len(found) == number
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return held

    assert grown(100_000) < 1.2 * grown(40_000)
