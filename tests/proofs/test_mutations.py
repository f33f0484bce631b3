"""A short run of the mutations; and the runner notices a verifier that accepts too much."""

import json

import pytest

from tests.proofs import mutations, second_story
from tests.proofs.attempts import Attempt
from tests.proofs.changes import dumped


def test_both_verifiers_refuse_and_name_every_change_that_is_not_equivalent() -> None:
    found = mutations.attempts(3000, seed=6962)
    for surface in ("proof", "checkpoint", "inclusion", "consistency"):
        assert found[f"{surface}, refused and named"] > 100, found
    for surface in ("two proofs", "pack", "sealed pack", "forged row", "ZIP"):
        assert found[f"{surface}, refused and named"], found


def test_a_verifier_that_takes_a_change_or_has_no_word_for_it_fails_the_run() -> None:
    refused = Attempt("proof", "a change", False, "row.content: is not", "row.content: is not")
    assert not refused.fails
    assert not refused._replace(equivalent=True, product=None, second=None).fails
    for wrong in (
        {"product": None},
        {"second": None},
        {"product": None, "second": None},
        {"product": ""},
        {"equivalent": True},
        {"equivalent": True, "product": None},
    ):
        assert refused._replace(**wrong).fails


@pytest.mark.parametrize("sequence", [1, 5, 37])
def test_other_spellings_of_one_proof_mean_the_same_and_other_values_do_not(sequence: int) -> None:
    proof = second_story.story().proof(sequence)
    document = json.loads(proof)
    meaning = mutations.meaning_of_proof(proof)
    for form in ({"indent": 2}, {"sort_keys": True}, {"ensure_ascii": True}):
        text = dumped(document, **form)
        assert mutations.meaning_of_proof(text.encode()) == meaning
        assert mutations.product_on_proof(text.encode()) is None
        assert mutations.second_on_proof(text.encode()) is None
    for wrong in (b"\xef\xbb\xbf" + proof, proof.decode().encode("utf-16"), proof[:-1], b"[" * 100_000, b"1" * 5000):
        assert mutations.meaning_of_proof(wrong) is None
        assert mutations.product_on_proof(wrong)
        assert mutations.second_on_proof(wrong)
