"""The content file: lessons, pages and the fifteen block types."""

import difflib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from compliance.contentfile import limits, places, source
from compliance.contentfile.faults import EnoughFaults, Fault, FaultCode, Path, Report, quoted
from compliance.contentfile.film import check_film
from compliance.contentfile.question import QUESTION, check_choices
from compliance.contentfile.walk import (
    Key,
    Shape,
    Walk,
    boolean,
    constant,
    email_text_id,
    integer,
    is_valid_slug,
    media_id,
    one_of,
    text_id,
    text_ids,
    title_text_id,
    url_text_id,
)

SCHEMA: Final = "svc.content/2"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a content file. `content` is None unless the file can be published.

    It is the parsed file without `$schema` keys, and with whole numbers as integers however they were written.
    `faults` lists a thousand at most; a larger `fault_count` means that there are more, and the check ended there.
    """

    content: dict[str, Any] | None
    faults: tuple[Fault, ...]
    fault_count: int

    @property
    def ok(self) -> bool:
        """Whether the file may be published; warnings may remain."""
        return self.content is not None


def check_content(data: bytes | bytearray | memoryview | dict[str, Any]) -> Checked:
    """Check a content file by itself: its bytes, or the object already parsed. Never raises for what the file holds.

    Words, media and roles live in other files of a package; `check_package` resolves them.
    """
    report = Report()
    if isinstance(data, (bytes, bytearray, memoryview)):
        document = source.parse(bytes(data), report)
    else:
        document = source.take(data, report)
    if document.readable:
        walk_content(document.value, report)
    faults = tuple(places.place(report.found, document))
    return Checked(document.value if report.errors == 0 else None, faults, report.count)


def walk_content(value: object, report: Report) -> Walk:
    """Check a parsed content file; its references are in the walk."""
    walk = Walk(report)
    with suppress(EnoughFaults):
        walk.check_object(value, (), _CONTENT, "", what="a content file")
    return walk


def _lessons(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    most = (limits.LESSONS, FaultCode.TOO_MANY_LESSONS, "a course has")
    lessons = walk.items(value, path, what="lessons", most=most)
    for index, lesson in enumerate(lessons):
        here = (*path, index)
        walk.check_object(lesson, here, _LESSON, _claimed_id(walk, lesson, here, "lesson"), what="a lesson")
    counts = [
        len(lesson["pages"]) for lesson in lessons if isinstance(lesson, dict) and isinstance(lesson.get("pages"), list)
    ]
    if sum(counts) > limits.PAGES and max(counts) <= limits.PAGES:
        walk.add(
            FaultCode.TOO_MANY_PAGES,
            path,
            f"There are {sum(counts)} pages in all; a course has at most {limits.PAGES}.",
        )


def _claimed_id(walk: Walk, value: object, path: Path, what: str) -> str:
    """The valid id of a lesson or page, now taken; "" when it has none (reported)."""
    if not isinstance(value, dict) or "id" not in value:
        return ""
    name = value["id"]
    code, longest = (
        (FaultCode.INVALID_LESSON_ID, limits.LESSON_ID_LENGTH)
        if what == "lesson"
        else (FaultCode.INVALID_PAGE_ID, limits.PAGE_ID_LENGTH)
    )
    if not is_valid_slug(walk, name, (*path, "id"), code, what, longest):
        return ""
    if name in walk.ids:
        walk.add(
            FaultCode.DUPLICATE_ID,
            (*path, "id"),
            f"The id {quoted(name)} is taken by another lesson or page; ids of lessons and pages are all different.",
        )
    else:
        walk.ids[name] = path
    return str(name)


def _checked_elsewhere(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """The key belongs to the shape; its value is checked with its object."""


def _roles(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if value is None:
        return
    roles = walk.items(value, path, what="role ids")
    walk.roles.append((roles, path))
    for index, role in enumerate(roles):
        is_valid_slug(walk, role, (*path, index), FaultCode.INVALID_ROLE_ID, "role")


def _pages(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    most = (limits.PAGES, FaultCode.TOO_MANY_PAGES, "a lesson has")
    pages = walk.items(value, path, what="pages", most=most)
    for index, page in enumerate(pages):
        here = (*path, index)
        walk.check_object(page, here, _PAGE, _claimed_id(walk, page, here, "page"), what="a page")


def _blocks(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    for index, block in enumerate(walk.items(value, path, what="blocks", least=0)):
        _block(walk, block, (*path, index), prefix)


def _block(walk: Walk, block: Any, path: Path, prefix: str) -> None:
    if not isinstance(block, dict):
        walk.check_object(block, path, {}, prefix)
        return
    if "type" not in block:
        walk.add(FaultCode.MISSING_KEY, path, 'The key "type" is missing in a block; add it.')
        return
    kind = block["type"]
    if not isinstance(kind, str):
        walk.string(kind, (*path, "type"))
        return
    shape = BLOCKS.get(kind)
    if shape is None:
        close = difflib.get_close_matches(kind, BLOCKS, n=1) if len(kind) <= 40 else []
        meant = f"; did you mean {quoted(close[0])}?" if close else f"; write one of {', '.join(BLOCKS)}."
        walk.add(FaultCode.UNKNOWN_BLOCK_TYPE, (*path, "type"), f"{quoted(kind)} is no block type{meant}")
        return
    walk.check_object(block, path, shape, prefix, known=("type",), what=f"a {kind} block")
    if kind == "table":
        _check_columns(walk, block, path)
    elif kind == "question":
        check_choices(walk, block, path)
    elif kind == "film":
        check_film(walk, block, path, prefix)


def _check_columns(walk: Walk, block: Mapping[str, Any], path: Path) -> None:
    rows = block.get("rows")
    if not isinstance(rows, list):
        return
    header = block.get("header")
    width = len(header) if isinstance(header, list) and header else None
    for index, row in enumerate(rows):
        if not isinstance(row, list) or not row:
            continue
        if width is None:
            width = len(row)
        elif len(row) != width:
            walk.add(
                FaultCode.RAGGED_TABLE,
                (*path, "rows", index),
                f"This row has {len(row)} cells and the first line of the table {width}; make them equal.",
            )


def _rows(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    for index, row in enumerate(walk.items(value, path, what="rows")):
        text_ids(walk, row, (*path, index), prefix)


def _contacts(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    for index, contact in enumerate(walk.items(value, path, what="contacts")):
        here = (*path, index)
        if walk.check_object(contact, here, _CONTACT, prefix, what="a contact") and not set(contact) & set(_CONTACT):
            walk.add(FaultCode.MISSING_KEY, here, "A contact needs a role, name, email, phone or url; add one.")


def _sources(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    for index, item in enumerate(walk.items(value, path, what="sources")):
        walk.check_object(item, (*path, index), _SOURCE, prefix, what="a source")


_TEXT = Key(text_id)
_TEXT_OR_NOT = Key(text_id, required=False)

_CONTACT: Final[Shape] = {
    "role": _TEXT_OR_NOT,
    "name": _TEXT_OR_NOT,
    "email": Key(email_text_id, required=False),
    "phone": _TEXT_OR_NOT,
    "url": Key(url_text_id, required=False),
}

_SOURCE: Final[Shape] = {
    "title": _TEXT,
    "url": Key(url_text_id, required=False),
    "publisher": _TEXT_OR_NOT,
}

BLOCKS: Final[Mapping[str, Shape]] = {
    "heading": {"text": _TEXT},
    "text": {"text": _TEXT, "style": Key(one_of("body", "lead", "small"), required=False)},
    "list": {"items": Key(text_ids), "ordered": Key(boolean, required=False)},
    "steps": {"items": Key(text_ids)},
    "callout": {"tone": Key(one_of("note", "important", "warning")), "text": _TEXT},
    "table": {"header": Key(text_ids, required=False), "rows": Key(_rows)},
    "quote": {"text": _TEXT, "cite": _TEXT_OR_NOT},
    "image": {"media": Key(media_id("image"))},
    "audio": {"media": Key(media_id("audio"))},
    "video": {"media": Key(media_id("video"))},
    "film": {
        "scenes": Key(_checked_elsewhere),
        "emails": Key(_checked_elsewhere, required=False),
        "style": Key(_checked_elsewhere, required=False),
    },
    "question": QUESTION,
    "contact": {"text": _TEXT_OR_NOT, "contacts": Key(_contacts)},
    "sources": {"items": Key(_sources)},
    "divider": {},
}

_PAGE: Final[Shape] = {
    "id": Key(_checked_elsewhere),
    "title": _TEXT,
    "blocks": Key(_blocks, required=False),
}

_LESSON: Final[Shape] = {
    "id": Key(_checked_elsewhere),
    "title": Key(title_text_id),
    "minutes": Key(integer(1, limits.MINUTES, "minutes"), required=False),
    "requiredFor": Key(_roles, required=False),
    "pages": Key(_pages),
}

_CONTENT: Final[Shape] = {
    "schema": Key(constant(SCHEMA, FaultCode.WRONG_SCHEMA)),
    "lessons": Key(_lessons),
}
