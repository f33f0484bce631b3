"""Reads a checked course in one language into the tree of `course`.

Every text id is resolved, media are joined with their data in the manifest, and a film has its storyboard. A film's
style is written for a page only when somebody asks for it, because this takes longer than all else.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from compliance.contentfile.course import (
    Block,
    Callout,
    Choice,
    Contact,
    Contacts,
    Divider,
    Element,
    Email,
    Film,
    Heading,
    Lesson,
    Link,
    List,
    Media,
    MediaBlock,
    Page,
    Question,
    Quote,
    Reading,
    Scene,
    Source,
    Sources,
    Steps,
    Table,
    Text,
)
from compliance.contentfile.errors import LanguageNotInPackage, PackageFaulty
from compliance.contentfile.faults import quoted
from compliance.contentfile.package import CheckedPackage, MediaFile

_BLANK_LINE: Final = re.compile(r"(?>\r\n?|\n)[ \t]*+(?>\r\n?|\n)")


def read_package(package: CheckedPackage, language: str | None = None) -> Reading:
    """A checked package in a language (by default the manifest's first).

    Raises `PackageFaulty` when it has errors and `LanguageNotInPackage` when it has no such words.
    """
    if package.content is None or package.manifest is None:
        raise PackageFaulty("The package has faults; mend them before reading it.")
    languages = tuple(package.words)
    language = language or languages[0]
    if language not in package.words:
        raise LanguageNotInPackage(f"The package has no words in {quoted(language)}.")
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
    """Checked content with the words given; a text id without words is displayed as it is.

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
        self.split: dict[str, tuple[str, ...]] = {}

    def text(self, text_id: str | None) -> str:
        return self.words.get(text_id, text_id) if text_id else ""

    def paragraphs(self, text_id: str) -> tuple[str, ...]:
        """The paragraphs of a text, the same ones wherever it is used: a long text may be used many times."""
        if text_id not in self.split:
            parts = (part.strip() for part in _BLANK_LINE.split(self.text(text_id)))
            self.split[text_id] = tuple(part for part in parts if part)
        return self.split[text_id]

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
            required_for=tuple(
                self.text(self.roles.get(role, role)) for role in dict.fromkeys(lesson.get("requiredFor") or ())
            ),
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
        return Film(scope, film.get("style", ""), starts_at, tuple(scenes))

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
