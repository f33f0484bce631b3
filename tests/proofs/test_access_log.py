"""The offline verification of an access log's export names each line that was changed, cut off or slipped in."""

import json
import tracemalloc

import pytest

from compliance.proofs import access_log
from tests.vectors.access_log import write

FAULTS = {
    "unnumbered_line": "Line 4 of the file has no number, and stands after lines that have one.",
    "begins_at_3": "Lines 1 to 2 of the access log: missing.",
    "line_gone": "Line 3 of the access log: missing.",
    "line_changed": "Line 3 of the access log is not what was written: its digest is another.",
}
NO_EXPORTS = {
    "member_twice": "line 5 of the file: A member is given more than once.",
    "unknown_member": "line 5 of the file: It does not have the members of an exported line.",
}


def verified(name: str) -> int:
    return access_log.main([str(write.FOLDER / f"{name}.jsonl")])


def test_the_exports_are_those_that_their_writer_makes():
    found = {path.stem: path.read_text(encoding="utf-8") for path in write.FOLDER.glob("*.jsonl")}
    assert found == {name: f"{text}\n" for name, text in write.files().items()}


def test_a_whole_export_holds_and_what_was_passed_over_is_counted(capsys):
    assert verified("whole") == 0
    told = capsys.readouterr().out
    assert told.startswith("5 lines hold. The last is line 5: ")
    assert "2 lines from before the log was chained were passed over and are not proved." in told


@pytest.mark.parametrize("name", FAULTS)
def test_a_line_at_fault_is_named(name, capsys):
    assert verified(name) == 1
    assert capsys.readouterr().out == f"{FAULTS[name]}\n"


@pytest.mark.parametrize("name", NO_EXPORTS)
def test_a_line_that_no_export_has_is_refused(name, capsys):
    assert verified(name) == 2
    assert NO_EXPORTS[name] in capsys.readouterr().err


def test_an_export_is_not_held_in_memory(tmp_path, capsys):
    whole = (write.FOLDER / "whole.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    chained = [line for line in whole if json.loads(line)["number"] is not None]
    line = json.loads(chained[-1])
    previous = line["digest"]
    file = tmp_path / "long.jsonl"
    with file.open("w", encoding="utf-8") as out:
        out.writelines(chained)
        for number in range(6, 3_000):
            line |= {"number": number, "previous_sha256": previous, "reason": "x" * 2_000}
            line["digest"] = previous = access_log.digest(line)
            out.write(json.dumps(line) + "\n")
    tracemalloc.start()
    try:
        assert access_log.main([str(file)]) == 0
        assert tracemalloc.get_traced_memory()[1] < file.stat().st_size / 4
    finally:
        tracemalloc.stop()
    assert capsys.readouterr().out.startswith("2999 lines hold. The last is line 2999: ")
