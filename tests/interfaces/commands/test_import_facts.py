"""`manage.py import_facts`: a report on standard output, errors on standard error, exit code 1 for any."""

import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from compliance.tenancy import shards
from tests.companies import Company, make_company
from tests.facts.files import completed, course, file_of, ids, joined, shared
from tests.tenancy.test_nodes import away

GOOD = [joined("anna"), *course("fire"), shared("fire", 1), completed("anna", "fire", 5)]


@pytest.fixture
def company(db: None) -> Company:
    return make_company()


def run(company: Company, file: str, **options: object) -> tuple[str, str, bool]:
    """Standard output, standard error, and whether it succeeded."""
    output, complaints = io.StringIO(), io.StringIO()
    try:
        call_command(
            "import_facts", file, organization=company.organization_id, stdout=output, stderr=complaints, **options
        )
    except CommandError as error:
        return output.getvalue(), complaints.getvalue() + str(error), False
    return output.getvalue(), complaints.getvalue(), True


def test_a_report_as_json(company: Company, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(file_of(GOOD).getvalue())
    output, complaints, succeeded = run(company, str(path), json=True)
    assert succeeded
    assert complaints == ""
    report = json.loads(output)
    assert report["facts"] == {
        "employee_joined": 1, "course_created": 1, "release_published": 1, "course_shared": 1, "course_completed": 1,
    }  # fmt: skip
    assert (report["recorded"], report["known"], report["errors"]) == (5, 0, [])
    again = json.loads(run(company, str(path), json=True)[0])
    assert (again["recorded"], again["known"]) == (0, 5)


def test_bad_lines_are_told_on_standard_error_and_the_good_ones_recorded(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    standard_input = io.TextIOWrapper(file_of([*GOOD, b"nonsense\n"]))
    monkeypatch.setattr("sys.stdin", standard_input)
    output, complaints, succeeded = run(company, "-")
    assert not succeeded
    assert "5 recorded" in output
    assert "line 6: The line is not valid JSON." in complaints
    assert "1 line is wrong; the other lines were recorded." in complaints


def test_strict_records_nothing_and_says_so(company: Company, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(file_of([*GOOD, b"nonsense\n"]).getvalue())
    output, complaints, succeeded = run(company, str(path), strict=True, json=True)
    assert not succeeded
    assert json.loads(output)["recorded"] == 0
    assert "nothing was recorded" in complaints


def test_a_file_that_is_not_there_and_a_company_that_is_not_there(company: Company, tmp_path: Path) -> None:
    assert "cannot be read" in run(company, str(tmp_path / "absent.jsonl"))[1]
    nobody = Company(type(company.organization_id)(int=1))
    path = tmp_path / "facts.jsonl"
    path.write_bytes(file_of(GOOD).getvalue())
    assert "no organization" in run(nobody, str(path))[1]


def test_a_temporary_folder_that_fails_is_not_taken_for_the_file(
    company: Company, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_bytes(file_of([joined("anna", team_ids=ids(*map(str, range(500))))]).getvalue())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError, match="absent"):
        run(company, str(path))


def test_facts_ahead_of_time_are_recorded_and_the_report_says_how_many_wait(company: Company, tmp_path: Path) -> None:
    soon = (datetime.now(UTC) + timedelta(minutes=3)).isoformat().replace("+00:00", "Z")
    path = tmp_path / "facts.jsonl"
    path.write_bytes(file_of([*GOOD, joined("ben") | {"at": soon}]).getvalue())
    output, _, succeeded = run(company, str(path))
    assert succeeded
    assert "6 recorded" in output
    assert "1 of them takes effect later and waits to be captured" in output
    later = tmp_path / "later.jsonl"
    later.write_bytes(file_of([joined("cleo") | {"at": soon}, joined("dora")]).getvalue())
    report = json.loads(run(company, str(later), json=True)[0])
    assert (report["recorded"], report["waiting"]) == (2, 1)


@pytest.mark.cluster
def test_a_node_that_is_away_is_named_in_one_sentence_and_the_same_command_does_it_later(
    committed: None, administration: psycopg.Connection[Any], tmp_path: Path
) -> None:
    company, path = make_company(), tmp_path / "facts.jsonl"
    path.write_bytes(file_of(GOOD).getvalue())
    with away(administration, shards.of_company(company.organization_id).node):
        output, complaints, succeeded = run(company, str(path))
    assert (output, succeeded) == ("", False)
    assert re.fullmatch(r"The node 127\.0\.0\.1:\d+ does not answer, and the command needs [^\n]+", complaints)
    assert run(company, str(path))[2]
