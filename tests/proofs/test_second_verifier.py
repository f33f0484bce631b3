"""The second verifier accepts what is genuine, agrees with the published vectors, and names what it refuses."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.proofs import second_log, second_story, second_verifier
from tests.proofs.mutations import product_on_proof
from tests.proofs.second_log import Refused, Trust, check_checkpoint, consistent, leaf_of, root_by_path, root_of
from tests.proofs.second_verifier import check_proof
from tests.vectors.log import write

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "log"
MERKLE = json.loads((VECTORS / "merkle.json").read_text(encoding="utf-8"))
NOTES = json.loads((VECTORS / "notes.json").read_text(encoding="utf-8"))
STORY = second_story.story()
FORK = second_story.story(fork=20)


@pytest.mark.parametrize("module", [second_log, second_verifier, second_story])
def test_it_shares_no_code_with_the_product(module: Any) -> None:
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            assert not any(name.split(".")[0] == "compliance" for name in names)


def test_its_trees_are_the_published_ones() -> None:
    leaves = [leaf_of(bytes.fromhex(leaf)) for leaf in MERKLE["leaves"]]
    roots = [bytes.fromhex(root) for root in MERKLE["roots"]]
    assert [root_of(leaves[: size + 1]) for size in range(8)] == roots
    for each in MERKLE["inclusion"]:
        path = [bytes.fromhex(text) for text in each["path"]]
        assert root_by_path(leaves[each["index"]], each["index"], each["size"], path) == roots[each["size"] - 1]
    for each in MERKLE["consistency"]:
        proof = [bytes.fromhex(text) for text in each["proof"]]
        older, newer = roots[each["first"] - 1], roots[each["second"] - 1]
        assert consistent(each["first"], each["second"], older, newer, proof)
        assert not consistent(each["first"], each["second"], newer, newer, proof) or older == newer


@pytest.mark.parametrize("vector", NOTES["cosignatures"], ids=lambda each: each["source"])
def test_it_verifies_a_checkpoint_that_public_witnesses_cosigned(vector: dict[str, Any]) -> None:
    witnesses = tuple(vector["witnesses"])
    head = check_checkpoint(vector["note"], Trust(vector["key"], witnesses, len(witnesses)))
    assert head.size == 1432088532
    with pytest.raises(Refused, match="3 of 4"):
        check_checkpoint(vector["note"], Trust(vector["key"], (*witnesses, second_story.WITNESSES[0].line), 4))
    with pytest.raises(Refused, match="3 of 4"):
        check_checkpoint(vector["note"], Trust(vector["key"], witnesses * 2, 4))


@pytest.mark.parametrize("sequence", range(1, 38))
def test_it_takes_every_genuine_proof(sequence: int) -> None:
    assert check_proof(STORY.proof(sequence), second_story.TRUST)["sequence"] == sequence


def test_the_vectors_are_what_the_writer_writes() -> None:
    assert {name: (VECTORS / name).read_text(encoding="utf-8") for name in write.files()} == write.files()


@pytest.mark.parametrize("forged", json.loads(write.files()["forged_proofs.json"]), ids=lambda each: each["what"])
def test_both_verifiers_name_what_is_forged(forged: dict[str, Any]) -> None:
    content = json.dumps(forged["proof"], ensure_ascii=False).encode()
    with pytest.raises(Refused) as refused:
        check_proof(content, second_story.TRUST)
    assert refused.value.place == forged["place"]
    assert forged["place"].partition(".")[0] in str(product_on_proof(content))


def test_it_refuses_a_forked_history_under_the_same_key() -> None:
    ours, theirs = json.loads(STORY.proof(25)), json.loads(FORK.proof(25))
    assert ours["log"]["size"] == theirs["log"]["size"]
    check_proof(FORK.proof(25), second_story.TRUST)
    for part in ("row", "tree", "capture", "log"):
        with pytest.raises(Refused):
            check_proof(json.dumps({**ours, part: theirs[part]}).encode(), second_story.TRUST)
