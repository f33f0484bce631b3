"""Writes the golden proof and the forged ones: `python -m tests.vectors.log.write`.

They come from `tests/proofs/second_story.py`, which uses nothing of the product. They change only when a format does,
and then its constant must change too.
"""

import json
from pathlib import Path
from typing import Any

from tests.proofs import second_story

FOLDER = Path(__file__).parent
FORGED_FROM = 5
"""The sequence of the row whose proof is forged: a person's, with an identity."""

Steps = tuple[str | int, ...]

OTHER_HASH = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
FORGERIES: list[tuple[str, Steps, Any, str]] = [
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
    ("another line of the capture", ("capture", "captured_at"), "2026-03-09T10:00:00.000000Z", "capture.chain_hash"),
    ("a digest in capitals", ("capture", "chain_hash"), str.upper, "capture.chain_hash"),
    ("a number as text", ("row", "sequence"), "5", "row.sequence"),
    ("a number with a fraction", ("log", "size"), float, "log.size"),
    ("the log's path reversed", ("log", "path"), lambda path: path[::-1], "log.path"),
    ("another size signed", ("log", "checkpoint"), lambda note: note.replace("/log\n1", "/log\n2"), "log.checkpoint"),
    ("the checkpoint of a fork", ("log", "checkpoint"), second_story.story(fork=20).checkpoint, "log.path"),
    ("another name", ("identity", "person_name"), "Someone Else", "identity"),
    ("no address", ("identity", "work_email"), None, "identity"),
    ("an empty address", ("identity", "work_email"), "", "identity.work_email"),
    ("a member that nothing proves", ("row",), lambda row: {**row, "outcome": "completed_on_time"}, "row"),
]
"""What is forged, where, into what (a function takes the old value), and which place the second verifier names."""


def changed(proof: bytes, steps: Steps, to: Any) -> dict[str, Any]:
    """A proof with one value replaced."""
    whole: dict[str, Any] = json.loads(proof)
    parent: Any = whole
    for step in steps[:-1]:
        parent = parent[step]
    parent[steps[-1]] = to(parent[steps[-1]]) if callable(to) else to
    return whole


def files() -> dict[str, str]:
    """The files by name."""
    story = second_story.story()
    proof = story.proof(FORGED_FROM)
    forged = [{"what": what, "place": place, "proof": changed(proof, at, to)} for what, at, to, place in FORGERIES]
    keys = {"log_key": second_story.TRUST.log_key, "witness_keys": list(second_story.TRUST.witness_keys)}
    return {
        "proof.json": proof.decode(),
        "proof_keys.json": json.dumps(keys, indent=1) + "\n",
        "forged_proofs.json": json.dumps(forged, indent=1, ensure_ascii=False) + "\n",
    }


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
