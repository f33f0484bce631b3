"""Lines are staged in memory or in temporary files, with the same result: in order, each once, in batches."""

import itertools
import random
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from compliance.facts.importing import staging
from compliance.facts.lines.kinds import KINDS
from compliance.facts.lines.reading import ReadLine, RefusedLine, read
from tests.facts.files import fact, file_of, team
from tests.facts.importing.test_importing import STORY

ERASED = fact("person_erased", "erased", 40, learner_profile_id="anna")
LATER = fact("person_erased", "erased later", 50, learner_profile_id="anna")
Staged = tuple[dict[str, list[list[tuple[int, UUID]]]], list[RefusedLine], int, dict[UUID, datetime]]


def _staged(lines: list[dict[str, Any]]) -> Staged:
    """The result: numbers and fact_ids by kind and batch, faults, the number of repetitions, and erasures."""
    with staging.Staging() as staged:
        for line in read(file_of(lines)):
            assert isinstance(line, ReadLine)
            staged.add(line)
        faults = list(staged.settle())
        assert staged.divide(None) == 1
        found = {
            kind: [[(each.number, each.line.fact_id) for each in batch] for batch in staged.batches(kind)]
            for kind in KINDS
        }
        return found, sorted(faults), staged.repeated, staged.erased_at


@pytest.fixture
def files() -> list[list[dict[str, Any]]]:
    """Lines of many kinds in any order; with repeated ones; and with ones repeated with other content."""
    mixed = [*STORY, ERASED, LATER]
    random.Random(11).shuffle(mixed)
    changed = {**team("blue"), "name": "Another name"}
    moved = {**ERASED, "at": LATER["at"]}
    return [mixed, mixed + mixed[:5], [*mixed, changed, moved, changed], [team("blue")]]


@pytest.mark.parametrize("long_line", [100, 16 * 1024])
@pytest.mark.parametrize("kept", [0, 1, 7])
def test_it_makes_no_difference_where_lines_wait(
    files: list[list[dict[str, Any]]], kept: int, long_line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "BATCH_LINES", 3)
    expected = list(map(_staged, files))
    monkeypatch.setattr(staging, "KEPT_LINES", kept)
    monkeypatch.setattr(staging, "LONG_LINE_BYTES", long_line)
    monkeypatch.setattr(staging, "WRITTEN_AT_ONCE", 2)
    assert list(map(_staged, files)) == expected


def test_lines_come_in_order_of_their_moment_whatever_the_file(files: list[list[dict[str, Any]]]) -> None:
    by_kind, faults, repeated, erased_at = _staged(files[0])
    moments = {line["fact_id"]: line["at"] for line in files[0]}
    came = {kind: [str(fact_id) for batch in batches for _, fact_id in batch] for kind, batches in by_kind.items()}
    assert sum(map(len, came.values())) == len(files[0])
    for fact_ids in came.values():
        assert fact_ids == sorted(fact_ids, key=lambda fact_id: (moments[fact_id], fact_id))
    assert (faults, repeated) == ([], 0)
    assert [moment.isoformat().replace("+00:00", "Z") for moment in erased_at.values()] == [ERASED["at"]]


def test_a_line_that_comes_again_counts_once_and_with_other_content_is_a_fault(
    files: list[list[dict[str, Any]]],
) -> None:
    assert _staged(files[1])[1:3] == ([], 5)
    by_kind, faults, repeated, _ = _staged(files[2])
    assert repeated + len(faults) == 3
    assert {fault.reason for fault in faults} == {"fact_id: occurs in the file with other content."}
    assert sum(len(batch) for batches in by_kind.values() for batch in batches) == len(files[0])


def test_a_repetition_of_a_refused_content_is_refused_too_in_any_order() -> None:
    contents = [{**team("blue"), "name": name} for name in ("blue", "azure")]
    seen = set()
    for order in itertools.permutations([*contents, *contents]):
        by_kind, faults, repeated, _ = _staged(list(order))
        ((number, _),) = by_kind["team_created"][0]
        seen.add(order[number - 1]["name"])
        assert {order[fault.number - 1]["name"] for fault in faults}.isdisjoint(seen)
        assert (len(faults), repeated) == (2, 1)
    assert len(seen) == 1
