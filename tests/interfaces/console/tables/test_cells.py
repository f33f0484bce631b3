"""No cell becomes a formula, whichever separator a program assumes (OWASP, CSV Injection)."""

import csv
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compliance.interfaces.console.tables import xlsx
from compliance.proofs import cells

SEPARATORS = [",", ";", "\t", "|"]
SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
ATTACKS = [
    *(f"{sign}1+1" for sign in SIGNS),
    "a;=1+1", "a,=1+1", "a\t=1+1", "a|=1+1", "a\n=1+1", "a\r@SUM(1)", 'a;"=1+1"', 'a";=1+1;"', "; =1+1", "  =1+1",
    "\u200b=1+1", "\ufeff=1+1", '"=1+1"', ";;+1", "a; -1", '";=cmd|\' /C calc\'!A0;"', "\u00a0=1", "a;\u200b=1", ";'=1",
]  # fmt: skip


def read(line: str, separator: str) -> list[str]:
    """The cells as read by a program that assumes `separator`, and accepts quotes only at the beginning of a cell."""
    return [cell for row in csv.reader(io.StringIO(line, newline=""), delimiter=separator) for cell in row]


def is_formula(cell: str) -> bool:
    """Whether a cell is a formula, possibly after tabs and line ends."""
    return cell.lstrip(' \u00a0\u200b\ufeff"\t\r\n').startswith(SIGNS[:8])


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("separator", SEPARATORS)
def test_no_attack_is_a_formula_under_any_separator(attack, separator):
    line = cells.line(["Ana", attack, "Ben"])
    assert not any(is_formula(cell) for cell in read(line, separator)), line


@given(st.lists(st.text(alphabet="=+-@;,|\t\r\n\"' a\uff1d\u200b", max_size=12), min_size=1, max_size=3))
def test_no_text_at_all_is_a_formula_under_any_separator(values):
    line = cells.line(values)
    for separator in SEPARATORS:
        assert not any(is_formula(cell) for cell in read(line, separator)), (line, separator)


@pytest.mark.parametrize(
    "plain", ["Ana-Maria D’Or", "a+b@example.org", "2026-03-31", "Doe, Jane", "50 % = half", "a; b", "-" * 0, "E=mc²"]
)
def test_what_is_no_attack_stays_as_it_is(plain):
    assert cells.defused(plain) == plain
    assert read(cells.line([plain, 1]), ",") == [plain, "1"]


def test_numbers_stay_numbers():
    assert cells.line([-5, 1.5, None, True]) == "-5,1.5,,true\r\n"


def test_xlsx_writes_text_as_text():
    book = zipfile.ZipFile(io.BytesIO(b"".join(xlsx.stream("t", ["h"], [[attack] for attack in ATTACKS]))))
    sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert sheet.count('t="inlineStr"') == len(ATTACKS) + 1
