"""Text of cells: cleaned of invisible characters, and the keys by which addresses, numbers and names are compared."""

import re
import unicodedata
from datetime import date
from decimal import Decimal, InvalidOperation

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200e\u200f\u2060\ufeff"))
_MARKS = re.compile("[\u0300-\u036f]")
_NO_WORD = re.compile(r"[\W_]+")
_NUMBER_AS_DECIMAL = re.compile(r"(-?\d+)[.,]0{1,2}")  # three zeros are thousands


def clean(cell: str) -> str:
    """The text of a cell in NFC: blanks and line breaks become single spaces, and invisible marks are removed."""
    return unicodedata.normalize("NFC", " ".join(cell.translate(_UNSEEN).split()))


def address_key(address: str) -> str:
    """Addresses with the same key are the same address: case is ignored."""
    return unicodedata.normalize("NFC", address.casefold())


def number_key(number: str) -> str:
    """Employee numbers with the same key are the same: case is ignored, and leading zeros, which Excel drops."""
    key = unicodedata.normalize("NFC", number.casefold()).replace(" ", "")
    return key.lstrip("0") or "0" if key.isdecimal() else key


def name_key(name: str) -> str:
    """Names of teams and roles with the same key are the same name: case, accents and blanks are ignored."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", name.casefold()))
    return " ".join(bare.split())


def heading_key(heading: str) -> str:
    """Headings with the same key are the same heading: only letters and digits count."""
    return " ".join(_NO_WORD.sub(" ", name_key(heading)).split())


def employee_number(cell: str) -> str:
    """An employee number as HR writes it: `1042.0`, which Excel makes of 1042, becomes 1042 again."""
    whole = _NUMBER_AS_DECIMAL.fullmatch(cell)
    return whole[1] if whole else cell


def plain_number(raw: str) -> str:
    """A number stored in a workbook, as people write it: `4.917E11` and `1042.0` become whole numbers."""
    if raw.isdecimal():
        return raw
    try:
        value = Decimal(raw)
    except InvalidOperation:
        return raw
    if not value.is_finite() or abs(value) >= 10**15 or value.adjusted() < -20:
        return raw  # `1E-999999` would be written with a million zeros
    return str(int(value)) if value == value.to_integral_value() else format(value.normalize(), "f")


_YEAR_FIRST = re.compile(r"(\d{4})([/-])(\d{1,2})\2(\d{1,2})(?:[T ].*)?")
_DIGITS_ALONE = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DAY_FIRST = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?: .*)?")
_SLASHED = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?: .*)?")


def days(cell: str) -> list[date]:
    """The days that a cell may mean: two for 03/04/2026, none for anything that is not a date."""
    if found := _YEAR_FIRST.fullmatch(cell):
        return _days((found[1], found[3], found[4]))
    if found := _DIGITS_ALONE.fullmatch(cell):
        return _days((found[1], found[2], found[3]))
    if found := _DAY_FIRST.fullmatch(cell):
        return _days((found[3], found[2], found[1]))
    if found := _SLASHED.fullmatch(cell):
        return _days((found[3], found[2], found[1]), (found[3], found[1], found[2]))
    return []


def is_unreadable_day(cell: str) -> bool:
    """Whether a cell states a day that `days` cannot read.

    Words without a digit ("permanent") and zeros alone (`00.00.0000`, which SAP writes) state no day.
    """
    return any(character.isdecimal() and character != "0" for character in cell) and not days(cell)


def _days(*written: tuple[str, str, str]) -> list[date]:
    found = set()
    for year, month, day in written:
        try:
            found.add(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return sorted(found)
