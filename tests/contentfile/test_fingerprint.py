"""Fingerprints depend on the content only, and can be recomputed from the documentation."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from compliance.contentfile import (
    ContainedRelease,
    NotCanonical,
    canonical_bytes,
    check_content,
    check_package,
    content_sha256,
    contents_sha256,
    lesson_fingerprints,
)
from tests.contentfile.make_vectors import Package, course, every_block

ROOT = Path(__file__).parent.parent.parent
SMALL = {"schema": "svc.content/2", "lessons": [{"id": "a", "title": "a", "pages": [{"id": "b", "title": "b"}]}]}
RELEASE = UUID("0b8e4f0e-52c7-4b34-8f0d-3a5f5c2a1e77")


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {"$schema": {"x": [1.5]}} | {name: reordered(value[name]) for name in sorted(value, reverse=True)}
    return [reordered(member) for member in value] if isinstance(value, list) else value


def test_the_canonical_bytes_are_sorted_json_without_white_space() -> None:
    expected = b'{"lessons":[{"id":"a","pages":[{"id":"b","title":"b"}],"title":"a"}],"schema":"svc.content/2"}'
    assert canonical_bytes(SMALL) == expected
    assert content_sha256(SMALL) == hashlib.sha256(expected).hexdigest()


def test_strings_are_written_as_rfc_8785_says() -> None:
    text = '\u20ac$\u000f\nA\'B"\\\\"/é\U0001f600\u2028'
    assert canonical_bytes(text).decode() == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/é\U0001f600\u2028"'


def test_key_order_white_space_escapes_and_schema_keys_make_no_difference() -> None:
    content = course(*every_block())
    same = json.loads(json.dumps(reordered(content), indent=3, ensure_ascii=True))
    assert content_sha256(same) == content_sha256(content)
    assert check_content(same).ok


def test_everything_else_makes_a_difference() -> None:
    content = course(*every_block())
    before = content_sha256(content)
    content["lessons"][0]["minutes"] = 6
    changed = content_sha256(content)
    content["lessons"][0]["pages"][0]["blocks"].reverse()
    assert len({before, changed, content_sha256(content)}) == 3


def test_a_lessons_fingerprint_is_that_of_a_file_with_only_this_lesson() -> None:
    content = course(*every_block())
    content["lessons"].append({"id": "other", "title": "other", "pages": [{"id": "last", "title": "last"}]})
    first, second = lesson_fingerprints(content)
    assert (first.lesson_id, second.lesson_id) == ("lesson", "other")
    assert first.content_sha256 == content_sha256(course(*every_block()))


def test_the_list_of_releases_is_hashed_line_by_line() -> None:
    digest = "ab" * 32
    expected = hashlib.sha256(f"svc.contents/1\n{RELEASE} 3 {digest}".encode()).hexdigest()
    assert contents_sha256([ContainedRelease(RELEASE, 3, digest)]) == expected
    row = {"release_id": str(RELEASE).upper(), "title": "Any", "version": 3, "content_sha256": digest}
    assert contents_sha256([row]) == expected
    other = ContainedRelease(UUID(int=5), 1, digest)
    contained = ContainedRelease(RELEASE, 3, digest)
    assert contents_sha256([contained, other]) != contents_sha256([other, contained])


@pytest.mark.parametrize(
    "value", [1.5, 2.0**53, {"a": float("nan")}, {1: 2}, {"é": 1}, "\ud800", 2**53, (1,), object()]
)
def test_what_no_content_file_holds_has_no_fingerprint(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical_bytes(value)


def test_a_nesting_bomb_has_no_fingerprint() -> None:
    bomb: Any = []
    for _ in range(5_000):
        bomb = [bomb]
    with pytest.raises(NotCanonical):
        canonical_bytes(bomb)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"release_id": "x", "version": 1, "content_sha256": "ab" * 32},
        {"release_id": str(RELEASE), "version": True, "content_sha256": "ab" * 32},
        {"release_id": str(RELEASE), "version": 1, "content_sha256": "AB" * 32},
        {"release_id": 7, "version": 1, "content_sha256": "ab" * 32},
    ],
)
def test_an_incomplete_release_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(NotCanonical):
        contents_sha256([row])


def test_the_recipe_in_the_documentation_gives_the_same_fingerprints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipes = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "content-format.md").read_text(), re.DOTALL)
    recipe = next(text for text in recipes if text.startswith("import hashlib, json"))
    content = reordered(course(*every_block()))
    (tmp_path / "content.json").write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)
    exec(recipe, {})
    assert capsys.readouterr().out.strip() == content_sha256(content)


def test_a_package_has_a_fingerprint_that_covers_its_words_and_media(tmp_path: Path) -> None:
    package = Package()
    first = check_package(package.write(tmp_path / "first"))
    package.words["words"]["page.title"] = "Another title"
    second = check_package(package.write(tmp_path / "second"))
    assert first.content_sha256 == second.content_sha256
    assert first.package_sha256 != second.package_sha256
