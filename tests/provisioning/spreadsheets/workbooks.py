"""Workbooks written part by part, valid or not, for tests."""

import io
import zipfile
from collections.abc import Collection, Iterable, Mapping

XML = '<?xml version="1.0" encoding="UTF-8"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def cells(*rows: Iterable[str]) -> str:
    """Rows of plain text."""
    return "".join(
        "<row>" + "".join(f"<c t='inlineStr'><is><t>{cell}</t></is></c>" for cell in row) + "</row>" for row in rows
    )


def workbook(
    sheet: str = "",
    strings: str = "",
    *,
    styles: str = "",
    more: Mapping[str, str] | None = None,
    hidden: Collection[str] = (),
    head: str = "",
    whole: str = "",
) -> bytes:
    """A workbook with one sheet of these rows, and `more` by their names. `whole` is the part as it is."""
    sheets = {"First": sheet} | dict(more or {})
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        states = dict.fromkeys(hidden, ' state="hidden"')
        names = "".join(
            f'<sheet name="{name}" sheetId="{at}"{states.get(name, "")} r:id="r{at}"/>'
            for at, name in enumerate(sheets, 1)
        )
        links = "".join(
            f'<Relationship Id="r{at}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
            for at in range(1, len(sheets) + 1)
        )
        links += f'<Relationship Id="s" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        links += f'<Relationship Id="t" Type="{_OFFICE}/styles" Target="/xl/styles.xml"/>'
        book = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{names}</sheets></workbook>'
        root = f'<Relationship Id="a" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        archive.writestr("_rels/.rels", f'{XML}<Relationships xmlns="{_PACKAGE}">{root}</Relationships>')
        archive.writestr("xl/workbook.xml", XML + book)
        archive.writestr(
            "xl/_rels/workbook.xml.rels", f'{XML}<Relationships xmlns="{_PACKAGE}">{links}</Relationships>'
        )
        for at, rows in enumerate(sheets.values(), 1):
            text = f'{XML}{head}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
            archive.writestr(f"xl/worksheets/sheet{at}.xml", whole or text)
        archive.writestr("xl/sharedStrings.xml", f'{XML}<sst xmlns="{_MAIN}">{strings}</sst>')
        archive.writestr("xl/styles.xml", f'{XML}<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>')
    return held.getvalue()
