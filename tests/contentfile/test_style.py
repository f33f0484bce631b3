"""Styles that try to affect more than their film, and what is written of a style that is accepted."""

import pytest

from compliance.contentfile.errors import StyleFaulty
from compliance.contentfile.scoped_style import scope_style
from compliance.contentfile.style import check_style


def codes(css: str) -> list[str]:
    return [fault.code.value for fault in check_style(css)]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("</style><script>alert(1)</script>", "style_character"),
        (".a{}<!--", "style_character"),
        (".a{}-->", "style_character"),
        (".a{ position: \\66ixed }", "style_character"),
        (".a { color: red", "style_unfinished"),
        (".a { width: calc(1px }", "style_unfinished"),
        (".a {} /* open", "style_unfinished"),
        ("@media print { .a {} ", "style_unfinished"),
        (".a", "style_unfinished"),
        ('.a::before { content: "open', "style_unfinished"),
        ("} body { color: red }", "style_syntax"),
        (".a { } } .b { color: red }", "style_syntax"),
        (".a { .b { color: red } }", "style_syntax"),
        (".a { & .b { color: red } }", "style_syntax"),
        ("@import 'https://example.com/a.css';", "style_at_rule"),
        ("@font-face { font-family: x }", "style_at_rule"),
        ("@namespace svg 'http://www.w3.org/2000/svg';", "style_at_rule"),
        ("@charset 'utf-8';", "style_at_rule"),
        ("@page { margin: 0 }", "style_at_rule"),
        ("@media print { @import 'a'; }", "style_at_rule"),
        ("@-webkit-keyframes a { from { top: 0 } }", "style_at_rule"),
        ("~ .a {}", "style_selector"),
        ("> .a {}", "style_selector"),
        (".a, + .b {}", "style_selector"),
        (".a:is(+ .b) {}", "style_selector"),
        (".a > {}", "style_selector"),
        (":root {}", "style_selector"),
        (":host {}", "style_selector"),
        ("#page {}", "style_selector"),
        ("svg|a {}", "style_selector"),
        (".a:has(.b) {}", "style_selector"),
        (".a::part(b) {}", "style_selector"),
        ("& .a {}", "style_selector"),
        (", .a {}", "style_selector"),
        ("{ color: red }", "style_selector"),
        (".a { -moz-binding: none }", "style_property"),
        (".a { all: unset }", "style_property"),
        (".a { contain: none }", "style_property"),
        (".a { position: fixed }", "style_position"),
        (".a { position: sticky }", "style_position"),
        (".a { --where: fixed; position: var(--where) }", "style_position"),
        (".a { POSITION: FIXED }", "style_position"),
        ("@supports (color: red) { .a { position: fixed } }", "style_position"),
        (".a { background: url(x.png) }", "style_url"),
        ('.a { background: url("x.png") }', "style_url"),
        (".a { background: URL( x.png ) }", "style_url"),
        (".a { --x: url(x.png) }", "style_url"),
        ("@media (min-width: 1px) { .a { background: image-set('x.png' 1x) } }", "style_url"),
        ("@keyframes a { to { background: url(x.png) } }", "style_url"),
        ("@supports (background: url(x.png)) { .a {} }", "style_url"),
        (".a { width: expression(1) }", "style_function"),
        (".a { content: attr(title) }", "style_function"),
        (".a::after { content: 'Pay now' }", "style_text"),
        (".a { list-style-type: 'x' }", "style_text"),
        (".a { --words: 'x' }", "style_text"),
        (".a { color: red !important }", "style_important"),
        ("@keyframes { from { top: 0 } }", "style_syntax"),
        ("@keyframes a { middle { top: 0 } }", "style_syntax"),
        (".a { color: red; oops }", "style_syntax"),
        (".a { width: " + "calc(" * 20 + "1px" + ")" * 20 + " }", "style_syntax"),
    ],
)
def test_a_style_that_could_escape_is_refused(css: str, expected: str) -> None:
    assert expected in codes(css)
    with pytest.raises(StyleFaulty):
        scope_style(css, "film")


@pytest.mark.parametrize(
    ("css", "scoped"),
    [
        ("", ""),
        ("/* only a comment */", ""),
        (".a{color:red}", ".f .a{color:red}\n"),
        (".a , b > .c:not( .d , .e )::before{top:0}", ".f .a,.f b > .c:not( .d , .e )::before{top:0}\n"),
        ("body, html { margin: 0 }", ".f body,.f html{margin:0}\n"),
        ("* { box-sizing: border-box }", ".f *{box-sizing:border-box}\n"),
        ("[data-scene='a,b'] {}", '.f [data-scene="a,b"]{}\n'),
        (".a:nth-child(2n + 1) {}", ".f .a:nth-child(2n + 1){}\n"),
        (".a { --Size: 2px; width: calc(var(--Size) * 2) }", ".f .a{--Size:2px;width:calc(var(--Size) * 2)}\n"),
        (
            "@keyframes spin { 50% { rotate: 1turn } } .a { animation: spin 1s, fade 2s; animation-name: spin }",
            "@keyframes f-spin{50%{rotate:1turn}}\n.f .a{animation:f-spin 1s, fade 2s;animation-name:f-spin}\n",
        ),
        (
            "@media (max-width: 30em) and (orientation: portrait) { .a { top: 0 } }",
            "@media (max-width: 30em) and (orientation: portrait){.f .a{top:0}\n}\n",
        ),
        (
            "@supports (display: grid) { @media print { @keyframes x { to { top: 0 } } } } .a { animation-name: x }",
            "@supports (display: grid){@media print{@keyframes f-x{to{top:0}}\n}\n}\n.f .a{animation-name:f-x}\n",
        ),
        (
            ".a { content: ''; font-family: 'DejaVu Sans', serif }",
            '.f .a{content:"";font-family:"DejaVu Sans", serif}\n',
        ),
    ],
)
def test_a_style_that_may_stay_is_written_anew_behind_its_scope(css: str, scoped: str) -> None:
    assert codes(css) == []
    frame, _, rest = scope_style(css, "f").partition("\n")
    assert frame == ".f{position:relative;overflow:hidden;isolation:isolate;contain:layout paint style}"
    assert rest == scoped


def test_scoping_twice_gives_the_same_bytes_and_a_scope_must_be_a_class() -> None:
    css = ".a{animation:x}@keyframes x{to{top:0}}"
    assert scope_style(css, "film-1") == scope_style(css, "film-1")
    for scope in ("", "a b", "a{}", "1a", "A"):
        with pytest.raises(StyleFaulty):
            scope_style(css, scope)


def test_a_style_of_exactly_the_limit_is_read() -> None:
    assert codes("/*" + "x" * 31_996 + "*/") == []
    assert codes("/*" + "x" * 31_997 + "*/") == ["style_too_large"]
    assert codes("/*" + "é" * 15_999 + "*/") == ["style_too_large"]


def test_every_fault_of_a_style_is_listed_with_its_line() -> None:
    faults = check_style(".a { position: fixed }\n\n.b { background: url(x); colour: red }\n#c {}")
    assert [(fault.code.value, fault.line) for fault in faults] == [
        ("style_position", 1),
        ("style_url", 3),
        ("style_property", 3),
        ("style_selector", 4),
    ]
