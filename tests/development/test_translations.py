"""The catalogues of the learners' and the console's pages: complete, valid, and in step with the texts."""

import gettext
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from django.utils import translation
from django.utils.translation import ngettext

from development.translations import COLLECTIONS, Collection, extract

EVERY = [(each, language) for each in COLLECTIONS.values() for language in each.languages]

_LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d)\])?) "(.*)"|"(.*)"')
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}|</?\w+>|svc\.[\w/]+|\b(?:NOW|ALL|COUNT|RIGHT|WRONG)\b")
_ESCAPES = {r"\n": "\n", r"\"": '"', r"\\": "\\"}


class Entry(NamedTuple):
    """A text and its translations: one, or one for each plural form."""

    text: str
    plural: str | None
    translated: tuple[str, ...]
    fuzzy: bool
    context: str | None

    @property
    def key(self) -> str:
        """Its key in a compiled catalogue."""
        return f"{self.context}\x04{self.text}" if self.context else self.text


def read(file: Path) -> list[Entry]:
    """The entries of a catalogue in text, its header first."""
    entries = []
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        parts: dict[str, str] = {}
        key = ""
        for line in block.splitlines():
            if (found := _LINE.fullmatch(line)) is None:
                continue
            key = found[1] or key
            said = found[3] if found[1] else found[4]
            parts[key] = parts.get(key, "") + re.sub(r'\\[n"\\]', lambda each: _ESCAPES[each[0]], said)
        if "msgid" in parts:
            translated = tuple(text for name, text in sorted(parts.items()) if name.startswith("msgstr"))
            fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in block.splitlines())
            context = parts.get("msgctxt")
            entries.append(Entry(parts["msgid"], parts.get("msgid_plural"), translated, fuzzy, context))
    return entries


@pytest.mark.parametrize(("collection", "language"), EVERY)
def test_every_text_is_translated_with_the_same_placeholders(collection: Collection, language: str):
    header, *entries = read(collection.catalogue(language))
    forms = int(re.search(r"nplurals=(\d)", header.translated[0])[1])
    assert len(entries) > collection.fewest
    wrong = []
    for each in entries:
        # A singular may spell its number out, as in "reminded once".
        allowed = [sorted(_PLACEHOLDER.findall(text)) for text in (each.plural or each.text, each.text)]
        wrong += [each.text] * (len(each.translated) != (forms if each.plural else 1) or each.fuzzy)
        wrong += [
            each.text for text in each.translated if not text or sorted(_PLACEHOLDER.findall(text)) not in allowed
        ]
        wrong += [each.text for text in each.translated if each.text[-1] in ":," and text[-1] not in ":,،"]
    assert wrong == []


@pytest.mark.parametrize(("collection", "language"), EVERY)
def test_the_compiled_catalogue_is_that_of_the_text(collection: Collection, language: str):
    file = collection.catalogue(language)
    with file.with_suffix(".mo").open("rb") as compiled:
        held = gettext.GNUTranslations(compiled)._catalog  # type: ignore[attr-defined]
    expected: dict[object, str] = {}
    for each in read(file)[1:]:
        if each.plural:
            expected |= {(each.key, number): text for number, text in enumerate(each.translated)}
        else:
            expected[each.key] = each.translated[0]
    assert {key: text for key, text in held.items() if key != ""} == expected


@pytest.mark.parametrize(("collection", "language"), EVERY)
def test_no_library_says_it_in_other_words(collection: Collection, language: str):
    with translation.override(language):
        plain = [each for each in read(collection.catalogue(language))[1:] if not each.plural and not each.context]
        assert [each.text for each in plain if translation.gettext(each.text) != each.translated[0]] == []
        counted = [each for each in read(collection.catalogue(language))[1:] if each.plural]
        assert all(translation.ngettext(each.text, each.plural, 1) in each.translated for each in counted)


@pytest.mark.parametrize("collection", COLLECTIONS.values(), ids=COLLECTIONS)
def test_the_catalogues_hold_the_texts_of_today_and_no_others(collection: Collection, tmp_path: Path):
    if shutil.which("xgettext") is None:
        pytest.skip("GNU gettext is missing: apt-get install -y gettext")
    extract(collection, tmp_path / "django.pot")
    today = {(each.key, each.plural) for each in read(tmp_path / "django.pot")[1:]}
    for language in collection.languages:
        kept = {(each.key, each.plural) for each in read(collection.catalogue(language))[1:]}
        assert kept == today, "run python -m development.translations, and translate what it names"


@pytest.mark.parametrize(("number", "said"), [(1, "1 يوم"), (2, "2 يومين"), (5, "5 أيام"), (11, "11 يومًا")])
def test_arabic_counts_in_its_own_plurals(number, said):
    with translation.override("ar"):
        assert said in ngettext("%(days)s day late", "%(days)s days late", number) % {"days": number}
