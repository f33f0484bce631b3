"""Spellings of the same name, and different names."""

import pytest

from compliance.rules.people.names import same_name


@pytest.mark.parametrize(
    "typed, known",
    [
        ("Ana Reis", "Ana Reis"),
        ("  ana\u00a0  REIS ", "Ana Reis"),
        ("Jose\u0301 Nu\u0301n\u0303ez", "Jos\u00e9 N\u00fa\u00f1ez"),
        ("jose nunez", "Jos\u00e9 N\u00fa\u00f1ez"),
        ("STRASSE", "Stra\u00dfe"),
        ("\u0130pek", "ipek"),
        ("\u0645\u062d\u0645\u062f", "\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f"),
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u039d\u0399\u039a\u039f\u03a3"),
    ],
)
def test_case_accents_spaces_and_encoding_make_no_other_name(typed: str, known: str) -> None:
    assert same_name(typed, known)
    assert same_name(known, typed)


@pytest.mark.parametrize("typed", ["Ana", "Reis Ana", "Ana Reiss", "Anna Reis", "x", "", "\u0645\u062d\u0645\u062f"])
def test_other_letters_or_another_order_are_another_name(typed: str) -> None:
    assert not same_name(typed, "Ana Reis")
