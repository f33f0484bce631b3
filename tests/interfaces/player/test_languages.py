"""Which language of a package a reader gets, and its direction."""

import pytest

from compliance.interfaces.player.languages import best, described, direction


@pytest.mark.parametrize(
    "wanted, available, chosen",
    [
        (["de"], ["en", "de"], "de"),
        (["DE"], ["en", "de"], "de"),
        (["de-AT"], ["en", "de-CH", "de"], "de"),
        (["de-AT"], ["en", "de-CH"], "de-CH"),
        (["pt"], ["en", "pt-BR"], "pt-BR"),
        (["fr", "de"], ["en", "de"], "de"),
        (["fr"], ["en", "de"], "en"),
        ([], ["de", "en"], "de"),
        (["de"], [], ""),
    ],
)
def test_the_first_wanted_language_that_is_there_is_chosen_else_the_default(wanted, available, chosen):
    assert best(wanted, available) == chosen


@pytest.mark.parametrize(
    "tag, runs",
    [("en", "ltr"), ("ar", "rtl"), ("he-IL", "rtl"), ("fa", "rtl"), ("az-Arab", "rtl"), ("ku-Latn-TR", "ltr"),
     ("ar-Latn", "ltr"), ("uz-Cyrl", "ltr"), ("UR", "rtl"), ("prs", "rtl"), ("syr", "rtl"), ("nqo", "rtl")],
)  # fmt: skip
def test_a_language_runs_as_its_script_does(tag, runs):
    assert direction(tag) == runs


def test_a_language_is_called_as_its_speakers_call_it_and_an_unknown_one_by_its_tag():
    assert described("de").name == "Deutsch"
    assert described("xx-yy").name == "Xx-yy"
