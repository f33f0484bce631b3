"""Every line of a facts file is a fact or a fault with its number and a reason."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from compliance.facts.lines.digests import digest
from compliance.facts.lines.reading import MAXIMUM_LINE_BYTES, ReadLine, RefusedLine, read
from tests.facts.files import completed, course, fact, file_of, joined, moment, shared, team, waived

ANNA = joined("anna")
JOINED_DIGEST = "f809971f63aac239aec52ceaee51be15f254f5cd16153bb21122ecadb307502a"
CHANGED_DIGEST = "2b9f62fa12ed73eb3352032ac4167f6d605b9bee891b53cd85fcf89a31cd610d"


def faults(content: bytes) -> list[RefusedLine]:
    return [each for each in read(io.BytesIO(content)) if isinstance(each, RefusedLine)]


def reason(line: dict[str, Any]) -> str:
    [fault] = faults(json.dumps(line).encode() + b"\n")
    assert fault.fact_id == line["fact_id"]
    return fault.reason


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"", "empty"),
        (b"\n \r\n", "empty"),
        (b"\xff\xfe\n", "UTF-8"),
        (json.dumps(ANNA, ensure_ascii=False).encode("utf-16"), "UTF-8"),
        (json.dumps(ANNA).encode()[:-20], "cut off"),
        (json.dumps(ANNA).encode()[:-20] + b"\n", "not valid JSON"),
        (b"[]\n", "not a JSON object"),
        (b'"text"\n', "not a JSON object"),
        (b"{}\n", "tells the kind"),
        (b'{"fact": 3}\n', "no such kind"),
        (b'{"fact": "team_founded"}\n', "no such kind of fact"),
        (json.dumps(ANNA)[:-1].encode() + b', "at": "2025-01-01T00:00:00Z"}\n', "'at' occurs twice"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n", "not valid JSON"),
        (b'{"fact":"team_created","name":"\\ud800"}\n', "not valid JSON"),
        (b'{"fact":"team_created","name":"\\ud800"}', "not valid JSON"),
    ],
)
def test_a_broken_line_is_a_fault_with_a_reason(content: bytes, expected: str) -> None:
    [fault] = faults(content)
    assert fault.number == 1
    assert expected in fault.reason


@pytest.mark.parametrize(
    "line, expected",
    [
        (ANNA | {"nickname": "Annie"}, "nickname: no such field."),
        (ANNA | {"at": "2025-02-30T00:00:00Z"}, "at: is no moment that exists."),
        (ANNA | {"at": "2025-02-03T25:00:00Z"}, "at: must be an RFC 3339 instant"),
        (ANNA | {"at": "2025-02-03T12:00:00"}, "at: must be an RFC 3339 instant"),
        (ANNA | {"at": "2025-02-03"}, "at: must be an RFC 3339 instant"),
        (ANNA | {"at": "20250203T120000Z"}, "at: must be an RFC 3339 instant"),
        (ANNA | {"at": 1738584000}, "at: Input should be a valid string."),
        (ANNA | {"at": "0001-01-01T00:00:00+14:00"}, "at: "),
        (ANNA | {"at": "9999-12-31T23:59:59Z"}, "1900 to 2999"),
        (ANNA | {"person_id": "{0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b}"}, "canonical form"),
        (ANNA | {"person_id": "urn:uuid:0b2e4f6a-8c1d-4e3f-9a5b-7d6c8e9f0a1b"}, "canonical form"),
        (ANNA | {"person_id": "0b2e4f6a8c1d4e3f9a5b7d6c8e9f0a1b"}, "canonical form"),
        (ANNA | {"account_email": "anna at example"}, "email address"),
        (ANNA | {"person_name": " "}, "something to read"),
        (ANNA | {"person_name": "a\x00b"}, "control characters"),
        (ANNA | {"staff_practice": "yes"}, "staff_practice: Input should be a valid boolean."),
        (fact("team_created", "x", team_id="x"), "name: the field is missing."),
        (shared("x", requirement="superseded"), "'required' or 'optional'"),
        (shared("x", doors=[]), "doors"),
        (shared("x", doors=["visitor"]), "'employee', 'partner' or 'customer'"),
        (shared("x", audience={}), "exactly one of everyone, team_ids, learner_profile_ids"),
        (shared("x", audience={"everyone": True, "team_ids": []}), "audience"),
        (shared("x", audience={"everyone": False}), "audience.everyone"),
        (shared("x", deadline={"basis": "share_deadline"}), "due_at: the field is missing."),
        (shared("x", deadline={"basis": "none", "days": 3}), "days: no such field."),
        (shared("x", deadline={"basis": "renewal"}), "deadline: no such kind."),
        (shared("x", deadline={"basis": "days_after_added", "days": 1.5}), "days"),
        (completed("anna", "x", 1) | {"lesson_release_id": ANNA["fact_id"]}, "exactly one of"),
        (waived(1, "anna", "x", 1, reason_code="no_time"), "reason_code"),
        (waived(1, "anna", "x", 1, due_at=moment(3)), "set_deadline only"),
        (waived(2**63, "anna", "x", 1), "obligation_change_id"),
        (course("x")[1] | {"version": 0}, "version"),
        (course("x")[1] | {"version": True}, "version"),
        (course("x", certificate={"title": "x", "kind": "honorary"})[0], "certificate.kind"),
        (fact("person_changed", "x", learner_profile_id="anna"), "changes nothing"),
        (fact("share_changed", "x", share_id="x"), "changes nothing"),
        (fact("contact_left", "x", learner_profile_id="x", door="employee"), "door"),
    ],
)
def test_a_field_that_breaks_its_form_is_named(line: dict[str, Any], expected: str) -> None:
    assert expected in reason(line)


def test_a_line_of_fifty_megabytes_is_passed_over_without_being_held() -> None:
    class Counting(io.BytesIO):
        longest = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            found = super().readline(size)
            Counting.longest = max(Counting.longest, len(found))
            return found

    stream = Counting(b'{"x":"' + b"y" * 50_000_000 + b'"}\n' + json.dumps(ANNA).encode() + b"\n")
    fault, good = read(stream)
    assert isinstance(fault, RefusedLine)
    assert fault.number == 1
    assert "longer than 16 MiB" in fault.reason
    assert isinstance(good, ReadLine)
    assert good.number == 2
    assert Counting.longest <= MAXIMUM_LINE_BYTES + 1


def test_a_reason_never_repeats_a_personal_value() -> None:
    for line in (ANNA | {"account_email": "secret"}, ANNA | {"person_name": "secret\n"}, ANNA | {"at": "secret"}):
        assert "secret" not in reason(line)


def test_what_a_fault_quotes_is_an_identifier_a_word_or_printable() -> None:
    for fact_id in (ANNA["fact_id"] + "\n", "Anna Example", "\x1b[2J"):
        [fault] = read(file_of([ANNA | {"fact_id": fact_id, "fact": "Anna \x1b[2J", "\x1b[2Jä": 1}]))
        assert isinstance(fault, RefusedLine)
        assert (fault.fact_id, fault.fact) == (None, None)
        [fault] = read(file_of([ANNA | {"\x1b[2Jä": 1}]))
        assert isinstance(fault, RefusedLine)
        assert (fault.fact_id, fault.fact) == (ANNA["fact_id"], ANNA["fact"])
        assert fault.reason.isprintable()


def test_a_byte_order_mark_blank_lines_and_a_missing_last_line_feed_are_forgiven() -> None:
    content = b"\xef\xbb\xbf" + json.dumps(ANNA).encode() + b"\r\n\r\n" + json.dumps(team("blue")).encode()
    found = list(read(io.BytesIO(content)))
    assert [type(each) for each in found] == [ReadLine, ReadLine]
    assert [each.number for each in found] == [1, 3]


@pytest.mark.parametrize(
    "line, expected",
    [
        (ANNA, JOINED_DIGEST),
        (ANNA | {"role_ids": ["manager"]}, JOINED_DIGEST),
        (fact("person_changed", "anna", 1, learner_profile_id="anna", person_name="Anna"), CHANGED_DIGEST),
    ],
)
def test_lines_of_files_from_before_roles_keep_their_digests(line: dict[str, Any], expected: str) -> None:
    [found] = read(file_of([line]))
    assert isinstance(found, ReadLine)
    assert digest(found.line).hex() == expected


def test_the_digest_ignores_how_a_line_is_written_and_what_is_personal() -> None:
    other = dict(reversed(list(ANNA.items()))) | {
        "at": ANNA["at"].replace("Z", "+00:00"), "invitation_id": None, "person_name": "Somebody else",
    }  # fmt: skip
    different = ANNA | {"staff_practice": True}
    first, second, third = (each.line for each in read(file_of([ANNA, other, different])))  # type: ignore[union-attr]
    assert digest(first) == digest(second) != digest(third)


def test_a_certificate_taken_away_differs_from_one_that_is_not_spoken_of() -> None:
    silent = fact("course_changed", "x", course_id="x", title="x")
    first, second = (each.line for each in read(file_of([silent, silent | {"certificate": None}])))  # type: ignore[union-attr]
    assert digest(first) != digest(second)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2025-02-03T12:00:00.123456789Z", datetime(2025, 2, 3, 12, 0, 0, 123456, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2017-01-01T00:59:60.5+01:00", datetime(2017, 1, 1, tzinfo=UTC)),
    ],
)
def test_any_precision_and_a_leap_second_are_read(written: str, moment: datetime) -> None:
    [each] = read(io.BytesIO(json.dumps(ANNA | {"at": written}).encode()))
    assert isinstance(each, ReadLine)
    assert each.line.at == moment
