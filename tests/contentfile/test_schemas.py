"""The published JSON Schemas and the validator agree on all that a schema can express."""

import copy
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compliance.contentfile import FaultCode, check_content, check_package, source
from compliance.contentfile.faults import Report
from compliance.contentfile.manifest import walk_manifest
from compliance.contentfile.words import walk_words
from tests.contentfile.make_vectors import Package, course, every_block
from tests.contentfile.test_vectors import GOOD, VECTORS

SCHEMAS = Path(__file__).parent.parent.parent / "docs" / "schemas"


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


CONTENT, MANIFEST, WORDS = validator("content"), validator("manifest"), validator("words")

# A schema sees one parsed value: no bytes, no sums, no comparison of distant ids, no CSS, no other file.
SILENT = frozenset(
    code
    for code in FaultCode
    if code.value.startswith(("style_", "duplicate_", "zip_", "unused_", "media_"))
    or code
    in {
        FaultCode.BYTE_ORDER_MARK,
        FaultCode.NUL_CHARACTER,
        FaultCode.LONE_SURROGATE,
        FaultCode.CONTROL_CHARACTER,
        FaultCode.TEXT_ID_PREFIX,
        FaultCode.TOO_MANY_PAGES,
        FaultCode.RAGGED_TABLE,
        FaultCode.FILM_TOO_LONG,
        FaultCode.UNKNOWN_EMAIL,
        FaultCode.LANGUAGE_WITHOUT_WORDS,
        FaultCode.WORDS_WITHOUT_LANGUAGE,
        FaultCode.FILM_NEEDS_SDK,
        FaultCode.UNKNOWN_ROLE,
        FaultCode.UNKNOWN_MEDIA,
        FaultCode.WRONG_LANGUAGE,
        FaultCode.MISSING_WORDS,
        FaultCode.NOT_NFC,
        FaultCode.INVALID_TITLE,
        FaultCode.INVALID_EMAIL,
        FaultCode.INVALID_URL,
    }
) - {
    FaultCode.DUPLICATE_LANGUAGE,
    FaultCode.MEDIA_TYPE,
    FaultCode.MEDIA_TOO_LARGE,
    FaultCode.STYLE_TOO_LARGE,
}
OF_THE_FILES = frozenset(
    {
        FaultCode.TOO_LARGE,
        FaultCode.MISSING_FILE,
        FaultCode.UNSAFE_PATH,
        FaultCode.NAME_COLLISION,
        FaultCode.LINK_IN_PACKAGE,
        FaultCode.SPECIAL_FILE,
        FaultCode.TOO_MANY_FILES,
        FaultCode.PACKAGE_TOO_LARGE,
        FaultCode.INVALID_ZIP,
    }
)
UNREADABLE = {"not_utf8", "invalid_json"}


@pytest.mark.parametrize(
    "path", [path for path in VECTORS if path.suffix == ".json" and path.stem not in UNREADABLE], ids=lambda p: p.stem
)
def test_the_content_schema_refuses_what_it_can_see(path: Path) -> None:
    value = json.loads(path.read_bytes().decode("utf-8-sig"))
    assert CONTENT.is_valid(value) == (FaultCode(path.stem) in SILENT)


@pytest.mark.parametrize("path", [path for path in VECTORS if path.suffix == ".zip"], ids=lambda p: p.stem)
def test_the_package_schemas_refuse_what_they_can_see(path: Path) -> None:
    code = FaultCode(path.stem)
    if code in OF_THE_FILES or code.value.startswith("zip_"):
        return
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        words = json.loads(archive.read("words/en.json"))
        content = json.loads(archive.read("content.json"))
    agreed = MANIFEST.is_valid(manifest) and WORDS.is_valid(words) and CONTENT.is_valid(content)
    assert agreed == (code in SILENT)


@pytest.mark.parametrize("path", [path for path in GOOD if path.suffix == ".json"], ids=lambda p: p.stem)
def test_the_content_schema_takes_good_files(path: Path) -> None:
    assert CONTENT.is_valid(json.loads(path.read_bytes()))


def test_the_package_schemas_take_a_good_package() -> None:
    package = Package(*every_block())
    assert MANIFEST.is_valid(package.manifest)
    assert WORDS.is_valid(package.words)


REPLACEMENTS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 61, 10**6, 1.5, 5.0, "", "x", "page.x", "Page.X", "a..b", "-a", "a b", "x" * 49,
    "x" * 129,
    "warning", "multiple", "question", "email", "box", "divider", "nonsense", [], [1], ["page.a"], {}, {"id": "x"},
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a value."""
    members = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    found = [(value, name) for name, _ in members]
    for _, member in members:
        if isinstance(member, (dict, list)):
            found += places(member)
    return found


def broken(value: Any, chance: random.Random) -> Any:
    """A copy with one to three members replaced, removed, added or doubled."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        container, name = chance.choice(places(value))
        try:
            match chance.randrange(4):
                case 0 | 1:
                    container[name] = copy.deepcopy(chance.choice(REPLACEMENTS))
                case 2:
                    del container[name]
                case 3 if isinstance(container, dict):
                    container[chance.choice(["extra", "text", "media", "email", "$schema"])] = chance.choice(
                        REPLACEMENTS
                    )
                case _:
                    container.insert(name, copy.deepcopy(container[name]))
        except (KeyError, IndexError):
            continue
    return value


def test_schema_and_validator_agree_on_broken_contents() -> None:
    chance = random.Random(9)
    original = course(*every_block())
    refused = 0
    for _ in range(150):
        value = broken(original, chance)
        codes = {fault.code for fault in check_content(value).faults}
        refused += bool(codes - SILENT)
        assert CONTENT.is_valid(value) == (not codes - SILENT), (codes, value)
    assert refused > 75


def test_schema_and_validator_agree_on_broken_manifests_and_words() -> None:
    chance = random.Random(9)
    package = Package(*every_block())
    package.words["words"] = dict(list(package.words["words"].items())[:3])
    for _ in range(300):
        report = Report()
        manifest = broken(package.manifest, chance)
        walk_manifest(source.take(manifest, report).value, report)
        assert MANIFEST.is_valid(manifest) == (not {item.code for item in report.found} - SILENT), manifest
        report = Report()
        words = broken(package.words, chance)
        walk_words(source.take(words, report).value, "en", report)
        assert WORDS.is_valid(words) == (not {item.code for item in report.found} - SILENT), words


def test_the_demo_packages_satisfy_the_schemas() -> None:
    folder = Path(__file__).parent.parent.parent / "development" / "demo" / "packages"
    packages = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    assert len(packages) >= 3
    for path in packages:
        package = check_package(path)
        assert package.faults == ()
        assert MANIFEST.is_valid(package.manifest)
        assert CONTENT.is_valid(package.content)
        for name in (path / "words").iterdir():
            assert WORDS.is_valid(json.loads(name.read_text()))
