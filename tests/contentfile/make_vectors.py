"""Writes tests/vectors/content/: one file per fault code, named after it, each with only that fault.

    python -m tests.contentfile.make_vectors

The files are committed; run this to make one for a new code. Content files are `.json`, packages are `.zip` (stored
with a fixed date, so that the bytes stay the same).
"""

import copy
import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from compliance.contentfile import limits

FOLDER = Path(__file__).parent.parent / "vectors" / "content"

Change = Callable[[dict[str, Any]], object]

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def question(identity: str, kind: str = "single", right: tuple[bool, ...] = (True, False)) -> dict[str, Any]:
    """A question of page `page`."""
    return {
        "id": identity,
        "kind": kind,
        "prompt": f"page.{identity}.prompt",
        "choices": [
            {"id": f"choice-{number}", "text": f"page.{identity}.choice-{number}", "correct": correct}
            for number, correct in enumerate(right)
        ],
    }


def film() -> dict[str, Any]:
    """A film of page `page`."""
    return {
        "type": "film",
        "emails": [
            {
                "id": "lure",
                "from": "page.lure.from",
                "address": "page.lure.address",
                "subject": "page.lure.subject",
                "body": ["page.lure.body"],
                "links": [{"text": "page.lure.link", "address": "page.lure.link-address"}],
            }
        ],
        "style": "@keyframes rise { from { opacity: 0 } 50%, to { opacity: 1 } }\n"
        "@media (prefers-reduced-motion: reduce) { .card { animation: none } }\n"
        ".card > .label:hover, .scene:not(.email)::before { animation: rise 1s; position: absolute; content: '' }\n",
        "scenes": [
            {"id": "opening", "kind": "title", "seconds": 5, "caption": "page.opening"},
            {"id": "mail", "kind": "email", "seconds": 10, "caption": "page.mail", "email": "lure"},
            {
                "id": "ask",
                "kind": "question",
                "seconds": 10,
                "caption": "page.ask",
                "question": question("spot-it"),
                "elements": [
                    {"id": "box", "kind": "box", "class": "card"},
                    {"id": "label", "kind": "text", "text": "page.label", "class": "label"},
                    {"id": "plan", "kind": "image", "media": "plan"},
                ],
            },
        ],
    }


def every_block() -> list[dict[str, Any]]:
    """One block of each type but audio and video."""
    return [
        {"type": "heading", "text": "page.heading"},
        {"type": "text", "text": "page.lead", "style": "lead"},
        {"type": "list", "items": ["page.item"], "ordered": True},
        {"type": "steps", "items": ["page.step-1", "page.step-2"]},
        {"type": "callout", "tone": "warning", "text": "page.callout"},
        {"type": "table", "header": ["page.head-1", "page.head-2"], "rows": [["page.cell-1", "page.cell-2"]]},
        {"type": "quote", "text": "page.quote", "cite": "page.cite"},
        {"type": "image", "media": "plan"},
        film(),
        {"type": "question", **question("which", "multiple", (True, True, False)), "attempts": 2},
        {
            "type": "contact",
            "text": "page.ask-us",
            "contacts": [{"name": "page.name", "email": "page.email", "url": "page.url"}],
        },
        {"type": "sources", "items": [{"title": "page.source", "url": "page.source-url"}]},
        {"type": "divider"},
    ]


def course(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A content file of one lesson with one page."""
    return {
        "schema": "svc.content/2",
        "lessons": [
            {
                "id": "lesson",
                "title": "lesson.title",
                "minutes": 5,
                "pages": [{"id": "page", "title": "page.title", "blocks": list(blocks)}],
            }
        ],
    }


def pages(count: int, name: str = "page") -> list[dict[str, Any]]:
    """Empty pages."""
    return [{"id": f"{name}-{number}", "title": f"{name}-{number}.title"} for number in range(count)]


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _content(change: Change, *blocks: dict[str, Any]) -> bytes:
    content = course(*(blocks or ({"type": "divider"},)))
    change(content)
    return _json(content)


def _page(content: dict[str, Any]) -> dict[str, Any]:
    page: dict[str, Any] = content["lessons"][0]["pages"][0]
    return page


def _block(content: dict[str, Any]) -> dict[str, Any]:
    block: dict[str, Any] = _page(content)["blocks"][0]
    return block


def _styled(style: str) -> bytes:
    return _content(lambda content: _block(content).update(style=style), film())


def _film(change: Change) -> bytes:
    return _content(lambda content: change(_block(content)), film())


def _question(change: Change, **made: Any) -> bytes:
    return _content(lambda content: change(_block(content)), {"type": "question", **question("which", **made)})


def texts_of(value: object) -> list[str]:
    """Every text id in good content made here (they all contain a dot and no space)."""
    if isinstance(value, dict):
        skipped = ("schema", "style", "address") if "scenes" in value else ("schema",)
        return [text for name, member in value.items() if name not in skipped for text in texts_of(member)]
    if isinstance(value, list):
        return [text for member in value for text in texts_of(member)]
    return [value] if isinstance(value, str) and "." in value and " " not in value else []


class Package:
    """A good package that a vector breaks in one way before it is zipped."""

    def __init__(self, *blocks: dict[str, Any]) -> None:
        self.content: Any = course(*(blocks or ({"type": "image", "media": "plan"},)))
        self.manifest: dict[str, Any] = {
            "schema": "svc.manifest/2",
            "sdk": "2.1",
            "id": "course",
            "version": 1,
            "title": "course.title",
            "languages": ["en"],
            "roles": [{"id": "driver", "title": "course.driver"}],
            "media": [
                {
                    "id": "plan",
                    "kind": "image",
                    "file": "media/plan.png",
                    "type": "image/png",
                    "bytes": len(PNG),
                    "sha256": hashlib.sha256(PNG).hexdigest(),
                    "description": "course.plan",
                }
            ],
            "content": "content.json",
            "words": {"en": "words/en.json"},
        }
        names = [*texts_of(self.content), "course.title", "course.driver", "course.plan"]
        special = {"page.email": "help@example.com", "page.url": "https://example.com/help"}
        self.words: dict[str, Any] = {
            "schema": "svc.words/2",
            "language": "en",
            "words": {
                name: special.get(name, "https://example.org" if name.endswith("-url") else f"Words of {name}")
                for name in names
            },
        }
        self.media: dict[str, bytes] = {"media/plan.png": PNG}

    def files(self) -> dict[str, bytes]:
        """The files as bytes."""
        return {
            "manifest.json": _json(self.manifest),
            "content.json": self.content if isinstance(self.content, bytes) else _json(self.content),
            "words/en.json": _json(self.words),
            **self.media,
        }

    def write(self, folder: Path) -> Path:
        """The package as a folder."""
        for name, data in self.files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    """A zip entry with a fixed date."""
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.external_attr = mode << 16
    info.create_system = 3
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def zipped(files: Mapping[str, bytes], *more: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    """A zip of files, then of further entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(entry(name), data)
        for info, data in more:
            archive.writestr(info, data)
    return buffer.getvalue()


def _package(change: Callable[[Package], object], *blocks: dict[str, Any]) -> bytes:
    package = Package(*blocks)
    change(package)
    return zipped(package.files())


def _manifest(change: Change) -> bytes:
    return _package(lambda package: change(package.manifest))


def _media(**keys: Any) -> bytes:
    return _manifest(lambda manifest: manifest["media"][0].update(keys))


def _words(**words: str) -> bytes:
    return _package(lambda package: package.words["words"].update({k.replace("__", "."): v for k, v in words.items()}))


def _contact(name: str, words: str) -> bytes:
    block = {"type": "contact", "contacts": [{name: f"page.{name}"}]}
    image = {"type": "image", "media": "plan"}
    return _package(lambda package: package.words["words"].update({f"page.{name}": words}), image, block)


def _with_entry(info: zipfile.ZipInfo, data: bytes = b"") -> bytes:
    return zipped(Package().files(), (info, data))


def _patched(data: bytes, name: str, offset_local: int, offset_central: int, value: bytes) -> bytes:
    """The zip with bytes of an entry's two headers changed."""
    changed = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        local = archive.getinfo(name).header_offset
    central = data.rindex(name.encode()) - 46
    changed[local + offset_local : local + offset_local + len(value)] = value
    changed[central + offset_central : central + offset_central + len(value)] = value
    return bytes(changed)


def _without_plan(package: Package) -> None:
    del package.media["media/plan.png"]


def _two_films(content: dict[str, Any]) -> None:
    blocks = _page(content)["blocks"]
    second = copy.deepcopy(blocks[0])
    second["scenes"][2]["question"]["id"] = "spot-it"
    blocks.append(second)


def _crossed(content: dict[str, Any]) -> None:
    page = _page(content)
    page["blocks"] = [{"type": "heading", "text": "other.heading"}]


def vectors() -> dict[str, bytes]:
    """Every vector by file name."""
    good = _json(course({"type": "divider"}))
    note = {"type": "callout", "tone": "note", "text": "page.note"}
    table = {"type": "table", "header": ["page.a", "page.b"], "rows": [["page.c"]]}
    plain = zipped(Package().files())
    nested = "[" * 65 + "]" * 65
    many = {f"extra/{number}.txt": b"" for number in range(limits.PACKAGE_FILES)}
    return {
        # The bytes
        "too_large.zip": _package(lambda p: setattr(p, "content", _json(p.content) + b" " * limits.JSON_BYTES)),
        "not_utf8.json": good.replace(b"lesson.title", b"lesson.t\xeftle"),
        "byte_order_mark.json": b"\xef\xbb\xbf" + good,
        "nul_character.json": _styled("/* \0 */"),
        # The JSON
        "invalid_json.json": good.replace(b'"minutes": 5,', b'"minutes": 5'),
        "too_deep.json": good.replace(b'"schema"', b'"extra": ' + nested.encode() + b', "schema"', 1),
        "duplicate_key.json": good.replace(b'"minutes": 5,', b'"minutes": 5,\n      "minutes": 6,'),
        "lone_surrogate.json": _styled("/* cut */").replace(b"cut", b"\\ud800"),
        "control_character.json": _styled("/* \a */"),
        # The shape
        "wrong_type.json": good.replace(b'"minutes": 5', b'"minutes": true'),
        "missing_key.json": _content(lambda c: c["lessons"][0].pop("title")),
        "unknown_key.json": _content(lambda c: _block(c).update(text="page.text")),
        "key_not_for_kind.json": _film(lambda f: f["scenes"][0].update(email="lure")),
        "unknown_value.json": _content(lambda c: _block(c).update(tone="danger"), dict(note)),
        "unknown_block_type.json": _content(lambda c: _block(c).update(type="video-clip")),
        "wrong_schema.json": good.replace(b"svc.content/2", b"svc.content/1"),
        "empty_list.json": _content(lambda c: _block(c).update(type="steps", items=[])),
        "out_of_range.json": good.replace(b'"minutes": 5', b'"minutes": 121'),
        # Ids
        "invalid_text_id.json": good.replace(b"page.title", "page.tіtle".encode()),
        "text_id_prefix.json": _content(_crossed),
        "invalid_lesson_id.json": good.replace(b'"id": "lesson"', b'"id": "Lesson"'),
        "invalid_page_id.json": good.replace(b'"id": "page"', b'"id": "' + b"p" * 49 + b'"'),
        "invalid_role_id.json": _content(lambda c: c["lessons"][0].update(requiredFor=["fork_lift"])),
        "invalid_media_id.json": _content(lambda c: _block(c).update(type="image", media="-plan")),
        "invalid_id.json": _question(lambda q: q["choices"][0].update(id="Choice")),
        "invalid_class.json": _film(lambda f: f["scenes"][2]["elements"][0].update({"class": "card wide"})),
        "duplicate_id.json": good.replace(b'"id": "page"', b'"id": "lesson"').replace(b"page.title", b"lesson.title"),
        "duplicate_role.zip": _manifest(lambda m: m["roles"].append({"id": "driver", "title": "course.title"})),
        "duplicate_question_id.json": _content(_two_films, film()),
        "duplicate_choice_id.json": _question(lambda q: q["choices"][1].update(id="choice-0")),
        "duplicate_scene_id.json": _film(lambda f: f["scenes"][1].update(id="opening")),
        "duplicate_email_id.json": _film(lambda f: f["emails"].append(copy.deepcopy(f["emails"][0]))),
        "duplicate_element_id.json": _film(lambda f: f["scenes"][2]["elements"][1].update(id="box")),
        # Lessons, pages, blocks
        "too_many_lessons.json": _content(
            lambda c: c.update(
                lessons=[
                    {"id": f"lesson-{n}", "title": f"lesson-{n}.title", "pages": pages(1, f"page-{n}")}
                    for n in range(65)
                ]
            )
        ),
        "too_many_pages.json": _content(
            lambda c: c.update(
                lessons=[
                    {"id": f"lesson-{n}", "title": f"lesson-{n}.title", "pages": pages(101 - n, f"page-{n}")}
                    for n in range(2)
                ]
            )
        ),
        "ragged_table.json": _content(lambda c: None, table),
        # Questions
        "too_few_choices.json": _question(lambda q: q["choices"].pop()),
        "too_many_choices.json": _question(lambda q: None, kind="true_false", right=(True, False, False)),
        "no_correct_choice.json": _question(lambda q: None, right=(False, False)),
        "too_many_correct_choices.json": _question(lambda q: None, right=(True, True)),
        # Films
        "too_few_scenes.json": _film(lambda f: f.update(scenes=f["scenes"][1:2])),
        "too_many_scenes.json": _film(
            lambda f: f["scenes"].extend({**f["scenes"][0], "id": f"scene-{n}"} for n in range(28))
        ),
        "film_too_long.json": _film(
            lambda f: f["scenes"].extend({**f["scenes"][0], "id": f"scene-{n}", "seconds": 60} for n in range(10))
        ),
        "too_many_emails.json": _film(
            lambda f: (
                f["emails"].extend({**f["emails"][0], "id": f"mail-{n}"} for n in range(4)),
                f["scenes"].extend({**f["scenes"][1], "id": f"scene-{n}", "email": f"mail-{n}"} for n in range(4)),
            )
        ),
        "too_many_elements.json": _film(
            lambda f: f["scenes"][0].update(elements=[{"id": f"box-{n}", "kind": "box"} for n in range(41)])
        ),
        "unknown_email.json": _film(lambda f: f["scenes"].append({**f["scenes"][1], "id": "again", "email": "reply"})),
        "unused_email.json": _film(lambda f: f["emails"].append({**f["emails"][0], "id": "reply"})),
        # Film styles
        "style_too_large.json": _styled("/*" + "x" * 31_997 + "*/"),
        "style_character.json": _styled(".card { color: red } /* </style> */"),
        "style_unfinished.json": _styled(".card { color: red"),
        "style_syntax.json": _styled(".card { color red }"),
        "style_at_rule.json": _styled("@layer base { .card { color: red } }"),
        "style_selector.json": _styled("+ .card { color: red }"),
        "style_property.json": _styled(".card { behavior: none }"),
        "style_position.json": _styled(".card { position: fixed }"),
        "style_url.json": _styled(".card { background: url(https://example.com/pixel.gif) }"),
        "style_function.json": _styled(".card { width: expression(1) }"),
        "style_text.json": _styled('.card::before { content: "Click here" }'),
        "style_important.json": _styled(".card { color: red !important }"),
        # The manifest
        "invalid_language.zip": _manifest(lambda m: m.update(languages=["en", "english"])),
        "duplicate_language.zip": _manifest(lambda m: m.update(languages=["en", "en"])),
        "too_many_languages.zip": _manifest(
            lambda m: m.update(
                languages=(tags := [f"{a}{b}" for a in "abcde" for b in "abcdefghijklm"]),
                words=dict.fromkeys(tags, "words/en.json"),
            )
        ),
        "duplicate_media.zip": _manifest(lambda m: m["media"].append(dict(m["media"][0]))),
        "language_without_words.zip": _manifest(lambda m: m.update(languages=["en", "de"])),
        "words_without_language.zip": _package(
            lambda p: (
                p.manifest["words"].update(de="words/de.json"),
                p.media.update({"words/de.json": _json({**p.words, "language": "de"})}),
            )
        ),
        "unknown_sdk.zip": _manifest(lambda m: m.update(sdk="3.0")),
        "film_needs_sdk.zip": _package(lambda p: p.manifest.update(sdk="2.0"), film()),
        "unknown_role.zip": _package(lambda p: p.content["lessons"][0].update(requiredFor=["pilot"])),
        "unknown_media.zip": _package(lambda p: _page(p.content)["blocks"].append({"type": "image", "media": "map"})),
        "unused_media.zip": _package(lambda p: None, {"type": "divider"}),
        "media_kind.zip": _package(lambda p: _page(p.content)["blocks"].append({"type": "audio", "media": "plan"})),
        "media_type.zip": _media(type="image/svg+xml"),
        "media_too_large.zip": _media(bytes=limits.MEDIA_BYTES + 1),
        "media_bytes.zip": _media(bytes=len(PNG) + 1),
        "media_sha256.zip": _media(sha256=hashlib.sha256(b"another file").hexdigest()),
        "media_signature.zip": _media(type="image/jpeg"),
        "media_not_described.zip": _package(
            lambda p: (p.manifest["media"][0].pop("description"), p.words["words"].pop("course.plan"))
        ),
        "invalid_sha256.zip": _media(sha256=hashlib.sha256(PNG).hexdigest().upper()),
        # The words
        "wrong_language.zip": _package(lambda p: p.words.update(language="de")),
        "missing_words.zip": _package(lambda p: p.words["words"].pop("page.title")),
        "unused_words.zip": _words(page__old="Left over"),
        "empty_words.zip": _words(page__title=" \n"),
        "not_nfc.zip": _words(page__title="Cafe\u0301"),
        "invalid_title.zip": _words(course__title="Leaving\nthe building"),
        "invalid_email.zip": _contact("email", "help at example.com"),
        "invalid_url.zip": _contact("url", "javascript:alert(1)"),
        # The folder or zip
        "missing_file.zip": _package(_without_plan),
        "unused_file.zip": _package(lambda p: p.media.update({"notes.txt": b"draft"})),
        "unsafe_path.zip": _with_entry(entry("../../etc/cron.d/job"), b"* * * * * root true\n"),
        "name_collision.zip": _with_entry(entry("media/Plan.png"), PNG),
        "link_in_package.zip": _with_entry(entry("media/link.png", stat.S_IFLNK | 0o777), b"/etc/passwd"),
        "special_file.zip": _with_entry(entry("media/pipe", stat.S_IFIFO | 0o644)),
        "too_many_files.zip": zipped({**Package().files(), **many}),
        "package_too_large.zip": _patched(
            _package(lambda p: p.media.update({"notes.txt": b"draft"})),
            "notes.txt",
            22,
            24,
            (limits.PACKAGE_BYTES + 1).to_bytes(4, "little"),
        ),
        "invalid_zip.zip": plain[: len(plain) // 2],
        "zip_bomb.zip": _package(lambda p: p.media.update({"media/plan.png": PNG + b"\0" * limits.BOMB_BYTES})),
        "zip_encrypted.zip": _patched(
            _package(lambda p: p.media.update({"notes.txt": b"draft"})), "notes.txt", 6, 8, b"\x01\x00"
        ),
        "zip_compression.zip": _patched(
            _package(lambda p: p.media.update({"notes.txt": b"draft"})), "notes.txt", 8, 10, b"\x0e\x00"
        ),
    }


def good() -> dict[str, bytes]:
    """Files without a fault."""
    everything = course(*every_block())
    everything["$schema"] = "https://example.com/content.schema.json"
    everything["lessons"][0]["$schema"] = {"ignored": ["\0", 1.5, {"$schema": None}]}
    everything["lessons"][0]["requiredFor"] = ["driver", "buyer", "driver"]
    everything["lessons"][0]["minutes"] = 5.0
    everything["lessons"][0]["pages"][0]["blocks"][0]["text"] = "pages-and-more.heading"
    return {
        "smallest.json": _json(
            {"schema": "svc.content/2", "lessons": [{"id": "a", "title": "a", "pages": [{"id": "b", "title": "b"}]}]}
        ),
        "every-block.json": _json(everything),
        "most-pages.json": _json(
            {
                "schema": "svc.content/2",
                "lessons": [{"id": "l", "title": "l.t", "requiredFor": None, "pages": pages(200)}],
            }
        ),
        "package.zip": zipped(Package(*every_block()).files()),
    }


def main() -> None:
    """Write every file."""
    for name, data in vectors().items():
        (FOLDER / name).write_bytes(data)
    for name, data in good().items():
        (FOLDER / "good" / name).write_bytes(data)


if __name__ == "__main__":
    main()
