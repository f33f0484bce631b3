"""Files that become policies: contents are kept or reported as left out, and hostile files are refused unread."""

import gzip
import json
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from compliance.facts.policies import canonical
from compliance.interfaces.console.policies.texts import files, tidying
from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Loss, sentences
from tests.interfaces.console.policies.documents import document, docx, paragraph, picture, run, table

REAL = Path(__file__).resolve().parents[6] / "shared" / "data" / "policies" / "policies.jsonl.gz"
TITLE = paragraph("Travel", "Titel")


def read(data, name="travel.docx"):
    made = files.read(data if isinstance(data, bytes) else data.encode(), name)
    assert canonical.check(made.html).policy_title == made.title
    return made


def test_a_word_document_becomes_headings_lists_tables_and_links():
    link = f'<w:hyperlink r:id="rId1">{run("the law")}</w:hyperlink>'
    made = read(
        docx(
            TITLE,
            paragraph("Scope", "berschrift1"),
            paragraph("For all of ", inside=run("us", "<w:b/>") + run(" by ") + link),
            paragraph("Book early", numbered=1),
            paragraph("Go by train", numbered=1),
            paragraph("Ask", numbered=2),
            table(("Hotel", "140"), ("Dinner", "35")),
        )
    )
    assert made.html.splitlines() == [
        "<h1>Travel</h1>",
        "<h2>Scope</h2>",
        '<p>For all of <strong>us</strong> by <a href="https://example.org/law">the law</a></p>',
        "<ul><li>Book early</li><li>Go by train</li></ul>",
        "<ol><li>Ask</li></ol>",
        "<table><tbody><tr><td><p>Hotel</p></td><td><p>140</p></td></tr>"
        "<tr><td><p>Dinner</p></td><td><p>35</p></td></tr></tbody></table>",
    ]
    assert made.original.lost == []


def test_what_of_a_word_document_cannot_be_kept_is_said():
    made = read(
        docx(
            TITLE,
            paragraph("1 Scope", "Verzeichnis1"),
            paragraph("Scope", "berschrift1", numbered=2),
            paragraph(
                "Costs of 5 m", inside=run("2", '<w:vertAlign w:val="superscript"/>') + run(" gone", "<w:strike/>")
            ),
            paragraph("See", inside=picture() + f'<w:hyperlink r:id="rId2">{run(" this")}</w:hyperlink>'),
            f'<w:p><w:ins w:id="1">{run("new")}</w:ins>'
            '<w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>',
            word__header1_xml="<x/>",
        )
    )
    expected = {
        Loss.PICTURE, Loss.STRUCK, Loss.LINK, Loss.LEVELS, Loss.CONTENTS, Loss.HEADER, Loss.REVISION, Loss.NUMBERED,
    }  # fmt: skip
    assert {each for each, number in made.losses.items() if number} == expected
    assert len(sentences(made.losses)) == len(expected)
    assert "<p>Costs of 5 m²</p>" in made.html
    assert "<p>See this</p>" in made.html
    assert "<p>new</p>" in made.html
    assert made.original.lost == ["gone"]


def test_markdown_becomes_a_policy_and_its_front_matter_names_it():
    made = read(
        "---\ntitle: Travel\n---\nBook *early*.\n\n| What | EUR |\n|---|---|\n| Hotel | 140 |\n"
        "\n> Ask.\n\n1. One\n2. Two\n",
        "travel.md",
    )
    assert made.html.splitlines() == [
        "<h1>Travel</h1>",
        "<p>Book <em>early</em>.</p>",
        "<table><thead><tr><th>What</th><th>EUR</th></tr></thead>"
        "<tbody><tr><td>Hotel</td><td>140</td></tr></tbody></table>",
        "<blockquote><p>Ask.</p></blockquote>",
        "<ol><li>One</li><li>Two</li></ol>",
    ]


def test_scripts_in_markdown_and_html_run_nowhere_and_are_counted():
    text = (
        '# T\n\nA<script>alert(1)</script> <img src=x onerror="alert(2)"> [b](javascript:alert(3))'
        ' <a href="data:x">c</a>'
    )
    for made in (read(text, "t.md"), read(f"<html><h1>T</h1>{text[5:]}", "t.html")):
        assert "alert" not in made.html.replace("[b](javascript:alert(3))", "")
        assert "<img" not in made.html
        assert (made.losses[Loss.SCRIPT], made.losses[Loss.PICTURE], made.losses[Loss.LINK]) == (1, 1, 1)


def test_a_text_without_a_heading_is_called_by_its_file():
    made = read("Be kind.", "code_of-conduct.txt")
    assert made.html == "<h1>code of conduct</h1>\n<p>Be kind.</p>"
    assert made.losses[Loss.TITLE_MADE] == 1


@pytest.mark.parametrize(
    "data, name, words",
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a.doc", "Save it as .docx without a password"),
        (b"%PDF-1.7", "a.pdf", "A PDF holds pages"),
        (b"{\\rtf1", "a.rtf", "save it as .docx"),
        (b"\xff\xd8\xff\xe0\0\x10", "a.jpg", "neither Word nor text"),
        (b"PK\x03\x04 and no more", "a.docx", "no Word document"),
        (b"  \n", "a.md", "The text is empty"),
        (b"x" * (files.FILE_BYTES + 1), "a.docx", "larger than 32 MiB"),
        (b"x" * (files.TEXT_BYTES + 1), "a.md", "longer than 256 KiB"),
        (b"[" * 3000, "a.md", "more marks than can be read"),
        (b"<html>" + b"<div>" * 5000, "a.html", "too many tags open"),
    ],
)
def test_what_is_no_text_is_refused_with_what_to_do(data, name, words):
    with pytest.raises(UnreadableTextError, match=words):
        files.read(data, name)


def bomb(part, size):
    """A document one part of which unpacks to `size` bytes."""
    made = BytesIO(docx(TITLE, paragraph("Words")))
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(part, "w", force_zip64=True) as into:
        into.write(b'<?xml version="1.0"?><w:document xmlns:w="x"><w:body><w:p><w:r><w:t>')
        for _ in range(size // (1 << 20)):
            into.write(b"a" * (1 << 20))
    return made.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "make, refused",
    [
        (lambda: bomb("word/document.xml", 200 << 20), True),
        (lambda: bomb("word/styles.xml", 200 << 20), True),
        (lambda: bomb("word/media/image1.png", 200 << 20), False),
        (lambda: docx(text=document("<w:p>" * 20_000)), True),
        (lambda: docx(text=document(*["<w:p/>"] * 200_000)), True),
        (lambda: docx(text=document(paragraph("&a;"), head='<!DOCTYPE w [<!ENTITY a "aaaa">]>')), True),
        (
            lambda: docx(
                text=document(paragraph("&e;"), head='<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>')
            ),
            True,
        ),
        (lambda: docx(TITLE, paragraph("Words", inside=picture("link", "rId4"))), False),
    ],
    ids=["text", "styles", "picture", "depth", "elements", "entity", "external", "linked"],
)
def test_a_hostile_document_costs_little_memory_and_reads_no_file(make, refused):
    data = make()
    tracemalloc.start()
    try:
        if refused:
            with pytest.raises(UnreadableTextError):
                files.read(data, "a.docx")
        else:
            assert "root:" not in read(data).html
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 64 << 20


def test_a_style_map_of_the_file_s_own_is_not_followed():
    made = read(
        docx(TITLE, paragraph("Words"), mammoth__style_map="p => script:fresh", **{"mammoth__style-map": "p => x"})
    )
    assert made.html == "<h1>Travel</h1><p>Words</p>"


@pytest.mark.parametrize("html", ["<h1>T</h1><p>a</p>", "<h1>T</h1>\n\n<p>a&nbsp;b</p>\n<hr>"])
def test_what_is_canonical_already_stays_byte_for_byte(html):
    assert tidying.tidy(html).html == html


@pytest.mark.parametrize(
    "given, left",
    [
        ("<div><div>T</div><div>a</div></div>", None),
        (
            "<h2>T</h2>text<div>more <b>bold <b>twice</b></b></div>",
            "<h1>T</h1>\n<p>text</p>\n<p>more <strong>bold twice</strong></p>",
        ),
        ("<p>before</p><h1>T</h1><h1>U</h1><h4>V</h4>", "<h1>T</h1>\n<p>before</p>\n<h2>U</h2>\n<h4>V</h4>"),
        ("<h1>T</h1><li>loose</li><td>cell</td>", "<h1>T</h1>\n<p>loose</p>\n<p>cell</p>"),
        ('<h1>T</h1><ol start="3" onclick="x()"><li>a<p></p></ol>', '<h1>T</h1>\n<ol start="3"><li>a</li></ol>'),
        ("<h1>T</h1><p>H<sub>2</sub>O<sup>th</sup> &amp; &lt;b&gt;</p>", "<h1>T</h1>\n<p>H₂Oth &amp; &lt;b&gt;</p>"),
        ("<h1>T</h1><p>a<span style='x'>b</span><br>c</p><p> </p>", "<h1>T</h1>\n<p>ab<br>c</p>"),
        ("<h1>T</h1><ul><li>a<ul><li>b</li></ul></li></ul>", "<h1>T</h1><ul><li>a<ul><li>b</li></ul></li></ul>"),
    ],
)
def test_other_html_is_tidied(given, left):
    if left is None:
        with pytest.raises(UnreadableTextError, match="no title"):
            tidying.tidy(given)
    else:
        assert tidying.tidy(given).html == left


@pytest.mark.skipif(not REAL.exists(), reason="the published policies are not on this machine")
def test_policies_that_a_company_published_come_through_whole():
    with gzip.open(REAL, "rt") as lines:
        published = [json.loads(line)["html"] for line in lines]
    assert len(published) > 40
    for html in published[::6]:
        assert tidying.tidy(html).html == html
        paragraphs = tidying.words(html)
        loosened = html.replace("<strong>", "<b>").replace("</strong>", "</b>").replace("<p>", '<p class="x">')
        made = tidying.tidy(loosened)
        assert tidying.lost([" ".join(paragraphs)], made.html, 10) == []
