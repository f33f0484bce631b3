"""Course packages for tests, generated: one as long as a course may be, one with a film on many pages.

    folder = written(long_course(200), tmp_path)

Each passes `python -m compliance.contentfile check`, and has words for all its text ids.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

DEMO = Path(__file__).parent.parent / "development" / "demo" / "packages"
PAGES_IN_A_LESSON = 10

STYLE = (
    ".scene { display: flex; align-items: center; justify-content: center; min-height: 14rem; color: #ffffff }\n"
    ".scene { background: #10263c }\n"
    ".card { padding: 1rem; border-radius: 0.5rem; background: #1d4468; animation: rise 500ms both }\n"
    "@keyframes rise { from { opacity: 0 } to { opacity: 1 } }\n"
    "@media (prefers-reduced-motion: reduce) { .scene * { animation: none } }\n"
)


class Package(NamedTuple):
    """A package in memory: its manifest, its content file and its English words."""

    manifest: dict[str, Any]
    content: dict[str, Any]
    words: dict[str, str]


def long_course(pages: int, *, identity: str = "long-course") -> Package:
    """A course of `pages` pages, in lessons of ten; the last page of each has a question."""
    words: dict[str, str] = {}
    lessons = []
    for first in range(1, pages + 1, PAGES_IN_A_LESSON):
        number = first // PAGES_IN_A_LESSON + 1
        own = range(first, min(first + PAGES_IN_A_LESSON, pages + 1))
        lessons.append(
            {
                "id": f"part-{number}",
                "title": _said(words, f"part-{number}.title", f"Part {number}"),
                "minutes": 10,
                "pages": [_page(words, page, asks=page == own[-1]) for page in own],
            }
        )
    return _package(identity, f"A course of {pages} pages", lessons, words)


def film_course(films: int, *, identity: str = "film-course") -> Package:
    """A course of one lesson with a film on each page; every film stops once for a question."""
    words: dict[str, str] = {}
    pages = []
    for number in range(1, films + 1):
        page = f"film-page-{number}"
        title = _said(words, f"{page}.title", f"Film {number}")
        lead = _said(words, f"{page}.lead", "A short film. It stops once and waits for your answer.")
        text = {"type": "text", "style": "lead", "text": lead}
        pages.append({"id": page, "title": title, "blocks": [text, _film(words, page)]})
    title = _said(words, "films.title", "Films")
    return _package(identity, f"A course of {films} films", [{"id": "films", "title": title, "pages": pages}], words)


def written(package: Package, folder: Path) -> Path:
    """The package as a folder below `folder`."""
    made = folder / str(package.manifest["id"])
    (made / "words").mkdir(parents=True)
    (made / "manifest.json").write_text(json.dumps(package.manifest))
    (made / "content.json").write_text(json.dumps(package.content))
    words = {"schema": "svc.words/2", "language": "en", "words": package.words}
    (made / "words" / "en.json").write_text(json.dumps(words))
    return made


def _package(identity: str, title: str, lessons: list[dict[str, Any]], words: dict[str, str]) -> Package:
    manifest = {
        "schema": "svc.manifest/2",
        "sdk": "2.1",
        "id": identity,
        "version": 1,
        "title": _said(words, f"{identity}.title", title),
        "languages": ["en"],
        "roles": [],
        "media": [],
        "content": "content.json",
        "words": {"en": "words/en.json"},
    }
    return Package(manifest, {"schema": "svc.content/2", "lessons": lessons}, words)


def _page(words: dict[str, str], number: int, *, asks: bool) -> dict[str, Any]:
    page = f"page-{number}"
    items = [_said(words, f"{page}.item-{place}", f"Point {place} of page {number}") for place in (1, 2, 3)]
    rows = [
        [_said(words, f"{page}.cell-{row}-{column}", f"Row {row}, column {column}") for column in (1, 2)]
        for row in (1, 2)
    ]
    blocks: list[dict[str, Any]] = [
        {
            "type": "text",
            "style": "lead",
            "text": _said(words, f"{page}.lead", f"Page {number} says what to do, and why."),
        },
        {"type": "list", "items": items},
        {"type": "table", "rows": rows},
        {"type": "callout", "tone": "note", "text": _said(words, f"{page}.note", "Ask when something is not clear.")},
    ]
    if asks:
        blocks.append({"type": "question", **_question(words, page, f"check-{number}")})
    return {"id": page, "title": _said(words, f"{page}.title", f"Page {number}"), "blocks": blocks}


def _film(words: dict[str, str], page: str) -> dict[str, Any]:
    def scene(identity: str, kind: str, caption: str, **more: Any) -> dict[str, Any]:
        said = _said(words, f"{page}.{identity}.caption", caption)
        return {"id": identity, "kind": kind, "seconds": 3, "caption": said, **more}

    card = {"id": "card", "kind": "text", "class": "card", "text": _said(words, f"{page}.card", "Stop and look")}
    return {
        "type": "film",
        "style": STYLE,
        "scenes": [
            scene("opening", "title", "A door that should be closed stands open.", elements=[card]),
            scene("story", "narration", "Somebody whom nobody knows comes in behind a colleague."),
            scene("ask", "question", "What would you do?", question=_question(words, page, f"{page}-check")),
            scene("closing", "end", "Ask politely whom they are visiting, and go with them."),
        ],
    }


def _question(words: dict[str, str], page: str, identity: str) -> dict[str, Any]:
    choices = (("ask", "Ask whom they are visiting", True), ("nothing", "Nothing", False))
    return {
        "id": identity,
        "kind": "single",
        "prompt": _said(
            words, f"{page}.{identity}.prompt", "Somebody whom you do not know is in the corridor. What now?"
        ),
        "choices": [
            {"id": choice, "text": _said(words, f"{page}.{identity}.{choice}", text), "correct": correct}
            for choice, text, correct in choices
        ],
    }


def _said(words: dict[str, str], text_id: str, text: str) -> str:
    words[text_id] = text
    return text_id
