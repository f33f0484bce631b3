"""Lines of a body: a fault within a line refuses that line, a fault of the whole refuses the whole."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compliance.facts.lines.reading import ReadLine, RefusedLine, read_line
from compliance.facts.refusal_reasons import RefusalReason
from compliance.interfaces.api.problems import Code, Problem
from compliance.interfaces.ingest import lines
from compliance.interfaces.ingest.lines import MAXIMUM_LINES, MAXIMUM_VALUES, lines_of
from tests.facts.files import fact, team

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def read(content):
    return list(lines_of(content))


def refusal(content):
    with pytest.raises(Problem) as raised:
        read(content)
    return raised.value.code


@settings(max_examples=50)
@given(st.lists(JSON | st.just(team("blue")), max_size=8), st.sampled_from([None, 0, 3]), st.booleans())
def test_the_elements_of_any_array_are_read_as_the_same_lines_would_be(elements, indent, plain):
    content = json.dumps(elements, indent=indent, ensure_ascii=plain).encode()
    expected = [read_line(number, json.dumps(each).encode()) for number, each in enumerate(elements, 1)]
    found = read(b"\xef\xbb\xbf \r\n" + content + b"\n\t")
    assert [_told(each) for each in found] == [_told(each) for each in expected]


def _told(each: ReadLine | RefusedLine) -> tuple[int, object]:
    return each.number, each.line if isinstance(each, ReadLine) else each.code


@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text('[]{}",:\\ au01\n', max_size=40).map(str.encode))
def test_whatever_bytes_come_each_line_is_a_fact_or_a_fault_or_the_body_a_problem(content):
    for begun in (content, b"[" + content, b"[" + content + b"]"):
        with contextlib.suppress(Problem):
            assert all(isinstance(each, RefusedLine) for each in read(begun))


@pytest.mark.parametrize(
    "content",
    [
        b"", b" \r\n\t\n", b"\xef\xbb\xbf", b"[", b"[,]", b"[{},]", b"[{}", b"[{} {}]", b"[{}] {}", b"[{}]]",
        b'["x', b"[{]", b"[" * 1_000, b'[{"a":' * 101 + b"1" + b"}]" * 101, b"[1 2]x", b"[1",
    ],
)  # fmt: skip
def test_a_body_without_lines_or_an_array_that_is_none_is_refused_whole(content):
    assert refusal(content) is Code.BODY_NOT_READABLE


BROKEN = {
    b'{"fact":"team_created"\xff}': RefusalReason.INVALID_UTF8,
    b'{"name":"\xff"}': RefusalReason.INVALID_UTF8,
    b'{"name":"\\ud800"}': RefusalReason.INVALID_JSON,
    b'{"name":"a\x00"}': RefusalReason.INVALID_JSON,
    b'{"name":}': RefusalReason.INVALID_JSON,
    b"nonsense": RefusalReason.INVALID_JSON,
    b'{"fact":"team_created","x":1e400}': RefusalReason.INVALID_FACT,
    b'{"fact":"team_created","x":' + b"9" * 4_000 + b"}": RefusalReason.INVALID_FACT,
    b'{"fact":"moved_house"}': RefusalReason.UNKNOWN_KIND,
    b"5": RefusalReason.INVALID_FACT,
    b"{}": RefusalReason.INVALID_FACT,
    json.dumps(team("blue")).encode()[:-1] + b',"name":"x"}': RefusalReason.REPEATED_KEY,
    json.dumps(team("blue")).encode()[:-1] + b',"n\\u0061me":"x"}': RefusalReason.REPEATED_KEY,
    json.dumps(team("a\0b")).encode(): RefusalReason.INVALID_FACT,
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_line_spoils_no_other_whichever_way_it_comes(broken):
    good = json.dumps(team("blue")).encode()
    for content in (b"\n".join([good, broken, good]), b"\r\n".join([good, broken, good, b""])):
        first, fault, last = read(content)
        assert isinstance(first, ReadLine)
        assert isinstance(last, ReadLine)
        assert (fault.number, fault.code) == (2, BROKEN[broken])
    first, fault, last = read(b"[" + b",\n".join([good, broken, good]) + b"]")
    assert (type(first), fault.code, type(last)) == (ReadLine, BROKEN[broken], ReadLine)


def test_a_key_that_stands_twice_in_an_element_is_found_whatever_is_between_key_and_colon():
    line = json.dumps(team("blue")).encode()
    for space in (b"", b" ", b"\n", b"\t\r\n"):
        [found] = read(b"[" + line[:-1] + b',"name"' + space + b':"x"}]')
        assert found.code is RefusalReason.REPEATED_KEY


def test_no_body_of_facts_meets_the_bounds_on_lines_and_values():
    shortest = json.dumps(fact("share_ended", "x", share_id="x"), separators=(",", ":")).encode() + b"\n"
    assert 8 * 1024 * 1024 / len(shortest) < lines.MAXIMUM_LINES
    assert 8 * 1024 * 1024 / len(shortest) * (shortest.count(b",") + 1) < MAXIMUM_VALUES


def test_more_lines_or_values_than_facts_could_have_are_413():
    assert refusal(b"{}\n" * (MAXIMUM_LINES + 1)) is Code.BODY_TOO_LARGE
    assert refusal(b"\n" * (MAXIMUM_LINES + 1) + b"{}") is Code.BODY_TOO_LARGE
    assert refusal(b"[" + b"{}," * MAXIMUM_LINES + b"{}]") is Code.BODY_TOO_LARGE
    assert len(read(b"[" + b"{}," * (MAXIMUM_LINES - 1) + b"{}]")) == MAXIMUM_LINES
    assert refusal(b'{"a":[' + b"[]," * (MAXIMUM_VALUES // 2) + b"[]]}") is Code.BODY_TOO_LARGE
