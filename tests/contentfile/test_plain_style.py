"""Everyday styles are recognised fast, and never where the thorough check would find a fault."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from compliance.contentfile import FaultCode, check_content, limits
from compliance.contentfile.plain_style import is_plain
from compliance.contentfile.style import check_style

EVERYDAY = """
/* a card */
.card, .card.wide > p:first-child + b, svg:nth-child(2n + 1) ~ .x::before { position : absolute; top: -1.5em;
  transform: translate(calc(50% - (2px * 3)), -10px) rotate(3deg); --size: 2px; width: var(--size) }
* { box-sizing: border-box; }
.a{content:'';color:#fff;font-family:"DejaVu Sans",serif;animation:in 2s ease-in-out}
@keyframes in { from { opacity: 0 } 50.5%, to { opacity: 1; } }
@media screen and (min-width: 30em) { .card:hover { inset: 0 auto } @keyframes out { to { top: 0 } } }
@supports (display: grid) { .card { display: grid } }
"""
PIECES = [
    ".a", "b", "*", ":hover", "::before", ":is(.a)", ":nth-child(2n+1)", ":root", "#x", "[a=b]", " ", "\n", ">", "+",
    "~", ",", "{", "}", "{top:0}", "{position:fixed}", "{position:relative;}", ";", ":", "top", "position", "fixed",
    "content", "font-family", "--x", "color", "oops", "url(x)", "URL(", "var(--x)", "calc(1px + 2%)", "evil(1)", "(",
    ")", "1.5em", "-1%", "''", '"x"', "'", '"', "/*", "*/", "/* x */", "@media print{", "@media (min-width:1px) {",
    "@keyframes k{", "@supports (a:b){", "@import 'x';", "from", "to", "50%", "!important", "\\66", "<", "-->", "--",
    "é", "\x01", "u+1", "0", "/",
]  # fmt: skip


def test_an_everyday_style_is_plain_and_faultless() -> None:
    assert is_plain(EVERYDAY)
    assert check_style(EVERYDAY) == []


@given(some.lists(some.sampled_from(PIECES), max_size=25).map("".join))
def test_what_is_plain_has_no_fault(css: str) -> None:
    if is_plain(css):
        assert check_style(css) == []


def test_an_everyday_style_with_pieces_put_in_anywhere_is_plain_only_without_fault() -> None:
    chance = random.Random(9)
    plain = 0
    for _ in range(1_500):
        css = EVERYDAY
        for _ in range(chance.randint(1, 2)):
            begin = chance.randrange(len(css))
            css = css[:begin] + chance.choice(PIECES) + css[begin + chance.choice((0, 0, 1, 5)) :]
        if is_plain(css):
            plain += 1
            assert check_style(css) == [], css
    assert plain > 100


@pytest.mark.parametrize(
    "css", ["a" * 32_000, "{" * 31_000, "." * 31_000, ".a{" + "(" * 31_000, "/*" * 16_000, '"' * 9]
)
def test_a_style_made_to_be_slow_is_not(css: str) -> None:
    started = time.process_time()
    assert not is_plain(css)
    assert time.process_time() - started < 1


def course(styles: list[str]) -> dict[str, Any]:
    """A course with one film on each page, each with a style."""
    film = json.loads((Path(__file__).parent.parent / "vectors" / "content" / "style_url.json").read_text())
    (lesson,) = film["lessons"]
    text = json.dumps(lesson["pages"][0])
    name = lesson["pages"][0]["id"]
    pages = []
    for number, style in enumerate(styles):
        page = json.loads(text.replace(f'"{name}', f'"p{number}').replace('"spot-it"', f'"q{number}"'))
        next(block for block in page["blocks"] if block["type"] == "film")["style"] = style
        pages.append(page)
    return film | {"lessons": [lesson | {"pages": pages}]}


def test_a_course_may_hold_films_with_long_styles_up_to_its_own_size() -> None:
    rule = ".card-{} {{ position: absolute; left: {}px; transform: translate(10px, 20px); animation: in 2s }}\n"
    long = "".join(rule.format(number, number) for number in range(312))
    styles = [f".film-{number}{{top:0}}{long}" for number in range(110)]
    assert 30_000 < len(styles[0]) < limits.STYLE_BYTES
    data = json.dumps(course(styles)).encode()
    assert 3_400_000 < len(data) < limits.JSON_BYTES
    started = time.process_time()
    assert check_content(data).faults == ()
    assert time.process_time() - started < 20


def test_unusual_styles_are_parsed_once_each_and_up_to_a_bound_in_all() -> None:
    unusual = ".a:is(.b){top:0}" * 1_990
    assert not is_plain(unusual)
    assert check_content(json.dumps(course([unusual] * 30)).encode()).faults == ()
    started = time.process_time()
    different = [f".a{number}" + unusual[2:] for number in range(12)]
    faults = check_content(json.dumps(course(different)).encode()).faults
    assert {fault.code for fault in faults} == {FaultCode.STYLE_TOO_LARGE}
    assert len(faults) == 12 - limits.UNUSUAL_STYLE_BYTES_IN_ALL // len(different[0])
    assert time.process_time() - started < 20
