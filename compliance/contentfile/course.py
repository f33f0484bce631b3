"""A course in one language as a plain tree in reading order, for a page or template to walk.

A block's `type` is the format's own, so that a template picks its part by name.
"""

from dataclasses import dataclass
from typing import ClassVar

from compliance.contentfile.scoped_style import scope_style


@dataclass(frozen=True, slots=True)
class Media:
    """An image, audio or video. `description` is for people who cannot see or hear it; "" when there is none."""

    id: str
    kind: str
    media_type: str
    size: int
    sha256: str
    description: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a page."""

    type: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """Running text; `style` is body, lead or small."""

    type: ClassVar[str] = "text"
    paragraphs: tuple[str, ...]
    style: str


@dataclass(frozen=True, slots=True)
class List:
    """A list, numbered when `ordered`."""

    type: ClassVar[str] = "list"
    items: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps to take one after the other."""

    type: ClassVar[str] = "steps"
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Callout:
    """A highlighted box; `tone` is note, important or warning."""

    type: ClassVar[str] = "callout"
    tone: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `header` is empty when there is none."""

    type: ClassVar[str] = "table"
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Someone's words; `cite` is "" when nobody is named."""

    type: ClassVar[str] = "quote"
    paragraphs: tuple[str, ...]
    cite: str


@dataclass(frozen=True, slots=True)
class MediaBlock:
    """An image, audio or video block; `type` says which."""

    type: str
    media: Media


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question."""

    id: str
    text: str
    correct: bool
    feedback: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `attempts` is None when there is no limit. `kind` is single, multiple or true_false."""

    type: ClassVar[str] = "question"
    id: str
    kind: str
    prompt: str
    choices: tuple[Choice, ...]
    feedback: str
    attempts: int | None


@dataclass(frozen=True, slots=True)
class Contact:
    """Whom to ask; a field that is not given is ""."""

    role: str
    name: str
    email: str
    phone: str
    url: str


@dataclass(frozen=True, slots=True)
class Contacts:
    """People or places to ask."""

    type: ClassVar[str] = "contact"
    text: str
    contacts: tuple[Contact, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is written; `url` and `publisher` are "" when not given."""

    title: str
    url: str
    publisher: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a page."""

    type: ClassVar[str] = "sources"
    items: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Divider:
    """A line between parts of a page."""

    type: ClassVar[str] = "divider"


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside a film's email: displayed, never followed."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Email:
    """An email that a scene shows."""

    id: str
    sender: str
    address: str
    subject: str
    body: tuple[str, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """Something drawn in a scene; `style_class` is "" when it has none."""

    id: str
    kind: str
    text: str
    media: Media | None
    style_class: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene. `starts_at` and `seconds` are in seconds. Where it has a question, the film waits for the answer."""

    number: int
    id: str
    kind: str
    starts_at: int
    seconds: int
    caption: str
    audio: Media | None
    email: Email | None
    question: Question | None
    elements: tuple[Element, ...]

    @property
    def clock(self) -> str:
        """When the scene starts, as minutes and seconds."""
        return f"{self.starts_at // 60}:{self.starts_at % 60:02d}"


@dataclass(frozen=True, slots=True)
class Film:
    """A film as a storyboard. Draw its scenes inside an element of class `scope`. `style` is as the author wrote it."""

    type: ClassVar[str] = "film"
    scope: str
    style: str
    seconds: int
    scenes: tuple[Scene, ...]

    @property
    def css(self) -> str:
        """The style for a page, which affects nothing outside the film. Each call writes it anew, which takes time."""
        return scope_style(self.style, self.scope)

    @property
    def transcript(self) -> tuple[str, ...]:
        """The captions in order."""
        return tuple(scene.caption for scene in self.scenes)


Block = (
    Heading
    | Text
    | List
    | Steps
    | Callout
    | Table
    | Quote
    | MediaBlock
    | Film
    | Question
    | Contacts
    | Sources
    | Divider
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page; `number` counts from 1 through the whole course."""

    number: int
    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson; `required_for` holds role titles and is empty when everyone must take it."""

    number: int
    id: str
    title: str
    minutes: int | None
    required_for: tuple[str, ...]
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A course in one language. `languages` are all that it is available in, the default first."""

    id: str
    version: int | None
    title: str
    language: str
    languages: tuple[str, ...]
    lessons: tuple[Lesson, ...]

    @property
    def minutes(self) -> int:
        """The minutes of all lessons that state how long they take."""
        return sum(lesson.minutes or 0 for lesson in self.lessons)

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return sum(len(lesson.pages) for lesson in self.lessons)
