"""A letter's HTML as a mail program reads it: what is visible, what it links to, and what it would fetch."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.core.mail import EmailMessage, EmailMultiAlternatives

_VOID = frozenset({"meta", "br", "img", "link", "hr", "input"})
_UNSEEN = frozenset({"style", "title", "script"})


@dataclass
class Seen(HTMLParser):
    """Reads a letter; fails on tags that are not closed in their order."""

    html: str
    words: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    fetched: list[str] = field(default_factory=list)
    attributes: dict[str, dict[str, str | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        named = dict(attrs)
        self.attributes.setdefault(tag, named)
        if tag == "a":
            self.links.append(named["href"] or "")
        self.fetched += [value or "" for name, value in attrs if name in ("src", "background", "srcset")]
        self.fetched += [value or "" for _, value in attrs if value and "url(" in value]
        assert not [name for name in named if name.startswith("on")]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not set(self._open) & _UNSEEN and data.strip():
            self.words += data.split()
        if "style" in self._open:
            assert "url(" not in data
            assert "@import" not in data

    @property
    def text(self) -> str:
        """All visible text, as one line."""
        return " ".join(self.words)


def html_of(letter: EmailMessage) -> str:
    """The HTML of a letter that was sent."""
    assert isinstance(letter, EmailMultiAlternatives)
    ((content, media_type),) = letter.alternatives
    assert media_type == "text/html"
    return str(content)
