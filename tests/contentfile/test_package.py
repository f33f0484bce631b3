"""Packages as a whole: the same in a folder and a zip, media that can be trusted, and the course to read."""

import json
import re
from pathlib import Path

import pytest

from compliance.contentfile import (
    LanguageNotInPackage,
    MediaNotInPackage,
    PackageFaulty,
    check_package,
    read_content,
    read_package,
)
from compliance.contentfile.course import Film, MediaBlock, Question, Text
from tests.contentfile.make_vectors import PNG, Package, every_block, zipped
from tests.packages import Package as Made
from tests.packages import film_course, long_course, written

DEMO = Path(__file__).parent.parent.parent / "development" / "demo" / "packages"


def test_a_folder_and_a_zip_of_it_are_the_same_package(tmp_path: Path) -> None:
    package = Package(*every_block())
    folder = check_package(package.write(tmp_path / "folder"))
    (tmp_path / "package.zip").write_bytes(zipped(package.files()))
    archive = check_package(tmp_path / "package.zip")
    assert folder.faults == archive.faults == ()
    assert folder.package_sha256 == archive.package_sha256
    assert folder.read_media("plan") == archive.read_media("plan") == PNG
    assert folder.title == "Words of course.title"


def test_a_manifests_numbers_and_schema_keys_are_read_like_those_of_the_content_file(tmp_path: Path) -> None:
    package = Package(*every_block())
    package.manifest["version"] = 2.0
    package.manifest["media"][0] |= {"bytes": float(len(PNG)), "$schema": "\0"}
    package.manifest["words"]["$schema"] = 1
    package.words["words"]["$schema"] = ["any"]
    checked = check_package(package.write(tmp_path / "package"))
    assert checked.faults == ()
    assert checked.manifest is not None
    assert repr(checked.manifest["version"]) == "2"
    assert checked.media[0].size == len(PNG)
    assert "$schema" not in checked.words["en"]


def test_faults_of_all_files_are_reported_at_once_with_their_file(tmp_path: Path) -> None:
    package = Package(*every_block())
    package.manifest["version"] = 0
    package.content["lessons"][0]["minutes"] = 0
    package.words["words"].pop("page.heading")
    package.words["words"]["page.lead"] = ""
    faults = check_package(package.write(tmp_path / "package")).faults
    assert [(fault.file, fault.code.value, fault.pointer) for fault in faults] == [
        ("manifest.json", "out_of_range", "/version"),
        ("content.json", "out_of_range", "/lessons/0/minutes"),
        ("words/en.json", "missing_words", "/words"),
        ("words/en.json", "empty_words", "/words/page.lead"),
    ]


def test_content_is_checked_even_when_the_manifest_cannot_be_read(tmp_path: Path) -> None:
    folder = Package().write(tmp_path / "package")
    (folder / "manifest.json").write_text("{")
    (folder / "content.json").write_text("{}")
    faults = check_package(folder).faults
    assert [(fault.file, fault.code.value) for fault in faults] == [
        ("manifest.json", "invalid_json"),
        ("content.json", "missing_key"),
        ("content.json", "missing_key"),
    ]


def test_two_languages_cannot_share_a_words_file(tmp_path: Path) -> None:
    package = Package()
    package.manifest["languages"].append("de")
    package.manifest["words"]["de"] = "words/en.json"
    faults = check_package(package.write(tmp_path / "package")).faults
    assert [(fault.code.value, fault.pointer) for fault in faults] == [("wrong_language", "/words/de")]


@pytest.mark.parametrize("name", ["film-course.title", "films.title"])
@pytest.mark.parametrize("title", ["Fire\nsafety", "Fire\tsafety", "x" * 501])
def test_a_title_that_no_version_could_record_is_a_fault_in_the_default_language(
    name: str, title: str, tmp_path: Path
) -> None:
    course = film_course(1)
    course.words[name] = title
    faults = check_package(written(course, tmp_path / "default")).faults
    assert [(fault.code.value, fault.pointer) for fault in faults] == [("invalid_title", f"/words/{name}")]
    course.words["film-page-1.title"] = title
    course.words[name] = "x" * 500
    assert check_package(written(course, tmp_path / "good")).ok
    course.manifest["languages"] = ["de", "en"]
    course.manifest["words"]["de"] = "de.json"
    folder = written(course._replace(words=course.words | {name: title}), tmp_path / "other")
    german = {"schema": "svc.words/2", "language": "de", "words": course.words}
    (folder / "de.json").write_text(json.dumps(german), encoding="utf-8")
    assert check_package(folder).ok


def test_media_that_changed_since_the_check_are_not_served(tmp_path: Path) -> None:
    package = check_package(Package().write(tmp_path / "package"))
    with pytest.raises(MediaNotInPackage):
        package.read_media("map")
    (tmp_path / "package" / "media" / "plan.png").write_bytes(PNG[:-1] + b"\0")
    with pytest.raises(MediaNotInPackage):
        package.read_media("plan")
    (tmp_path / "package" / "media" / "plan.png").unlink()
    with pytest.raises(MediaNotInPackage):
        package.read_media("plan")


def test_a_faulty_package_is_neither_read_nor_fingerprinted(tmp_path: Path) -> None:
    package = check_package(tmp_path)
    for ask in (lambda: read_package(package), lambda: package.content_sha256, lambda: package.title):
        with pytest.raises(PackageFaulty):
            ask()


def test_the_demo_courses_use_all_fifteen_block_types_and_real_media() -> None:
    packages = [check_package(path) for path in sorted(DEMO.iterdir()) if path.is_dir()]
    types = set()
    for package in packages:
        assert package.faults == ()
        for language in package.words:
            reading = read_package(package, language)
            types |= {block.type for lesson in reading.lessons for page in lesson.pages for block in page.blocks}
        for item in package.media:
            assert len(package.read_media(item.id)) == item.size < 60_000
    assert types == {
        "heading", "text", "list", "steps", "callout", "table", "quote", "image", "audio", "video", "film", "question",
        "contact", "sources", "divider",
    }  # fmt: skip
    assert any(len(package.words) == 2 for package in packages)


def test_the_course_that_reads_from_right_to_left_is_whole_in_both_its_languages() -> None:
    package = check_package(DEMO / "personal-data")
    assert (tuple(package.words), package.faults) == (("ar", "en"), ())
    arabic, english = read_package(package), read_package(package, "en")
    assert (arabic.language, english.title) == ("ar", "Personal data at work")
    assert package.words["ar"].keys() == package.words["en"].keys()
    untranslated = {key for key, text in package.words["ar"].items() if not re.search("[\u0600-\u06ff]", text)}
    assert {key.rpartition(".")[2] for key in untranslated} == {"email", "phone", "url", "address"}
    types = {block.type for lesson in arabic.lessons for page in lesson.pages for block in page.blocks}
    assert {"question", "film", "table", "quote", "steps", "contact"} <= types
    assert [lesson.required_for for lesson in english.lessons] == [(), (), ("Managers of a team",)]


@pytest.mark.parametrize(("package", "pages", "films"), [(long_course(200), 200, 0), (film_course(8), 8, 8)])
def test_the_packages_that_tests_make_are_sound(package: Made, pages: int, films: int, tmp_path: Path) -> None:
    checked = check_package(written(package, tmp_path))
    assert checked.faults == ()
    reading = read_package(checked)
    found = [page for lesson in reading.lessons for page in lesson.pages]
    assert len(found) == pages
    assert sum(isinstance(block, Film) for page in found for block in page.blocks) == films


def test_a_course_reads_in_order_in_the_language_asked_for() -> None:
    package = check_package(DEMO / "fire-safety")
    english, german = read_package(package), read_package(package, "de")
    assert (english.language, german.language) == ("en", "de")
    assert english.languages == ("en", "de")
    assert german.title == "Brandschutz am Arbeitsplatz"
    pages = [page for lesson in german.lessons for page in lesson.pages]
    assert [page.number for page in pages] == list(range(1, german.page_count + 1))
    assert german.lessons[1].required_for == ("Brandschutzhelferinnen und Brandschutzhelfer",)
    image = next(block for block in pages[1].blocks if isinstance(block, MediaBlock))
    assert image.media.description.startswith("Plan eines Stockwerks")
    with pytest.raises(LanguageNotInPackage):
        read_package(package, "fr")


def test_a_film_reads_as_a_storyboard_with_its_style_scoped_to_it() -> None:
    reading = read_package(check_package(DEMO / "phishing"))
    film = next(block for block in reading.lessons[0].pages[0].blocks if isinstance(block, Film))
    assert film.seconds == sum(scene.seconds for scene in film.scenes)
    assert [scene.starts_at for scene in film.scenes][:3] == [0, 5, 13]
    assert film.scenes[2].clock == "0:13"
    assert len(film.transcript) == len(film.scenes)
    assert [scene.kind for scene in film.scenes if scene.email] == ["email", "email"]
    assert len([scene for scene in film.scenes if isinstance(scene.question, Question)]) == 1
    assert all(line.startswith(f".{film.scope}") for line in film.css.splitlines() if line.startswith("."))
    assert "<" not in film.css


def test_content_without_words_reads_as_its_text_ids() -> None:
    package = Package({"type": "text", "text": "page.lead"}, {"type": "image", "media": "plan"})
    reading = read_content(package.content, {})
    text, image = reading.lessons[0].pages[0].blocks
    assert isinstance(text, Text)
    assert text.paragraphs == ("page.lead",)
    assert isinstance(image, MediaBlock)
    assert image.media.id == "plan"


def test_a_blank_line_separates_paragraphs_however_it_was_written() -> None:
    package = Package({"type": "text", "text": "page.lead"})
    for text in ("One\nline\n\nTwo", "One\nline\r\n\r\nTwo", "One\nline\n \t\nTwo\n\n\n", "\r\rOne\nline\r\rTwo"):
        (block,) = read_content(package.content, {"page.lead": text}).lessons[0].pages[0].blocks
        assert isinstance(block, Text)
        assert block.paragraphs == ("One\nline", "Two")
    (block,) = read_content(package.content, {"page.lead": "One\r\nline"}).lessons[0].pages[0].blocks
    assert isinstance(block, Text)
    assert block.paragraphs == ("One\r\nline",)
