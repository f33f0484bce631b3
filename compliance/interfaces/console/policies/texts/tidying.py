"""Reduces any HTML to canonical policy HTML: everything else is removed or unwrapped, and counted.

`facts.policies.canonical` accepts the result; otherwise the text is refused with a message. A text that is already
canonical is returned unchanged, byte for byte.
"""

import contextlib
import html as entities
import re
import unicodedata
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import NamedTuple

import nh3
from django.utils.translation import gettext as _

from compliance.facts.policies import canonical
from compliance.facts.policies.errors import PolicyHtmlError
from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Loss, Losses

MOST_CHARACTERS = 4 * 1024 * 1024
MOST_OPEN = 40
"""How many tags may be open at once; deeper ones are unwrapped, their words stay."""

_HEADINGS = {"h1": "h1", "h2": "h2", "h3": "h3", "h4": "h4", "h5": "h4", "h6": "h4"}
_RENAMED = _HEADINGS | {"b": "strong", "i": "em", "dt": "p", "dd": "p", "figcaption": "p", "address": "p"}
_INLINE = {"strong", "em", "a", "code"}
_BLOCKS = {"p", "pre", *_HEADINGS.values()}
_HOLDERS = {"ul", "ol", "li", "blockquote", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
_TEXT_HOLDERS = {"li", "blockquote", "caption", "th", "td"}
_BREAKS = {
    "div", "section", "article", "main", "header", "footer", "aside", "nav", "figure", "dl", "body", "center", "form",
    "fieldset", "details", "summary",
}  # fmt: skip
_STRUCK = {"s", "del", "strike"}
_SCRIPTS = {"script", "iframe", "object", "applet", "select", "textarea", "button"}
_PICTURES = {"svg", "math", "video", "audio", "canvas"}
_WITH_CONTENT = _SCRIPTS | _PICTURES | {"style", "title", "template", "noscript"}
"""Elements that are removed with their content."""
_SCRIPT = re.compile(rf"<(?:{'|'.join(sorted(_SCRIPTS))}|embed|form)\b", re.IGNORECASE)
_PICTURE = re.compile(rf"<(?:{'|'.join(sorted(_PICTURES))}|img)\b", re.IGNORECASE)
_LEFT_OPEN = 3000
"""How many tags a text may leave open, as web pages do: the parser's time grows with the square of this number."""
_VOID = {"br", "hr"}
_NEEDS = {"li": {"ul", "ol"}, "tr": {"table", "thead", "tbody", "tfoot"}, "td": {"tr"}, "th": {"tr"}}
_NUMBERS = {"ol": ("start",), "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan")}
_SCOPES = ("row", "col", "rowgroup", "colgroup")
_READ = {*_RENAMED, *_RENAMED.values(), *_INLINE, *_HOLDERS, *_BREAKS, *_STRUCK, *_VOID, "pre", "sup", "sub"}
_SCHEMES = {"http", "https", "mailto", "javascript", "vbscript", "data", "file", "tel", "ftp"}
"""Schemes of links that are kept by the first cleaning, so that those left out later are counted."""
_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_EMPTY = re.compile(r"<(p|h[1-4]|li|strong|em|a|ul|ol|blockquote)(?: [^>]*)?>(?:\s|&nbsp;|<br>)*</\1>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_RAISED = str.maketrans("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")


class Tidied(NamedTuple):
    """A text reduced to what a policy may hold: its HTML, its title, and what was left out.

    `read` is the HTML before the reduction, without scripts."""

    html: str
    title: str
    losses: Losses
    read: str


def tidy(text: str, title: str = "") -> Tidied:
    """Reduces an HTML text to what a policy may hold. `title` is used if the text does not begin with a heading.

    Raises UnreadableTextError.
    """
    given, text = text, _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    for each in (given, text):
        with contextlib.suppress(PolicyHtmlError):
            found = canonical.check(each)
            return Tidied(found.html, found.policy_title, Losses(), each)
    if len(text) > MOST_CHARACTERS:
        raise UnreadableTextError(_("The text is longer than a policy can be."))
    builder = _Builder()
    builder.losses[Loss.SCRIPT] += len(_SCRIPT.findall(text))
    builder.losses[Loss.PICTURE] += len(_PICTURE.findall(text))
    text = _well_formed(text)
    builder.feed(text)
    builder.close()
    blocks = _titled(builder.finished(), title.strip(), builder.losses)
    made = "\n".join(blocks)
    for _time in range(4):
        cleaned = canonical.clean(made)
        if cleaned == made:
            break
        made = cleaned
    try:
        found = canonical.check(made)
    except PolicyHtmlError as error:
        raise UnreadableTextError(str(error)) from error
    return Tidied(found.html, found.policy_title, builder.losses, text)


def _well_formed(text: str) -> str:
    """The text as a browser would parse it, with every tag closed and without scripts: quick to process."""
    if canonical.depth(text, _LEFT_OPEN) > _LEFT_OPEN:
        raise UnreadableTextError(_("The text leaves too many tags open."))
    return nh3.clean(
        text,
        tags=_READ,
        clean_content_tags=_WITH_CONTENT,
        attributes={
            "a": {"href"},
            "ol": {"start"},
            "th": {"colspan", "rowspan", "scope"},
            "td": {"colspan", "rowspan"},
        },
        url_schemes=_SCHEMES,
        link_rel=None,
        strip_comments=True,
    )


def words(html: str) -> list[str]:
    """The words of a text without its tags, to find out whether any was lost."""
    return _words(entities.unescape(re.sub(r"<[^>]*>", " ", html)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text))


class _Builder(HTMLParser):
    """Writes the tags that a policy may hold, closes open tags, and wraps words that are outside of any paragraph."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.losses = Losses()
        self._blocks: list[str] = []
        self._now: list[str] = []
        self._open: list[tuple[str, str]] = []  # the tag as it was read, and as it was written; "" if it was unwrapped
        self._struck = 0
        self._raised = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        if tag in _STRUCK:
            self._struck += 1
            self.losses[Loss.STRUCK] += self._struck == 1
        elif self._struck:
            return
        elif tag in _VOID:
            self._void(tag)
        elif tag in ("sup", "sub"):
            self._raised = tag
        elif tag in _BREAKS:
            self._end_paragraph()
        else:
            self._begin(tag, _RENAMED.get(tag, tag), dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        """A tag ends."""
        if tag in _STRUCK:
            self._struck -= 1
        elif self._struck:
            return
        elif tag in ("sup", "sub"):
            self._raised = ""
        elif tag in _BREAKS:
            self._end_paragraph()
        elif any(came == tag for came, _written in self._open):
            while self._close() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Words."""
        if self._struck or (not data.strip() and not self._in_text()):
            return
        if self._raised:
            data = self._moved(data)
        if not self._in_text() and not self._in_holder():
            self._write("p", "p", "<p>")
        self._now.append(entities.escape(data, quote=False).replace("\xa0", "&nbsp;"))

    def finished(self) -> list[str]:
        """The blocks of the text in order, without empty ones."""
        while self._open:
            self._close()
        self._flush()
        made = []
        for block in self._blocks:
            before = None
            while before != block:
                before, block = block, _EMPTY.sub("", block).strip()
            if block and block not in ("<br>",):
                made.append(block)
        return made

    def _begin(self, came: str, tag: str, attributes: dict[str, str | None]) -> None:
        if tag not in _INLINE and tag not in _BLOCKS and tag not in _HOLDERS:
            self._open.append((came, ""))
            return
        if len(self._open) >= MOST_OPEN:
            self._open.append((came, ""))
            return
        if came in ("h5", "h6"):
            self.losses[Loss.SMALL_HEADING] += 1
        if tag in _INLINE:
            self._begin_inline(came, tag, attributes)
            return
        self._end_paragraph()
        if tag in _NEEDS and (self._holder() not in _NEEDS[tag]):
            self._open.append((came, ""))
            return
        if tag in _BLOCKS and self._holder() in ("ul", "ol", "table", "thead", "tbody", "tfoot", "tr"):
            self._open.append((came, ""))
            return
        self._write(came, tag, f"<{tag}{_attributes(tag, attributes)}>")

    def _begin_inline(self, came: str, tag: str, attributes: dict[str, str | None]) -> None:
        href = (attributes.get("href") or "").strip()
        if tag == "a" and not _LINK.match(href):
            self.losses[Loss.LINK] += bool(href)
            self._open.append((came, ""))
            return
        if any(written == tag for _came, written in self._open):
            self._open.append((came, ""))  # bold within bold, a link within a link
            return
        if not self._in_text() and not self._in_holder():
            self._write("p", "p", "<p>")
        start = f'<a href="{entities.escape(href)}">' if tag == "a" else f"<{tag}>"
        self._write(came, tag, start)

    def _void(self, tag: str) -> None:
        if tag == "hr":
            self._end_paragraph()
            self._now.append("<hr>")
            self._flush()
        elif self._in_text() or self._in_holder():
            self._now.append("<br>")

    def _moved(self, data: str) -> str:
        table = _RAISED if self._raised == "sup" else _LOWERED
        moved = data.translate(table)
        if all(ord(letter) in table for letter in data):
            return moved
        self.losses[Loss.RAISED] += not data.startswith("[")
        return data

    def _in_text(self) -> bool:
        return any(written in _BLOCKS or written in _INLINE for _came, written in self._open)

    def _in_holder(self) -> bool:
        return self._holder() in _TEXT_HOLDERS

    def _holder(self) -> str:
        return next((written for _came, written in reversed(self._open) if written in _HOLDERS), "")

    def _end_paragraph(self) -> None:
        """Closes the open paragraph or heading and everything in it."""
        place = next((at for at, (_came, written) in enumerate(self._open) if written in _BLOCKS), None)
        if place is None and not self._in_holder():
            place = next((at for at, (_came, written) in enumerate(self._open) if written in _INLINE), None)
        while place is not None and len(self._open) > place:
            self._close()

    def _write(self, came: str, tag: str, start: str) -> None:
        if not any(written for _came, written in self._open):
            self._flush()
        self._open.append((came, tag))
        self._now.append(start)

    def _close(self) -> str:
        came, written = self._open.pop()
        if written:
            self._now.append(f"</{written}>")
            if not any(other for _came, other in self._open):
                self._flush()
        return came

    def _flush(self) -> None:
        if self._now:
            self._blocks.append("".join(self._now))
            self._now = []


def _attributes(tag: str, given: dict[str, str | None]) -> str:
    """The attributes that a policy may hold, in the order in which the cleaning writes them."""
    kept = [(name, given.get(name) or "") for name in _NUMBERS.get(tag, ())]
    found = [
        f' {name}="{int(value)}"' for name, value in kept if value.isascii() and value.isdigit() and len(value) < 5
    ]
    scope = (given.get("scope") or "").lower()
    return "".join(found) + (f' scope="{scope}"' if tag == "th" and scope in _SCOPES else "")


def _titled(blocks: list[str], title: str, losses: Losses) -> list[str]:
    """The blocks with one main heading, which comes first."""
    if not blocks:
        raise UnreadableTextError(_("The text is empty."))
    place = next((at for at, block in enumerate(blocks) if block.startswith("<h1>")), None)
    if place is None and re.match("<h[2-4]>", blocks[0]):
        place = 0
    if place is None:
        if not title:
            raise UnreadableTextError(_("The text has no title. Begin it with a heading."))
        losses[Loss.TITLE_MADE] += 1
        return [f"<h1>{entities.escape(title, quote=False)}</h1>", *blocks]
    main = f"<h1>{blocks[place][4:-5]}</h1>"
    losses[Loss.TITLE_MOVED] += bool(place)
    others = blocks[:place] + blocks[place + 1 :]
    if any(block.startswith("<h1>") for block in others):
        losses[Loss.LEVELS] += 1
        others = [_lowered(block) for block in others]
    return [main, *others]


def _lowered(block: str) -> str:
    """A heading one level further down; any other block as it is."""
    return re.sub(r"(?<=^<h)[123](?=>)|(?<=</h)[123](?=>$)", lambda found: str(int(found[0]) + 1), block)


def lost(original: Iterable[str], html: str, most: int) -> list[str]:
    """The first words of the original that are missing in the policy, or occur less often there."""
    left: dict[str, int] = {}
    for word in words(html):
        left[word] = left.get(word, 0) + 1
    missing: list[str] = []
    for line in original:
        for word in _words(line):
            if left.get(word, 0):
                left[word] -= 1
            elif len(missing) < most:
                missing.append(word)
    return missing
