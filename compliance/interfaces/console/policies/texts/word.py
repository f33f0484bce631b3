"""Converts a Word document to HTML, using only the parts that hold text, each checked against limits beforehand.

Mammoth, which knows Word's styles, lists and tables, builds whole trees of what it reads. So it gets an archive that we
make: the parts that it needs, checked for size, number and depth of elements, and for a document type. It never gets
pictures, embedded files, macros or the file's own style map.
"""

import io
import re
import zipfile
from typing import Any, NamedTuple

import mammoth
from django.utils.translation import gettext as _

from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Loss, Losses
from compliance.provisioning.spreadsheets.archive import Archive
from compliance.provisioning.spreadsheets.errors import SpreadsheetError, TooLargeError

PART_BYTES = 12 * 1024 * 1024
"""Limit of the unpacked text with Word's formatting; a policy of 200 pages has 3 MiB."""
OTHER_BYTES = 2 * 1024 * 1024
ELEMENTS = 100_000
DEPTH = 60
_DOCUMENT = "word/document.xml"
_OTHERS = (
    "[Content_Types].xml", "_rels/.rels", "word/_rels/document.xml.rels", "word/styles.xml", "word/numbering.xml",
    "word/footnotes.xml", "word/endnotes.xml", "word/_rels/footnotes.xml.rels", "word/_rels/endnotes.xml.rels",
)  # fmt: skip
_TEXTS = (_DOCUMENT, "word/footnotes.xml", "word/endnotes.xml")
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='TOC Heading'] => !
p[style-name='toc 1'] => !
p[style-name='toc 2'] => !
p[style-name='toc 3'] => !
p[style-name='toc 4'] => !
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
strike => s
"""
_BACK = re.compile(r'\s*<a href="#(?:foot|end)note-ref-[^"]*">[^<]*</a>')
_PICTURES = frozenset({"blip", "imagedata"})


class Read(NamedTuple):
    """A Word document: its HTML, its paragraphs as they are in the file, and what was left out here."""

    html: str
    paragraphs: list[str]
    losses: Losses


def read(data: bytes) -> Read:
    """The text of a document. Raises UnreadableTextError."""
    try:
        archive = Archive(data)
        if not archive.has(_DOCUMENT):
            raise UnreadableTextError(_no_document())
        watch = _Watch()
        parts = {name: _part(archive, name, watch) for name in (*_OTHERS, _DOCUMENT) if archive.has(name)}
    except TooLargeError:
        raise UnreadableTextError(
            _("The document holds far more text than a policy can. Save the part that is the policy as a file.")
        ) from None
    except SpreadsheetError:
        raise UnreadableTextError(_no_document()) from None
    watch.losses[Loss.HEADER] += any(
        archive.has(f"word/{kind}{number}.xml") for kind in ("header", "footer") for number in range(1, 7)
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as checked:
        for name, content in parts.items():
            checked.writestr(name, content)
    made.seek(0)
    try:
        found = mammoth.convert_to_html(
            made,
            style_map=_STYLES,
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=lambda image: [],
        )
    except (ValueError, KeyError, AttributeError, IndexError, TypeError, OSError, RecursionError):
        # Mammoth expects what Word saves and may raise any error for anything else.
        raise UnreadableTextError(_no_document()) from None
    return Read(_BACK.sub("", found.value), watch.paragraphs, watch.losses)


def _part(archive: Archive, name: str, watch: "_Watch") -> bytes:
    """A part, after it was parsed once within the limits."""
    most = PART_BYTES if name == _DOCUMENT else OTHER_BYTES
    watch.begin(name)
    for _piece in archive.parse(name, watch.start, watch.end, watch.text, most):
        pass
    return archive.read(name, most)


class _Watch:
    """Collects a document's paragraphs while it is checked, and what mammoth would silently leave out."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.losses = Losses()
        self._elements = 0
        self._path: list[str] = []
        self._texts = False
        self._styles = False
        self._name_of: dict[str, str] = {}
        self._numbered: set[str] = set()
        self._style = ""
        self._line: list[str] = []
        self._paragraph_style = ""
        self._paragraph_numbered = False

    def begin(self, name: str) -> None:
        """A part begins."""
        self._texts, self._styles = name in _TEXTS, name == "word/styles.xml"
        self._path = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins. Raises UnreadableTextError."""
        self._elements += 1
        self._path.append(tag.lower())
        if self._elements > ELEMENTS:
            raise UnreadableTextError(
                _("The document is too long. Save the part that is the policy as a file of its own.")
            )
        if len(self._path) > DEPTH:
            raise UnreadableTextError(_no_document())
        if self._styles:
            self._see_style(tag, attributes)
        elif self._texts:
            self._see(tag, attributes)

    def end(self, tag: str) -> None:
        """An element ends."""
        if self._path:
            self._path.pop()
        if self._texts and tag == "p" and "p" not in self._path:
            self._end_paragraph()

    def text(self, words: str) -> None:
        """Text; text between elements has no meaning."""
        if self._texts and self._path and self._path[-1] == "t" and "choice" not in self._path:
            self._line.append(words)

    def _see_style(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self._style = _attribute(attributes, "styleId")
        elif tag == "name" and self._style:
            self._name_of[self._style] = _attribute(attributes, "val").lower()
        elif tag == "numPr" and self._style:
            self._numbered.add(self._style)

    def _see(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "p":
            if "p" not in self._path[:-1]:
                self._paragraph_style, self._paragraph_numbered = "", False
            else:
                self._line.append(" ")
        elif tag == "pStyle":
            self._paragraph_style = _attribute(attributes, "val")
        elif tag == "numPr":
            self._paragraph_numbered = True
        elif tag in ("tab", "br", "cr", "noBreakHyphen"):
            self._line.append(" ")
        elif tag in _PICTURES and "choice" not in self._path:
            self.losses[Loss.PICTURE] += 1
        elif tag in ("ins", "del") and self._path[-2:-1] != ["rpr"]:
            self.losses[Loss.REVISION] = 1
        elif tag == "commentReference":
            self.losses[Loss.COMMENT] += 1

    def _end_paragraph(self) -> None:
        line = "".join(self._line).strip()
        self._line = []
        style = self._name_of.get(self._paragraph_style, self._paragraph_style.lower())
        if style.startswith("toc"):
            self.losses[Loss.CONTENTS] += bool(line)
            return
        numbered = self._paragraph_numbered or self._paragraph_style in self._numbered
        self.losses[Loss.NUMBERED] += style.startswith("heading") and numbered and bool(line)
        if line:
            self.paragraphs.append(line)


def _attribute(attributes: dict[str, Any], name: str) -> str:
    """An attribute by its name without the prefix of its name space."""
    return next((str(value) for key, value in attributes.items() if key.rpartition(":")[2] == name), "")


def _no_document() -> str:
    return _("The file is no Word document (.docx) that can be read. Open it in Word and save it anew as .docx.")
