"""Markdown made into HTML: CommonMark with tables. What of it a policy may hold, `tidying` decides."""

import re

from markdown_it import MarkdownIt

from compliance.interfaces.console.policies.texts.losses import Loss, Losses

_PREAMBLE = re.compile(r"\A---[ \t]*\n(?:[^\n]*\n){0,60}?---[ \t]*(?:\n|\Z)")
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
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text), title, losses
