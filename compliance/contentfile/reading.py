"""A checked course in one language as a plain tree in reading order, for a page or template to walk.

Every text id is resolved, media are joined with what the manifest says of them, a film carries its storyboard and its
style scoped to it. A block's `type` is the contract's, so a template picks its part by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from compliance.contentfile.errors import LanguageNotInPackage, PackageFaulty
from compliance.contentfile.faults import shown
from compliance.contentfile.package import CheckedPackage, MediaFile
from compliance.contentfile.style import scope_style


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
    """A box that stands out; `tone` is note, important or warning."""

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
    """Whom to ask; every field is "" when it is not given."""

    role: str
    name: str
    email: str
    phone: str
    url: str


@dataclass(frozen=True, slots=True)
class Contacts:
    """People or places to turn to."""

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
    """What a page rests on."""

    type: ClassVar[str] = "sources"
    items: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Divider:
    """A line between parts of a page."""

    type: ClassVar[str] = "divider"


@dataclass(frozen=True, slots=True)
class Link:
    """A link inside a film's email: shown, never followed."""

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
    """One scene. `starts_at` and `seconds` are in seconds; `pauses` when a question waits for an answer."""

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
    def pauses(self) -> bool:
        """Whether the film waits at the end of this scene."""
        return self.question is not None

    @property
    def clock(self) -> str:
        """When the scene starts, as minutes and seconds."""
        return f"{self.starts_at // 60}:{self.starts_at % 60:02d}"


@dataclass(frozen=True, slots=True)
class Film:
    """A film as a storyboard. Draw its scenes inside an element of class `scope`; `css` reaches nothing else."""

    type: ClassVar[str] = "film"
    scope: str
    css: str
    seconds: int
    scenes: tuple[Scene, ...]

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
    """A course in one language. `languages` are all that it is there in, the default first."""

    id: str
    version: int | None
    title: str
    language: str
    languages: tuple[str, ...]
    lessons: tuple[Lesson, ...]

    @property
    def minutes(self) -> int:
        """The minutes of all lessons that say how long they take."""
        return sum(lesson.minutes or 0 for lesson in self.lessons)

    @property
    def page_count(self) -> int:
        """How many pages there are in all."""
        return sum(len(lesson.pages) for lesson in self.lessons)


def read_package(package: CheckedPackage, language: str | None = None) -> Reading:
    """A checked package in a language (the manifest's first unless told).

    Raises `PackageFaulty` when it has errors and `LanguageNotInPackage` when it has no such words.
    """
    if package.content is None or package.manifest is None:
        raise PackageFaulty("The package has faults; mend them before reading it.")
    languages = tuple(package.words)
    language = language or languages[0]
    if language not in package.words:
        raise LanguageNotInPackage(f"The package has no words in {shown(language)}.")
    manifest = package.manifest
    return read_content(
        package.content,
        package.words[language],
        media=package.media,
        roles={role["id"]: role["title"] for role in manifest["roles"]},
        course_id=manifest["id"],
        title=manifest["title"],
        version=manifest["version"],
        language=language,
        languages=languages,
    )


def read_content(
    content: Mapping[str, Any],
    words: Mapping[str, str],
    *,
    media: Sequence[MediaFile] = (),
    roles: Mapping[str, str] | None = None,
    course_id: str = "",
    title: str = "",
    version: int | None = None,
    language: str = "",
    languages: Sequence[str] = (),
) -> Reading:
    """Checked content with whatever words there are; a text id without words stands for itself.

    `roles` maps role ids to the text ids of their titles; `title` is a text id.
    """
    reader = _Reader(words, {item.id: item for item in media}, roles or {})
    return Reading(
        id=course_id,
        version=version,
        title=reader.text(title) if title else "",
        language=language,
        languages=tuple(languages),
        lessons=tuple(reader.lesson(number, lesson) for number, lesson in enumerate(content["lessons"], 1)),
    )


class _Reader:
    """Resolves one course in one language."""

    def __init__(self, words: Mapping[str, str], media: Mapping[str, MediaFile], roles: Mapping[str, str]) -> None:
        self.words = words
        self.media_files = media
        self.roles = roles
        self.page_number = 0

    def text(self, text_id: str | None) -> str:
        return self.words.get(text_id, text_id) if text_id else ""

    def paragraphs(self, text_id: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.text(text_id).split("\n\n") if part.strip())

    def texts(self, text_ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.text(text_id) for text_id in text_ids)

    def media(self, media_id: str, kind: str) -> Media:
        item = self.media_files.get(media_id)
        if item is None:
            return Media(media_id, kind, "", 0, "", "")
        return Media(item.id, item.kind, item.type, item.size, item.sha256, self.text(item.description))

    def lesson(self, number: int, lesson: Mapping[str, Any]) -> Lesson:
        return Lesson(
            number=number,
            id=lesson["id"],
            title=self.text(lesson["title"]),
            minutes=lesson.get("minutes"),
            required_for=tuple(self.text(self.roles.get(role, role)) for role in lesson.get("requiredFor") or ()),
            pages=tuple(self.page(page) for page in lesson["pages"]),
        )

    def page(self, page: Mapping[str, Any]) -> Page:
        self.page_number += 1
        return Page(
            number=self.page_number,
            id=page["id"],
            title=self.text(page["title"]),
            blocks=tuple(
                self.block(block, f"film-{page['id']}-{index}") for index, block in enumerate(page.get("blocks", ()), 1)
            ),
        )

    def block(self, block: Mapping[str, Any], scope: str) -> Block:
        match block["type"]:
            case "heading":
                return Heading(self.text(block["text"]))
            case "text":
                return Text(self.paragraphs(block["text"]), block.get("style", "body"))
            case "list":
                return List(self.texts(block["items"]), block.get("ordered", False))
            case "steps":
                return Steps(self.texts(block["items"]))
            case "callout":
                return Callout(block["tone"], self.paragraphs(block["text"]))
            case "table":
                return Table(self.texts(block.get("header", ())), tuple(self.texts(row) for row in block["rows"]))
            case "quote":
                return Quote(self.paragraphs(block["text"]), self.text(block.get("cite")))
            case "film":
                return self.film(block, scope)
            case "question":
                return self.question(block)
            case "contact":
                return Contacts(
                    self.text(block.get("text")),
                    tuple(
                        Contact(**{name: self.text(contact.get(name)) for name in Contact.__slots__})
                        for contact in block["contacts"]
                    ),
                )
            case "sources":
                return Sources(
                    tuple(
                        Source(self.text(item["title"]), self.text(item.get("url")), self.text(item.get("publisher")))
                        for item in block["items"]
                    )
                )
            case "divider":
                return Divider()
            case kind:
                return MediaBlock(kind, self.media(block["media"], kind))

    def question(self, question: Mapping[str, Any]) -> Question:
        return Question(
            id=question["id"],
            kind=question["kind"],
            prompt=self.text(question["prompt"]),
            choices=tuple(
                Choice(choice["id"], self.text(choice["text"]), choice["correct"], self.text(choice.get("feedback")))
                for choice in question["choices"]
            ),
            feedback=self.text(question.get("feedback")),
            attempts=question.get("attempts"),
        )

    def film(self, film: Mapping[str, Any], scope: str) -> Film:
        emails = {email["id"]: self.email(email) for email in film.get("emails", ())}
        scenes: list[Scene] = []
        starts_at = 0
        for number, scene in enumerate(film["scenes"], 1):
            scenes.append(self.scene(number, scene, starts_at, emails))
            starts_at += scene["seconds"]
        return Film(scope, scope_style(film.get("style", ""), scope), starts_at, tuple(scenes))

    def email(self, email: Mapping[str, Any]) -> Email:
        return Email(
            id=email["id"],
            sender=self.text(email["from"]),
            address=self.text(email["address"]),
            subject=self.text(email["subject"]),
            body=self.texts(email["body"]),
            links=tuple(Link(self.text(link["text"]), self.text(link["address"])) for link in email.get("links", ())),
        )

    def scene(self, number: int, scene: Mapping[str, Any], starts_at: int, emails: Mapping[str, Email]) -> Scene:
        return Scene(
            number=number,
            id=scene["id"],
            kind=scene["kind"],
            starts_at=starts_at,
            seconds=scene["seconds"],
            caption=self.text(scene["caption"]),
            audio=self.media(scene["audio"], "audio") if "audio" in scene else None,
            email=emails[scene["email"]] if "email" in scene else None,
            question=self.question(scene["question"]) if "question" in scene else None,
            elements=tuple(
                Element(
                    id=element["id"],
                    kind=element["kind"],
                    text=self.text(element.get("text")),
                    media=self.media(element["media"], "image") if "media" in element else None,
                    style_class=element.get("class", ""),
                )
                for element in scene.get("elements", ())
            ),
        )
