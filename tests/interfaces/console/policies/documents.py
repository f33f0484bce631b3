"""Word documents for tests, written part by part, as Word writes them."""

import io
import zipfile

_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTENT_TYPES = (
    f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/></Types>'
)
RELATIONS = (
    f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1"'
    f' Type="{_RELATION}/officeDocument" Target="word/document.xml"/></Relationships>'
)
LINKS = (
    f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_RELATION}/hyperlink" Target="https://example.org/law" TargetMode="External"/>'
    f'<Relationship Id="rId2" Type="{_RELATION}/hyperlink" Target="javascript:alert(1)" TargetMode="External"/>'
    f'<Relationship Id="rId3" Type="{_RELATION}/image" Target="media/image1.png"/>'
    f'<Relationship Id="rId4" Type="{_RELATION}/image" Target="file:///etc/passwd" TargetMode="External"/>'
    "</Relationships>"
)
_NAMES = {"Titel": "Title", "berschrift1": "heading 1", "berschrift2": "heading 2", "Verzeichnis1": "toc 1"}
STYLES = (
    f'<?xml version="1.0"?><w:styles {_W}>'
    + "".join(
        f'<w:style w:type="paragraph" w:styleId="{each}"><w:name w:val="{name}"/></w:style>'
        for each, name in _NAMES.items()
    )
    + "</w:styles>"
)
NUMBERING = (
    f'<?xml version="1.0"?><w:numbering {_W}>'
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    "</w:numbering>"
)


def paragraph(words: str, style: str = "", *, numbered: int = 0, inside: str = "") -> str:
    """A paragraph of words; `inside` is XML that follows them."""
    number = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{numbered}"/></w:numPr>' if numbered else ""
    styled = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{styled}{number}</w:pPr>{run(words)}{inside}</w:p>"


def run(words: str, looks: str = "") -> str:
    """A run of words with formatting."""
    return f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def table(*rows: tuple[str, ...]) -> str:
    """A table of words."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{each}</w:tr>' for each in cells)}</w:tbl>"


def picture(relation: str = "embed", which: str = "rId3") -> str:
    """A run with a picture, in the file (`embed`) or outside of it (`link`)."""
    return (
        f'<w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:{relation}="{which}"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def document(*body: str, head: str = '<?xml version="1.0"?>') -> str:
    """The part with the text."""
    return f"{head}<w:document {_W}><w:body>{''.join(body)}</w:body></w:document>"


def docx(*body: str, text: str = "", **parts: str | bytes) -> bytes:
    """A document. Further parts by path, with two underscores for a slash and one for the dot (`word__header1_xml`)."""
    held: dict[str, str | bytes] = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": RELATIONS,
        "word/_rels/document.xml.rels": LINKS,
        "word/styles.xml": STYLES,
        "word/numbering.xml": NUMBERING,
        "word/document.xml": text or document(*body),
    }
    held |= {name.replace("__", "/").replace("_", "."): content for name, content in parts.items()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in held.items():
            archive.writestr(name, content)
    return made.getvalue()
