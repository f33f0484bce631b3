"""The canonical policy file: accepted byte for byte, or refused with a reason."""

import time

import pytest

from compliance.facts.policies.canonical import MOST_BYTES, check
from compliance.facts.policies.errors import PolicyHtmlError

WHOLE = (
    "<h1>Use of &amp; devices</h1>\n"
    '<p>Read <a href="https://example.com/a?b=1&amp;c=2">this</a>, <a href="../terms">that</a> or '
    '<a href="mailto:help@example.com">write</a>.</p>\n'
    "<h2>Lists</h2>\n<ul>\n<li>one</li>\n<li><strong>two</strong> <em>three</em></li>\n</ul>\n"
    '<ol start="3"><li>x</li></ol><blockquote><p>quoted</p></blockquote><pre><code>a &lt; b</code></pre><hr>'
    '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td colspan="2">ü&nbsp;😀<br>c</td></tr>'
    "</tbody></table>\n"
)


def test_a_canonical_file_is_kept_byte_for_byte_and_titled_by_its_heading() -> None:
    policy = check(WHOLE)
    assert policy.html == WHOLE
    assert policy.policy_title == "Use of & devices"


def test_a_heading_with_markup_becomes_a_plain_title() -> None:
    assert check("<h1>Code of\n <em>conduct</em><br>2026</h1>").policy_title == "Code of conduct 2026"


@pytest.mark.parametrize(
    "text, said",
    [
        ("<p>no heading</p>", "no main heading"),
        ("<h1>one</h1><h1>two</h1>", "2 main headings"),
        ("<p>before</p><h1>late</h1>", "nothing may come before"),
        ("\n<h1>late</h1>", "nothing may come before"),
        ("<h1> \n</h1><p>x</p>", "heading is empty"),
        ("<h1>x</h1><script>alert(1)</script>", "line 1"),
        ('<h1>x</h1>\n<p onclick="x()">y</p>', "line 2"),
        ('<h1>x</h1><p style="color:red">y</p>', "not canonical"),
        ("<h1>x</h1><style>p{}</style>", "not canonical"),
        ('<h1>x</h1><a href="javascript:alert(1)">y</a>', "not canonical"),
        ('<h1>x</h1><a href=" JaVaScRiPt:alert(1)">y</a>', "not canonical"),
        ('<h1>x</h1><a href="data:text/html,x">y</a>', "not canonical"),
        ('<h1>x</h1><img src="x">', "not canonical"),
        ("<h1>x</h1><iframe></iframe>", "not canonical"),
        ("<h1>x</h1><!-- hidden -->", "not canonical"),
        ("<h1>x</h1><p>unclosed", "not canonical"),
        ("<h1>x</h1>\r\n<p>y</p>", "U+000D"),
        ("<h1>x</h1>\x00", "U+0000"),
        ("<h1>\ud800</h1>", "surrogate"),
        ("<h1>" + "x" * 301 + "</h1>", "301 characters"),
    ],
)
def test_what_is_not_canonical_is_refused_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(PolicyHtmlError, match=said.replace("+", r"\+")):
        check(text)


def test_five_megabytes_and_deep_nesting_are_refused_without_work() -> None:
    started = time.process_time()
    with pytest.raises(PolicyHtmlError, match="at most"):
        check("<h1>x</h1>" + "<p>text</p>" * 500_000)
    with pytest.raises(PolicyHtmlError, match="deeper than 64"):
        check("<h1>x</h1>" + "<blockquote>" * 80_000 + "</blockquote>" * 80_000)
    assert time.process_time() - started < 30  # the cleaner alone would take minutes


def test_a_file_of_the_largest_size_passes() -> None:
    filler = "<p>" + "a" * (MOST_BYTES - len("<h1>x</h1><p></p>")) + "</p>"
    assert len(check("<h1>x</h1>" + filler).html) == MOST_BYTES
