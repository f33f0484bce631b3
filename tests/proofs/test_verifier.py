"""The offline verifier: valid files, and each change of what it checks, named by row and field."""

import copy
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.proofs.findings import Check, Report
from compliance.proofs.pack_receipts import Policies
from compliance.proofs.pages import MOST_DEPTH, JsonObject, page_in, page_of, parse_json, pulls_of
from compliance.proofs.receipts import HASHED_FIELDS
from compliance.proofs.verifier import verify
from compliance.proofs.versions import DIGEST_FIELDS

from .company_story import ORGANIZATION, Json, page, receipts, snapshot, version, versions, written

FOLDER = Path(__file__).resolve().parents[2] / "compliance" / "proofs"
VERSION_FIELDS = (
    "course_id",
    "version",
    "act",
    "doors",
    "statement",
    "statement_sha256",
    "effective_on",
    "renew_months",
    "change_kind",
    "document_sha256",
    "version_digest",
    "html",
)


SECONDS = 30
"""Far longer than a page takes."""


def verdict(*envelopes: Json) -> Report:
    return verify(page_of(f"page-{at}.json", copy.deepcopy(each)) for at, each in enumerate(envelopes, 1))


def faults(*envelopes: Json) -> str:
    return "\n".join(map(str, verdict(*envelopes).faults))


def test_pages_as_pulled_hold() -> None:
    rows = receipts()
    report = verdict(page(versions()), page(rows[:4], total=7), page(rows[4:], total=7))
    assert report.faults == []
    assert report.notes == []
    assert len(report.holding) == 3
    assert "from the company's first receipt on" in report.holding[1]


@pytest.mark.parametrize("field", [*HASHED_FIELDS, "receipt_sha256"])
@pytest.mark.parametrize("number", [1, 4, 7])
def test_changing_any_hashed_field_of_a_receipt_names_that_row_and_field(field: str, number: int) -> None:
    rows = receipts()
    rows[number - 1][field] = other(rows[number - 1][field])
    found = verdict(page(versions()), page(rows)).faults
    assert found
    assert any(field in each.fields and f"row {number} " in each.place for each in found)
    assert all(f"row {number} " in each.place for each in found)


@pytest.mark.parametrize("field", VERSION_FIELDS)
@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("with_receipts", [True, False])
def test_changing_any_hashed_field_of_a_version_names_that_row_and_field(
    field: str, number: int, with_receipts: bool
) -> None:
    rows = versions()
    rows[number - 1][field] = other(rows[number - 1][field])
    pages = [page(rows), page(receipts())] if with_receipts else [page(rows)]
    found = [each for each in verdict(*pages).faults if each.place.startswith("page-1")]
    assert any(field in each.fields and f"row {number} " in each.place for each in found)


def many_versions(count: int) -> list[Json]:
    """Versions of a course each, and every one with another number than the one that was hashed."""
    ids = [f"{number:012}" for number in range(count)]
    rows = [version(5, f"c0000000-0000-4000-8000-{each}", f"e0000000-0000-4000-8000-{each}") for each in ids]
    return [{**row, "version": 6} for row in rows]


def test_of_many_false_versions_the_first_are_searched_for_the_changed_field() -> None:
    found = [each.fields for each in verdict(page(many_versions(300))).faults]
    assert found == [("version",)] * 20 + [("version_digest", *DIGEST_FIELDS)] * 280


def test_the_course_of_a_false_version_is_searched_among_a_limited_number() -> None:
    rows = many_versions(3000)
    rows = [{**row, "version": 5} for row in rows]
    for course, named in ((1999, ("course_id",)), (2999, ("version_digest", *DIGEST_FIELDS))):
        hashed = version(5, rows[course]["course_id"], rows[0]["course_release_id"])
        changed = [{**hashed, "course_id": rows[0]["course_id"]}, *rows[1:]]
        assert [each.fields for each in verdict(page(changed)).faults] == [named]


def test_in_a_pack_no_changed_field_is_searched() -> None:
    report = Report()
    with Policies({}) as policies:
        for number, row in enumerate(many_versions(2), 1):
            policies.version("policies.jsonl", number, JsonObject(row), report)
    found = [each.fields for each in report.faults if each.check is Check.VERSION]
    assert found == [("version_digest", *DIGEST_FIELDS)] * 2


def other(value: Any) -> Any:
    """Return another value of the same form, which occurs nowhere in the files."""
    changes: dict[object, object] = {
        None: "9" * 64,
        "sign": "acknowledge",
        "acknowledge": "sign",
        "signed": "acknowledged",
        "acknowledged": "signed",
        "first": "ask_again",
        "editorial": "first",
    }
    if isinstance(value, list):
        return ["customer"]
    if isinstance(value, int):
        return value + 1
    if value in changes:
        return changes[value]
    assert isinstance(value, str)
    last = value.rstrip("Z\n. ")
    return value[: len(last) - 1] + ("1" if last[-1] != "1" else "2") + value[len(last) :]


@settings(max_examples=150)
@given(data=some.data())
def test_any_single_character_changed_in_a_receipt_is_named(data: some.DataObject) -> None:
    rows = receipts(5)
    number = data.draw(some.integers(0, 4))
    field = data.draw(some.sampled_from([name for name in (*HASHED_FIELDS, "receipt_sha256") if rows[number][name]]))
    text: str = rows[number][field]
    position = data.draw(some.integers(0, len(text) - 1))
    rows[number][field] = (
        text[:position] + data.draw(some.characters().filter(lambda c: c != text[position])) + text[position + 1 :]
    )
    found = verdict(page(rows)).faults
    assert any(field in each.fields and f"row {number + 1}" in each.place for each in found)


@pytest.mark.parametrize("number", range(1, 8))
def test_a_dropped_receipt_is_reported(number: int) -> None:
    rows = receipts()
    del rows[number - 1]
    assert "total is 7: 1 is missing" in faults(page(rows, total=7))
    if number == 1:
        assert "not 64 zeros" in faults(page(rows))
    elif number < 7:
        assert "one or more are missing between" in faults(page(rows))


@pytest.mark.parametrize("number", range(1, 8))
def test_a_doubled_receipt_is_reported(number: int) -> None:
    rows = receipts()
    for place in (number, len(rows)):
        doubled = [*rows[:place], copy.deepcopy(rows[number - 1]), *rows[place:]]
        found = faults(page(doubled, total=7))
        assert "The receipt is doubled" in found
        assert "1 is too many" in found


@pytest.mark.parametrize("number", range(1, 7))
def test_swapped_receipts_are_reported(number: int) -> None:
    rows = receipts()
    rows[number - 1], rows[number] = rows[number], rows[number - 1]
    found = faults(page(rows))
    assert "out of order" in found
    assert f"row {number + 1} " in found
    assert "missing between" not in found


@settings(max_examples=100)
@given(some.permutations(range(6)), some.integers(0, 6))
def test_receipts_in_any_other_order_are_a_fault(order: list[int], split: int) -> None:
    rows = [receipts(6)[at] for at in order]
    found = verdict(page(rows[:split], total=6), page(rows[split:], total=6)).faults
    assert bool(found) == (order != list(range(6)))


def test_a_pull_with_from_verifies_from_its_first_link_and_says_so() -> None:
    report = verdict(page(receipts()[3:], start="2024-04-01T00:00:00.000000Z"))
    assert report.faults == []
    assert any("verified from its first link" in note for note in report.notes)


def test_pages_without_snapshot_and_total_may_begin_anywhere_and_it_is_reported() -> None:
    report = verdict({"data": receipts()[3:]})
    assert report.faults == []
    assert any("verified from its first link" in note for note in report.notes)
    assert any("nothing tells whether rows are missing" in note for note in report.notes)


def test_two_chains_and_a_fork_are_reported() -> None:
    rows = receipts()
    assert "starts a second chain" in faults({"data": [rows[3], rows[0]]})
    forked = copy.deepcopy(rows[2]) | {"receipt_id": "b0000000-0000-4000-8000-000000000001"}
    assert "forks" in faults({"data": [*rows[:3], forked]})


def test_receipts_are_linked_to_the_versions_given() -> None:
    rows = versions()
    assert "not among the policy versions given" in faults(page(rows[:2]), page(receipts()))
    assert any("not linked" in note for note in verdict({"data": rows[:2]}, page(receipts())).notes)
    receipt = receipts()
    receipt[0]["version_digest"] = "1" * 64
    receipt[1]["version"] = 9
    receipt[2]["door"] = "partner"
    found = faults(page(rows), page(receipt))
    assert "version_digest: version_digest differs from the version it names" in found
    assert "version: version differs" in found
    assert "is not for that door" in found


def test_a_receipt_of_another_company_than_the_snapshot_is_reported() -> None:
    envelope = page(receipts())
    envelope["snapshot"]["organization_id"] = "99999999-0000-4000-8000-000000000000"
    assert "organization_id is not that of the snapshot" in faults(envelope)
    assert envelope["snapshot"]["organization_id"] != ORGANIZATION


def test_two_pulls_at_different_moments_are_each_verified_and_agree() -> None:
    later = page(receipts())
    later["snapshot"] |= {"sequence": 41}
    assert verdict(page(receipts(4)), later).faults == []
    changed = page(receipts(4))
    changed["data"][3]["receipt_sha256"] = "1" * 64
    assert "differs from that in page-1.json row 4" in faults(changed, later)


def test_forms_that_give_the_same_lines_are_distinguished() -> None:
    rows = versions()
    rows[0]["doors"] = ["employee,partner"]
    rows[1]["version"] = True
    rows[2]["effective_on"] = ""
    found = faults({"data": rows})
    assert "row 1 " in found
    assert "row 2 " in found
    assert "row 3 " in found


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={},
        timeout=60,
        check=False,
    )


def test_the_folder_copied_out_alone_runs_on_the_standard_library(tmp_path: Path) -> None:
    copied = tmp_path / "any name"
    shutil.copytree(FOLDER, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "versions.json").write_bytes(written(page(versions())))
    (tmp_path / "receipts.json").write_bytes(written(page(receipts())))
    broken = receipts()
    broken[2]["act"] = "signed"
    (tmp_path / "broken.json").write_bytes(written(page(broken)))
    (tmp_path / "list.json").write_text("[]")
    well = run("any name", "versions.json", "receipts.json", folder=tmp_path)
    assert (well.returncode, well.stderr) == (0, "")
    assert well.stdout.endswith("No fault found.\n")
    bad = run("any name", "broken.json", folder=tmp_path)
    assert bad.returncode == 1
    assert "broken.json row 3" in bad.stdout
    assert "act was changed" in bad.stdout
    strange = run("any name", "receipts.json", "list.json", folder=tmp_path)
    assert strange.returncode == 2
    assert "list.json is JSON, but not a page" in strange.stderr


def test_it_runs_as_a_module_too(tmp_path: Path) -> None:
    (tmp_path / "receipts.json").write_bytes(written(page(receipts())))
    done = subprocess.run(
        [sys.executable, "-m", "compliance.proofs", str(tmp_path / "receipts.json")],
        cwd=FOLDER.parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"data": {}}',
        b'{"data": NaN}',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"data": [1' + b"1" * 5000 + b"]}",
        b'{"data": [{}], "snapshot": {"a": ' + b"[" * 950 + b"]" * 950 + b"}}",
        b'{"data": [{"receipt_sha256": 1}], "snapshot": {}, "total": ' + b"[" * 950 + b"]" * 950 + b"}",
        b'{"data": ' + b"[" * MOST_DEPTH + b"]" * MOST_DEPTH + b"}",
    ],
    ids=[
        "empty",
        "cut",
        "array",
        "no data",
        "data is no array",
        "NaN",
        "bytes",
        "deep",
        "endless number",
        "deep snapshot",
        "deep total",
        "just too deep",
    ],
)
def test_what_is_no_json_page_exits_two(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from compliance.proofs.__main__ import main

    file = tmp_path / "file.json"
    file.write_bytes(content)
    assert main([str(file)]) == 2
    assert main([str(tmp_path / "absent.json")]) == 2
    assert "file.json" in capsys.readouterr().err


def test_a_page_may_be_nested_up_to_a_limit() -> None:
    content = b'{"data": ' + b"[" * (MOST_DEPTH - 1) + b"]" * (MOST_DEPTH - 1) + b"}"
    assert page_in("page.json", parse_json("page.json", content)).strangers == (1,)


def test_a_page_with_a_large_snapshot_takes_no_longer_for_having_many_rows() -> None:
    """Compared once per row, a snapshot of a megabyte took minutes for 10,000 rows."""
    large: dict[str, object] = {"snapshot": {"a": ["x" * 10] * 70_000}, "data": [{"title": "x"}] * 10_000}
    began = time.monotonic()
    assert len(pulls_of([page_of("page.json", large)])) == 1
    assert time.monotonic() - began < SECONDS


def test_a_page_whose_first_row_has_many_fields_takes_no_longer_for_having_many_rows() -> None:
    rows = [JsonObject.fromkeys(f"field_{number}" for number in range(50_000)), *[JsonObject()] * 20_000]
    began = time.monotonic()
    assert len(pulls_of([page_of("page.json", {"data": rows})])) == 1
    assert time.monotonic() - began < SECONDS


def test_what_a_file_says_reaches_the_terminal_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from compliance.proofs.__main__ import main

    file = tmp_path / "page.json"
    file.write_bytes('{"data": [{"a": 1}], "\u009b31m": 1, "\u009b31m": 2}'.encode())
    assert main([str(file)]) == 1
    assert "\\x9b31m: The page gives these keys more than once." in capsys.readouterr().out


@pytest.mark.parametrize(
    "row",
    [
        1,
        None,
        "text",
        [],
        {},
        {"receipt_sha256": 1},
        {"html": "\ud800"},
        {"previous_sha256": None, "receipt_id": ["x"]},
        {"version_digest": {}, "doors": [[], {}], "course_id": {}, "course_release_id": []},
    ],
)
def test_rows_of_any_shape_are_faults_and_no_crash(row: object) -> None:
    for neighbours in (receipts(2), versions(), []):
        assert verdict(page([*neighbours, row])).faults or row == {}  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("before", "doubled"),
    [
        ('"act": ', '"act": "acknowledged", "act": '),
        ('"version_digest": ', '"version_digest": "x", "version_digest": '),
        ('"door": ', '"door": "customer", "door": '),
        ('"receipt_id": ', '"beside": {"act": 1, "act": 2}, "receipt_id": '),
        ('"snapshot": {', '"snapshot": {"as_at": "2020-02-29T12:00:00.000000Z", '),
        ('"total": ', '"total": 0, "total": '),
    ],
)
def test_a_key_given_twice_is_a_fault_wherever_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, doubled: str
) -> None:
    from compliance.proofs.__main__ import main

    file = tmp_path / "twice.json"
    text = json.dumps(page(receipts(1)))
    file.write_text(text.replace(before, doubled, 1))
    assert main([str(file)]) == 1
    assert "gives these keys more than once." in capsys.readouterr().out


@pytest.mark.parametrize("total", [-1, 1 << 63, -(10**4300) + 1, 10**4299])
def test_a_total_that_no_pull_has_is_a_fault_in_a_short_line(total: int) -> None:
    (fault,) = verdict(page(versions(), total=total)).faults
    assert fault.fields == ("total",)
    assert len(str(fault)) < 200


@pytest.mark.parametrize("name", ["course_id", "document_sha256", "statement_sha256", "version", "effective_on"])
@pytest.mark.parametrize("value", [None, 5, [1], {"a": 1}, "\ud800"])
def test_what_a_receipt_cites_has_any_shape_without_stopping_the_search_in_its_version(name: str, value: Any) -> None:
    of_versions, rows = versions(), receipts()
    of_versions[0]["version"] += 5_000
    for row in rows:
        row[name] = value
    found = verdict(page(of_versions), page(rows)).faults
    assert any("version was changed" in each.sentence for each in found)
    assert any(name in each.fields and "receipt_id" not in each.fields for each in found)


@pytest.mark.parametrize("name", HASHED_FIELDS)
def test_a_text_that_is_not_unicode_does_not_stop_the_search_in_another_receipt(name: str) -> None:
    rows = receipts()
    rows[0][name] = "\ud800"
    rows[3]["signed_at"] = "2031-01-01T00:00:00.000000Z"
    places = [each.place for each in verdict(page(versions()), page(rows)).faults if each.check is not Check.CHAIN]
    assert any("row 1 " in place for place in places)
    assert any("row 4 " in place for place in places)
    envelope = page(rows)
    envelope["snapshot"]["organization_id"] = "\ud800"
    assert verdict(envelope).faults


def test_a_version_of_another_company_is_a_fault() -> None:
    rows = versions()
    rows[1]["organization_id"] = "00000000-0000-4000-8000-00000000ffff"
    (fault,) = verdict(page(rows)).faults
    assert "row 2 " in fault.place
    assert fault.sentence == "organization_id is not that of the snapshot."


def test_rows_of_other_registers_are_only_counted() -> None:
    people: Json = {"data": [{"person_id": "x"}], "total": 1, "snapshot": snapshot(), "next_cursor": None}
    report = verdict(people)
    assert report.faults == []
    assert "no digest" in report.notes[0]
    assert "no rows" in verdict(people | {"data": [], "total": 0}).notes[0]
    assert "missing" in faults(people | {"total": 2})
    assert "missing" in faults({"data": [], "total": 2, "snapshot": snapshot(), "next_cursor": None})
