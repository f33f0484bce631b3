"""What the benchmark keeps of a run, what it draws of many, and the bounds of a small run."""

import csv
import platform
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from benchmarks import results
from benchmarks.reads import Result

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)
ROWS = [
    Result("page of 200, against DRF", 9.2, ">= 8", True, "15"),
    Result("its memory, MiB", 401, "<= 400", False),
    Result("shown & told <here>", 5, "shown", True),
]


def test_each_run_adds_its_rows_with_what_is_known_of_the_machine(tmp_path: Path) -> None:
    kept = tmp_path / "history.csv"
    for measured in (12.0, 13.0):
        rows = [row._replace(measured=measured, machine_ms=measured) for row in ROWS]
        results.keep(kept, rows, small=False, at=AT)
    with kept.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 6
    assert [line["measured"] for line in lines[::3]] == ["12.000", "13.000"]
    assert lines[0].keys() == set(results.COLUMNS)
    assert (lines[0]["at"], lines[0]["size"], lines[0]["machine_ms"]) == ("2026-11-23T12:00Z", "whole", "12")
    assert lines[0]["python"] == platform.python_version()
    assert [line["holds"] for line in lines[:3]] == ["yes", "no", "yes"]


def test_the_picture_has_a_chart_for_each_row_and_small_runs_have_their_own(tmp_path: Path) -> None:
    kept = tmp_path / "history.csv"
    results.keep(kept, ROWS, small=False, at=AT)
    results.keep(kept, [ROWS[0]], small=True, at=AT)
    drawn = results.plot(kept)
    picture = ElementTree.fromstring(drawn)
    assert len(picture.findall(".//{*}polyline")) == 4
    assert len(picture.findall(".//{*}line")) == 3  # a row without a bound has no line for it
    assert "small: page of 200" in drawn


def test_a_small_run_has_bounds_of_its_own() -> None:
    bounded = [results.of_small_run(row) for row in ROWS]
    assert [row.bound for row in bounded] == [">= 0.3", "<= 400", "shown"]
    assert [row.holds for row in bounded] == [True, False, True]
    assert results.of_small_run(ROWS[0]._replace(measured=0.2)).holds is False


def test_a_machine_has_a_speed() -> None:
    assert results.machine_milliseconds() > 0
