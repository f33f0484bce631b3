"""Files of HR systems and spreadsheets become rows; files that would exhaust memory or time are refused."""

import io
import tracemalloc
import zipfile

import pytest

from compliance.provisioning.spreadsheets.errors import TooLargeError, UnreadableFileError
from compliance.provisioning.spreadsheets.limits import Limits
from compliance.provisioning.spreadsheets.reading import read
from tests.provisioning.spreadsheets.workbooks import XML, cells, workbook

HEAD = "E-Mail;Name;Team\r\n"


def rows(data: bytes, limits: Limits = Limits()) -> list[tuple[int, list[str]]]:  # noqa: B008
    return list(read(data, limits).rows())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_in_every_encoding(encoding: str) -> None:
    data = (HEAD + "zoë@example.org;Zoë Müller;Köln\r\n" * 3).encode(encoding)
    assert rows(data)[0] == (2, ["zoë@example.org", "Zoë Müller", "Köln"])


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_every_delimiter_though_others_stand_in_the_cells(delimiter: str) -> None:
    head, line = delimiter.join(["E-Mail", "Name", "Team"]), delimiter.join(["a@b.c", '"Meier, A; B"', '"x\ty|z"'])
    assert rows(f"{head}\n{line}\n".encode()) == [(2, ["a@b.c", "Meier, A; B", "x\ty|z"])]


def test_rows_are_counted_as_a_spreadsheet_counts_them() -> None:
    data = HEAD + 'a@b.c;"A\nB";x\r\n\r\n;;\r\nb@b.c;B;y\r\n'
    assert [number for number, _ in rows(data.encode())] == [2, 5]
    assert [number for number, _ in rows(("sep=;\r\n" + data).encode())] == [2, 5]


def test_headings_below_a_title_are_found() -> None:
    table = read(b"All people\r\n2026-11-01;\r\n\r\nE-Mail;Vorname;Nachname\r\na@b.c;A;B\r\n")
    assert (table.heading_row, table.headings) == (4, ("E-Mail", "Vorname", "Nachname"))
    assert [number for number, _ in table.rows()] == [5]


def test_a_row_about_a_person_is_no_row_of_headings() -> None:
    table = read(b"Dienstmail;Kennung\na@b.c;Service\nb@b.c;Status;Team\n")
    assert (table.heading_row, table.headings) == (1, ("Dienstmail", "Kennung"))


def test_a_quotation_mark_that_is_never_closed_is_named_with_its_row() -> None:
    with pytest.raises(UnreadableFileError, match="Row 3 cannot be read"):
        rows((HEAD + "a@b.c;A;x\r\n" + '"' + "y" * 200_000).encode())
    with pytest.raises(UnreadableFileError, match="Row 3 cannot be read"):  # the last row would be a part of it
        rows((HEAD + 'a@b.c;A;x\r\nb@b.c;"B;x\r\nc@b.c;C;x\r\n').encode())
    assert rows((HEAD + 'b@b.c;"B";"x"').encode()) == [(2, ["b@b.c", "B", "x"])]


def test_more_rows_or_columns_than_allowed_are_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 2 rows"):
        rows((HEAD + "a@b.c;A;x\n" * 3).encode(), Limits(rows=2))
    assert len(rows((HEAD + "a@b.c;A;x\n" * 2).encode(), Limits(rows=2))) == 2
    with pytest.raises(UnreadableFileError, match="more than 300 columns"):
        rows((HEAD + ";" * 300 + "x\n").encode())


def test_a_file_of_blank_rows_is_not_read_to_its_end() -> None:
    with pytest.raises(UnreadableFileError, match="1,048,576 rows, blank ones counted"):
        rows(b"E-Mail\na@b.c\n" + b"\n" * 1_100_000)


def test_a_workbook_with_numbers_dates_formulas_shared_and_formatted_text() -> None:
    sheet = (
        '<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="inlineStr"><is><t>Personal-Nr.</t></is></c>'
        '<c r="D3" t="s"><v>1</v></c></row>'
        '<row r="5"><c r="A5" t="str"><f>B5&amp;"@x"</f><v>anna@example.org</v></c><c r="B5"><v>1042</v></c>'
        '<c r="C5" s="1"><v>45292</v></c><c r="D5"><v>4.917E11</v></c><c r="E5" t="e"><v>#N/A</v></c>'
        '<c r="F5" t="b"><v>1</v></c><c r="G5"><f>1/2</f><v>0.5</v></c></row>'
    )
    strings = "<si><t>E-</t><t>Mail</t></si><si><r><t>Ab</t></r><r><t>teilung</t></r><rPh><t>phonetic</t></rPh></si>"
    own = '<numFmts><numFmt numFmtId="170" formatCode="dd\\.mm\\.yyyy"/></numFmts>'
    table = read(workbook(sheet, strings, styles=own + '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>'))
    assert table.headings == ("E-Mail", "Personal-Nr.", "", "Abteilung")
    assert list(table.rows()) == [
        (5, ["anna@example.org", "1042", "2024-01-01", "491700000000", "", "yes", "0.5"])
    ]  # fmt: skip


def test_the_sheet_with_the_people_is_found_and_cells_without_a_place_follow_one_another() -> None:
    notes = cells(["Read me"])
    people = "<row><c t='inlineStr'><is><t>E-Mail</t></is></c><c t='inlineStr'><is><t>Name</t></is></c></row>" + (
        "<row><c t='inlineStr'><is><t>a@b.c</t></is></c><c t='inlineStr'><is><t>A</t></is></c></row>"
    )
    table = read(workbook(notes, more={"People": people}))
    assert table.kind == "an Excel workbook, sheet “People”"
    assert list(table.rows()) == [(2, ["a@b.c", "A"])]


def test_a_visible_sheet_of_people_goes_before_hidden_ones() -> None:
    former = cells(["E-Mail", "Name", "Team", "Status"], ["old@b.c", "Old", "X", "active"])
    for visible, read_from in ((["E-Mail", "Name"], "First"), (["Read me"], "Archive")):
        table = read(workbook(cells(visible, ["a@b.c", "A"]), more={"Archive": former}, hidden={"Archive"}))
        assert table.sheet is not None
        assert table.sheet.name == read_from


def test_sheets_before_the_table_are_read_up_to_a_size_for_all_of_them() -> None:
    junk = "<row>" + " " * 1_000_000 + "</row>"
    many = {f"Junk {number}": junk for number in range(9)}
    people = {"People": cells(["E-Mail"], ["a@b.c"])}
    assert rows(workbook(junk, more=people), Limits(part_bytes=2_000_000)) == [(2, ["a@b.c"])]
    with pytest.raises(TooLargeError, match="sheets of the workbook unpack"):
        rows(workbook(junk, more=many | people), Limits(part_bytes=2_000_000))


def test_characters_that_excel_escapes_are_read() -> None:
    table = cells(["E-Mail", "Team"], ["a@b.c", "IT_x000D_\nHR_x005F_x000D_"])
    assert rows(workbook(table)) == [(2, ["a@b.c", "IT\r\nHR_x000D_"])]


def test_a_number_near_zero_takes_no_memory() -> None:
    far = cells(["E-Mail"]) + "<row><c><v>1E-999999</v></c><c><v>1.5E-3</v></c></row>"
    assert rows(workbook(far)) == [(2, ["1E-999999", "0.0015"])]


def _bomb(name: str) -> bytes:
    match name:
        case "blanks":
            return workbook("<row r='1'>" + " " * 50_000_000 + "</row>")
        case "one tag without end":
            return workbook("<c r='" + "A" * 2_000_000 + "'/>")
        case "one long cell":
            return workbook("<row r='1'><c t='inlineStr'><is><t>" + "x" * 40_000 + "</t></is></c></row>")
        case "entities":
            return workbook("<row/>", head='<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>')
        case "depth":
            return workbook(cells(["E-Mail"]) + "<a>" * 100_000 + "</a>" * 100_000)
        case "strings":
            return workbook("<row/>", "<si/>" * 100_001)
        case "broken":
            return _broken(workbook(cells(["E-Mail"] * 300)))
        case "unknown encoding":
            return workbook(whole="<?xml version='1.0' encoding='hex'?><worksheet/>")
        case "encoding of several bytes":
            return workbook(whole="<?xml version='1.0' encoding='utf-7'?><worksheet/>")
        case "two rows of one number":
            return workbook(cells(["E-Mail"]) + '<row r="2"><c><v>1</v></c></row>' * 2)
        case "half":
            return workbook(cells(["E-Mail"]))[:-30]
        case _:
            return workbook("<row")


def _broken(data: bytes) -> bytes:
    place = data.index(b"sheet1.xml") + 40
    return data[:place] + b"\xff" * 20 + data[place + 20 :]


@pytest.mark.parametrize(
    "name",
    [
        "blanks",
        "one tag without end",
        "one long cell",
        "entities",
        "depth",
        "strings",
        "broken",
        "unknown encoding",
        "encoding of several bytes",
        "two rows of one number",
        "half",
        "no XML",
    ],
)
def test_a_workbook_that_is_a_bomb_or_broken_is_refused_in_bounded_memory(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compliance.provisioning.spreadsheets.workbook.SHARED_STRINGS", 100_000)
    data = _bomb(name)
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFileError) as error:
            rows(data, Limits(part_bytes=16 * 1024 * 1024))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert str(error.value).endswith(".")
    assert peak < 40 * 1024 * 1024


def test_a_workbook_that_names_the_farthest_cell_takes_no_memory_for_those_before_it() -> None:
    far = cells(["E-Mail"]) + '<row r="1048576"><c r="A1048576" t="str"><v>a@b.c</v></c></row>'
    assert rows(workbook(far)) == [(1_048_576, ["a@b.c"])]
    with pytest.raises(UnreadableFileError, match="Row 9 has more than 300 columns"):
        rows(workbook(cells(["E-Mail"]) + '<row r="9"><c r="XFD9"><v>1</v></c></row>'))


def test_an_archive_of_very_many_parts_is_refused_before_they_are_listed() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"part{number:010}", b"")
    with pytest.raises(UnreadableFileError, match="no Excel workbook"):
        read(held.getvalue())


def test_a_workbook_is_read_whatever_prefix_its_names_have() -> None:
    sheet = f"{XML}<x:worksheet xmlns:x='u'><x:sheetData><x:row><x:c t='inlineStr'><x:is><x:t>E-Mail</x:t></x:is></x:c>"
    sheet += "</x:row><x:row><x:c t='inlineStr'><x:is><x:t>a@b.c</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>"
    assert rows(workbook(whole=sheet)) == [(2, ["a@b.c"])]
