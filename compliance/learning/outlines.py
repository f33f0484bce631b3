"""Makes the outline of a content file: the parts that count towards finishing the course."""

from collections.abc import Iterator, Mapping
from typing import Any

from compliance.contentfile.fingerprint import lesson_fingerprints
from compliance.rules.taking.outline import Film, Lesson, Outline, PageOutline, Question


def outline(content: Mapping[str, Any]) -> Outline:
    """The outline of a checked content file."""
    fingerprints = {each.lesson_id: each.content_sha256 for each in lesson_fingerprints(content)}
    return Outline(
        tuple(
            Lesson(
                lesson["id"],
                fingerprints[lesson["id"]],
                frozenset(lesson["requiredFor"]) if lesson.get("requiredFor") else None,
                tuple(
                    PageOutline(
                        page["id"],
                        tuple(_question(each) for each in _asked(page.get("blocks", ()))),
                        tuple(_films(page)),
                    )
                    for page in lesson["pages"]
                ),
            )
            for lesson in content["lessons"]
        )
    )


def prompts(content: Mapping[str, Any]) -> dict[str, str]:
    """The text of each question of a content file."""
    return {
        each["id"]: each["prompt"]
        for lesson in content["lessons"]
        for page in lesson["pages"]
        for each in _asked(page.get("blocks", ()))
    }


def _asked(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The questions of a page in reading order: those between its texts, and those within its films."""
    for block in blocks:
        if block["type"] == "question":
            yield block
        elif block["type"] == "film":
            for scene in block["scenes"]:
                if "question" in scene:
                    yield scene["question"]


def _films(page: dict[str, Any]) -> Iterator[Film]:
    """The films of a page, with the identifiers that `contentfile.reading` gives them."""
    for number, block in enumerate(page.get("blocks", ()), 1):
        if block["type"] == "film":
            yield Film(f"film-{page['id']}-{number}", number, block["scenes"][-1]["id"])


def _question(asked: dict[str, Any]) -> Question:
    return Question(
        id=asked["id"],
        kind=asked["kind"],
        right=frozenset(choice["id"] for choice in asked["choices"] if choice["correct"]),
        choices=frozenset(choice["id"] for choice in asked["choices"]),
        attempts=asked.get("attempts"),
    )
