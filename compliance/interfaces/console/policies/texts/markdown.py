"""Converts Markdown (CommonMark with tables) to HTML. `tidying` then reduces it to what a policy may hold."""

import re

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from compliance.interfaces.console.policies.texts.errors import UnreadableTextError
from compliance.interfaces.console.policies.texts.losses import Loss, Losses

_PREAMBLE = re.compile(r"\A---[ \t]*\n(?:[^\n]*\n){0,60}?---[ \t]*(?:\n|\Z)")
_BLANK = re.compile(r"\n[ \t]*\n")
_MARKS = "[]*_`<!~("
MARKS_IN_A_BLOCK = 1000
"""The parsing time of a paragraph grows with the square of its unmatched marks."""
_TITLE = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)


def to_html(text: str) -> tuple[str, str, Losses]:
    """The HTML of a Markdown text, the title in its front matter, and what was left out here."""
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
