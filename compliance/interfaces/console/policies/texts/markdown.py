"""Markdown made into HTML: CommonMark with tables. What of it a policy may hold, `tidying` decides."""

import re

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Loss, Losses

_PREAMBLE = re.compile(r"\A---[ \t]*\n(?:[^\n]*\n){0,60}?---[ \t]*(?:\n|\Z)")
_BLANK = re.compile(r"\n[ \t]*\n")
_MARKS = "[]*_`<!~("
MARKS_IN_A_BLOCK = 1000
"""The time that a paragraph takes grows with the square of the marks in it that lead nowhere."""
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)


def to_html(text: str) -> tuple[str, str, Losses]:
    """The HTML of a Markdown text, the title that its front matter gives, and what was left out here."""
    losses = Losses()
    title = ""
    preamble = _PREAMBLE.match(text)
    if preamble:
        losses[Loss.PREAMBLE] += 1
        found = _TITLE.search(preamble[0])
        title = found[1] if found else ""
        text = text[preamble.end() :]
    for block in _BLANK.split(text):
        if sum(map(block.count, _MARKS)) > MARKS_IN_A_BLOCK:
            raise UnreadableTextError(_("A paragraph of the text has more marks than can be read."))
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text), title, losses
