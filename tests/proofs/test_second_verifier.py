"""The second verifier takes what is genuine, agrees with the published vectors, and refuses by name."""

import ast
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.proofs import second_log, second_story, second_verifier
from tests.proofs.second_log import Refused, Trust, check_checkpoint, consistent, leaf_of, root_by_path, root_of
from tests.proofs.second_verifier import check_proof

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


def changed(proof: bytes, *path: str | int, to: Any) -> bytes:
    """The proof with one member replaced; `to` may be a function of the old value."""
    whole = json.loads(proof)
    at = whole
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to(at[path[-1]]) if callable(to) else to
    return json.dumps(whole, ensure_ascii=False).encode()


OTHER_HASH = base64.b64encode(bytes(range(32))).decode()
FORGERIES: list[tuple[str, tuple[str | int, ...], Any, str]] = [
    ("another text", ("row", "content"), lambda text: text.replace("Åpenhet", "Openness"), "tree.path"),
    ("another moment", ("row", "valid_from"), "2026-01-01T00:00:00.000000Z", "tree.path"),
    ("another register", ("row", "register"), "courses", "tree.path"),
    ("a register that is none", ("row", "register"), "peoples", "row.register"),
    ("another company", ("row", "organization_id"), second_story.ZERO_COMPANY, "capture.organization_id"),
    ("another place", ("tree", "index"), 3, "tree.index"),
    ("another size", ("tree", "size"), 36, "tree.size"),
    ("a path with another hash", ("tree", "path", 0), OTHER_HASH, "tree.path"),
    ("a path that is too short", ("tree", "path"), lambda path: path[:-1], "tree.path"),
    ("a path that is too long", ("tree", "path"), lambda path: [*path, OTHER_HASH], "tree.path"),
    ("a line of the capture", ("capture", "captured_at"), "2026-03-09T10:00:00.000000Z", "capture.chain_hash"),
    ("a digest in capitals", ("capture", "chain_hash"), str.upper, "capture.chain_hash"),
    ("a number as text", ("row", "sequence"), "5", "row.sequence"),
    ("a number with a fraction", ("log", "size"), float, "log.size"),
    ("the log's path", ("log", "path"), lambda path: path[::-1], "log.path"),
    ("another size signed", ("log", "checkpoint"), lambda note: note.replace("/log\n1", "/log\n2"), "log.checkpoint"),
    ("the checkpoint of a fork", ("log", "checkpoint"), FORK.checkpoint, "log.path"),
    ("another name", ("identity", "person_name"), "Someone Else", "identity"),
    ("no address", ("identity", "work_email"), None, "identity"),
    ("an empty address", ("identity", "work_email"), "", "identity.work_email"),
    ("a member that nothing proves", ("row",), lambda row: {**row, "outcome": "completed_on_time"}, "row"),
]  # fmt: skip


@pytest.mark.parametrize("path,to,place", [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES])
def test_it_names_what_is_forged(path: tuple[str | int, ...], to: Any, place: str) -> None:
    with pytest.raises(Refused) as refused:
        check_proof(changed(STORY.proof(5), *path, to=to), second_story.TRUST)
    assert refused.value.place == place


def test_it_refuses_a_forked_history_under_the_same_key() -> None:
    ours, theirs = json.loads(STORY.proof(25)), json.loads(FORK.proof(25))
    assert ours["log"]["size"] == theirs["log"]["size"]
    check_proof(FORK.proof(25), second_story.TRUST)
    for part in ("row", "tree", "capture", "log"):
        with pytest.raises(Refused):
            check_proof(json.dumps({**ours, part: theirs[part]}).encode(), second_story.TRUST)
