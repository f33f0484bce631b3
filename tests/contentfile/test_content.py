"""The rules of the content file at their limits, and the places of faults."""

import copy
import json
from typing import Any

import pytest

from compliance.contentfile import FaultCode, check_content, content_sha256, read_content
from tests.contentfile.make_vectors import course, every_block, film, pages, question


def codes(content: Any) -> list[str]:
    return [fault.code.value for fault in check_content(content).faults]


def codes_of(data: bytes) -> list[str]:
    return [fault.code.value for fault in check_content(data).faults]


def lessons(*counts: int) -> dict[str, Any]:
    return {
        "schema": "svc.content/2",
        "lessons": [
            {"id": f"lesson-{number}", "title": f"lesson-{number}.title", "pages": pages(count, f"page-{number}")}
            for number, count in enumerate(counts)
        ],
    }


def test_limits_hold_to_the_last_one_allowed() -> None:
    assert codes(lessons(*[1] * 64)) == []
    assert codes(lessons(*[1] * 65)) == ["too_many_lessons"]
    assert codes(lessons(200)) == []
    assert codes(lessons(201)) == ["too_many_pages"]
    assert codes(lessons(100, 100)) == []
    assert codes(lessons(100, 101)) == ["too_many_pages"]
    assert codes(lessons(0)) == ["empty_list"]


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        (1, []),
        (120, []),
        (0, ["out_of_range"]),
        (121, ["out_of_range"]),
        (10**30, ["out_of_range"]),
        (5.0, []),
        (120.0, []),
        (5.5, ["wrong_type"]),
        (121.0, ["out_of_range"]),
        (1e300, ["out_of_range"]),
        (True, ["wrong_type"]),
        ("5", ["wrong_type"]),
        (None, ["wrong_type"]),
    ],
)
def test_minutes_are_a_whole_number_in_range(minutes: object, expected: list[str]) -> None:
    content = course()
    content["lessons"][0]["minutes"] = minutes
    assert codes(content) == expected
    assert codes(json.dumps(content).encode()) == expected


@pytest.mark.parametrize("value", [0, 1, "true", None, [], 1.0])
def test_a_boolean_is_true_or_false_and_nothing_else(value: object) -> None:
    assert codes(course({"type": "list", "items": ["page.a"], "ordered": value})) == ["wrong_type"]


def test_required_for_takes_null_and_roles_but_no_empty_list() -> None:
    content = course()
    for value, expected in ((None, []), (["driver"], []), ([], ["empty_list"]), ("driver", ["wrong_type"])):
        content["lessons"][0]["requiredFor"] = value
        assert codes(content) == expected


def test_schema_keys_are_ignored_in_every_object() -> None:
    def with_schema(value: Any) -> Any:
        if isinstance(value, dict):
            return {"$schema": ["anything"], **{name: with_schema(member) for name, member in value.items()}}
        return [with_schema(member) for member in value] if isinstance(value, list) else value

    assert codes(with_schema(course(*every_block()))) == []


@pytest.mark.parametrize(
    "held",
    [
        "null", "5e400", "1.5", '""', '"\\u0000 \\u0007 \\ud800"', '{"$schema": {"a": 1, "a": 2}, "\\u0000": []}',
        "[" * 200 + "]" * 200, '"' + "x" * 200_000 + '"',
    ],
    ids=range(8),
)  # fmt: skip
def test_what_a_schema_key_holds_is_not_looked_at(held: str) -> None:
    plain = json.dumps(course(*every_block()))
    checked = check_content(plain.replace('{"', '{"$schema": ' + held + ', "').encode())
    assert checked.faults == ()
    assert checked.content == course(*every_block())


def test_a_ready_made_value_is_read_like_a_file_and_never_changed() -> None:
    given = course(*every_block()) | {"$schema": ["\0", {1: object()}]}
    given["lessons"][0]["minutes"] = 5.0
    before = copy.deepcopy(course(*every_block()))
    checked = check_content(given)
    assert checked.faults == ()
    assert checked.content == before
    assert type(checked.content["lessons"][0]["minutes"]) is int
    assert isinstance(given["lessons"][0]["minutes"], float)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5.0", []), ("5e0", []), ("0.5e1", []), ("500E-2", []), ("120.000", []),
        ("119.99999999999999999999", ["wrong_type"]), ("5.00000000000000000001", ["wrong_type"]),
        ("1e-400", ["wrong_type"]), ("-0.0", ["out_of_range"]), ("0e99999999999999999999", None),
        ("1e400", ["out_of_range"]), ("-1e400", ["out_of_range"]), ("1e99999999999999999999", ["wrong_type"]),
        ("9" * 5_000, ["out_of_range"]), ("9" * 5_000 + ".0", ["out_of_range"]),
    ],
)  # fmt: skip
def test_a_number_without_a_fraction_is_an_integer_however_it_is_written(
    written: str, expected: list[str] | None
) -> None:
    data = json.dumps(course()).replace('"minutes": 5', f'"minutes": {written}').encode()
    found = [fault.code.value for fault in check_content(data).faults]
    assert found == expected if expected is not None else len(found) == 1


def test_whole_numbers_reach_the_fingerprint_as_integers() -> None:
    plain = json.dumps(course(*every_block()))
    written = plain.replace('"minutes": 5', '"minutes": 5.0').replace('"seconds": 10', '"seconds": 1e1')
    checked = check_content(written.encode())
    assert checked.content is not None
    assert content_sha256(checked.content) == content_sha256(json.loads(written)) == content_sha256(json.loads(plain))


def test_a_role_may_be_named_twice() -> None:
    content = course()
    content["lessons"][0]["requiredFor"] = ["driver", "buyer", "driver"]
    assert codes(content) == []
    assert read_content(content, {}).lessons[0].required_for == ("driver", "buyer")


def test_a_file_of_sixteen_mebibytes_is_read_and_one_byte_more_is_not() -> None:
    plain = json.dumps(course(*every_block())).encode()
    largest = plain + b" " * (16 * 1024 * 1024 - len(plain))
    assert check_content(largest).ok
    assert codes_of(largest + b" ") == ["too_large"]


def test_a_style_is_measured_in_bytes() -> None:
    block = film()
    block["style"] = "/*" + "é" * 15_998 + "*/"
    assert codes(course(block)) == []
    block["style"] += " "
    assert codes(course(block)) == ["style_too_large"]


@pytest.mark.parametrize(
    ("text_id", "expected"),
    [
        ("page", []),
        ("page.a_b-c.0", []),
        ("page." + "x" * 123, []),
        ("page." + "x" * 124, ["invalid_text_id"]),
        ("pages.a", []),
        ("page-2.a", []),
        ("pages", []),
        ("pag.e", ["text_id_prefix"]),
        ("a.page.b", ["text_id_prefix"]),
        ("lesson.a", ["text_id_prefix"]),
        ("page.", ["invalid_text_id"]),
        ("page..a", ["invalid_text_id"]),
        ("page._a", ["invalid_text_id"]),
        ("page.a\n", ["invalid_text_id"]),
        ("page.A", ["invalid_text_id"]),
        ("page.é", ["invalid_text_id"]),
        ("", ["invalid_text_id"]),
    ],
)
def test_text_ids_follow_the_grammar_and_start_with_their_page(text_id: str, expected: list[str]) -> None:
    assert codes(course({"type": "heading", "text": text_id})) == expected


def test_ids_that_look_alike_or_differ_in_case_are_refused_and_named() -> None:
    content = course()
    content["lessons"][0]["id"] = "lеsson"  # the second letter is Cyrillic
    content["lessons"][0]["pages"][0]["id"] = "Page"
    faults = check_content(content).faults
    assert [fault.code.value for fault in faults] == ["invalid_lesson_id", "invalid_page_id"]
    assert "CYRILLIC SMALL LETTER IE" in faults[0].message
    assert "capital letter" in faults[1].message


def test_a_film_of_thirty_scenes_and_ten_minutes_is_fine_and_one_more_is_not() -> None:
    block = film()
    block["scenes"] = [
        {"id": f"scene-{number}", "kind": "narration", "seconds": 20, "caption": "page.caption"} for number in range(30)
    ]
    block["emails"] = []
    assert codes(course(block)) == []
    block["scenes"][0]["seconds"] = 21
    assert codes(course(block)) == ["film_too_long"]
    block["scenes"] = block["scenes"][1:2]
    assert codes(course(block)) == ["too_few_scenes"]


@pytest.mark.parametrize(
    ("kind", "right", "expected"),
    [
        ("single", (True, False, False), []),
        ("single", (True, True), ["too_many_correct_choices"]),
        ("multiple", (True, True), []),
        ("multiple", (False, False), ["no_correct_choice"]),
        ("true_false", (False, True), []),
        ("true_false", (False, True, False), ["too_many_choices"]),
        ("single", (True, *(False,) * 12), ["too_many_choices"]),
    ],
)
def test_questions_have_the_right_number_of_correct_choices(
    kind: str, right: tuple[bool, ...], expected: list[str]
) -> None:
    assert codes(course({"type": "question", **question("which", kind, right)})) == expected


def test_every_fault_is_reported_in_the_order_of_the_file() -> None:
    data = b"""{
  "schema": "svc.content/1",
  "lessons": [
    {
      "id": "Lesson", "title": 7, "minutes": 1.5,
      "pages": [{"id": "page", "title": "other.title", "blocks": [{"type": "headings"}, {"type": "text"}, 5]}],
      "extra": null
    }
  ]
}
"""
    assert [(fault.code.value, fault.pointer, fault.line) for fault in check_content(data).faults] == [
        ("wrong_schema", "/schema", 2),
        ("invalid_lesson_id", "/lessons/0/id", 5),
        ("wrong_type", "/lessons/0/title", 5),
        ("wrong_type", "/lessons/0/minutes", 5),
        ("text_id_prefix", "/lessons/0/pages/0/title", 6),
        ("unknown_block_type", "/lessons/0/pages/0/blocks/0/type", 6),
        ("missing_key", "/lessons/0/pages/0/blocks/1", 6),
        ("wrong_type", "/lessons/0/pages/0/blocks/2", 6),
        ("unknown_key", "/lessons/0/extra", 7),
    ]


def test_an_offset_is_in_bytes_and_leads_to_the_value() -> None:
    data = '\ufeff{"schema": "svc.content/2", "é~/ü": "ö", "lessons": [7]}'.encode()
    faults = {fault.code: fault for fault in check_content(data).faults}
    wrong = faults[FaultCode.WRONG_TYPE]
    assert wrong.offset is not None
    assert data[wrong.offset :].startswith(b"7]")
    assert wrong.column == data.decode("utf-8-sig").index("7]") + 1
    unknown = faults[FaultCode.UNKNOWN_KEY]
    assert unknown.pointer == "/é~0~1ü"
    assert unknown.offset is not None
    assert data[unknown.offset :].startswith('"é~/ü"'.encode())


def test_the_place_of_a_doubled_key_is_its_second_one() -> None:
    data = b'{"schema": "svc.content/2", "lessons": [], "lessons": 5}'
    faults = {fault.code.value: fault.offset for fault in check_content(data).faults}
    assert faults == {"duplicate_key": data.rindex(b'"lessons"'), "wrong_type": data.rindex(b"5")}


def test_a_misspelt_key_or_type_gets_a_suggestion() -> None:
    content = course({"type": "headng", "text": "page.a"}, {"type": "text", "txt": "page.a"})
    messages = " ".join(fault.message for fault in check_content(content).faults)
    assert 'did you mean "heading"?' in messages
    assert 'did you mean "text"?' in messages


def test_the_check_ends_after_a_thousand_faults_and_says_that_there_are_more() -> None:
    checked = check_content(course(*[{"type": "text"}] * 5_000))
    assert len(checked.faults) == 1_000
    assert checked.fault_count > 1_000
    assert not checked.ok


def test_thousands_of_warnings_do_not_hide_an_error() -> None:
    ragged = {"type": "table", "rows": [["page.a"], *[["page.a", "page.b"]] * 2_000]}
    assert check_content(course(ragged)).ok
    assert not check_content(course(ragged, {"type": "nonsense"})).ok
