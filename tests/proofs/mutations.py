"""Changes genuine proofs, checkpoints and tree proofs at random: both verifiers must refuse each change, and name it.

    python -m tests.proofs.mutations --times 1000000 --seed 1

A change is either *equivalent* or not. It is equivalent only if the meaning is the same, and the meaning is computed
independently of both verifiers:

- a proof in JSON with other white space, escapes or order of members, but the same values; with `identity` left out as
  a whole; or what is another genuine proof of the same story (`meaning_of_proof`);
- a signed note whose signature lines are in another order or twice, or with lines of keys that were not given
  (`meaning_of_note`);
- two proofs together, when they are of one history and not of a history and its fork of the same size;
- a path or a consistency proof for another size for which the same hashes are in the same places (`tree_mutations`):
  a path does not fix the size of its tree, the checkpoint does;
- for evidence packs, what `pack_mutations` describes.

Both verifiers must accept what is equivalent and refuse all else with words that name it. Anything else is a failure,
and so is an exception that neither raises on purpose.
"""

import argparse
import base64
import binascii
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from compliance.proofs.errors import NotAPage
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import check_one_history, check_signed_checkpoint, log_trust
from compliance.proofs.row_proof import parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof
from tests.proofs import pack_mutations, second_story, tree_mutations
from tests.proofs.attempts import OUTCOMES, Attempt, Surface
from tests.proofs.changes import change_bytes, change_document, dumped
from tests.proofs.second_log import (
    Refused,
    check_checkpoint,
)
from tests.proofs.second_verifier import check_proof, check_proofs

TRUST = second_story.TRUST
PRODUCT_TRUST = log_trust(TRUST.log_key, TRUST.witness_keys, TRUST.witnesses)
KNOWN = {(key.name, key.key_id) for key in (second_story.LOG_KEY, *second_story.WITNESSES)}


def attempts(times: int, seed: int) -> Counter[str]:
    """Try `times` changes; return how many of each surface were refused and how many were equivalent.

    Raises AssertionError with a change that one of the verifiers does not refuse or does not name.
    """
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(times):
        surface = chance.choices(tuple(SURFACES), weights=[weight for weight, _ in SURFACES.values()])[0]
        state = chance.getstate()
        attempt = SURFACES[surface][1](chance)
        if attempt is None:
            found["nothing changed"] += 1
            continue
        assert not attempt.fails, f"{attempt} (seed {seed}, state {hash(state)})"
        found[f"{attempt.surface}, {OUTCOMES[attempt.equivalent]}"] += 1
    return found


@cache
def _stories() -> tuple[list[bytes], frozenset[str]]:
    """Genuine proofs of a history and of its fork, and the meanings of all proofs, with and without identity."""
    proofs = [each.proof(n) for each in (second_story.story(), second_story.story(fork=20)) for n in range(1, 38)]
    bare = [{name: value for name, value in json.loads(each).items() if name != "identity"} for each in proofs]
    return proofs, frozenset(filter(None, map(meaning_of_proof, [*proofs, *(dumped(each).encode() for each in bare)])))


def meaning_of_proof(content: bytes) -> str | None:
    """The values of a proof in one spelling, the checkpoint by its meaning; None for what is not strict JSON."""
    twice = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.extend([pairs] if len(dict(pairs)) != len(pairs) else [])
        return dict(pairs)

    try:
        proof = json.loads(content.decode("utf-8"), object_pairs_hook=members)
        if not twice and isinstance(proof.get("log", {}).get("checkpoint"), str):
            proof["log"]["checkpoint"] = meaning_of_note(proof["log"]["checkpoint"])
        return None if twice else json.dumps(proof, sort_keys=True)
    except (ValueError, AttributeError, RecursionError):
        return None


def meaning_of_note(note: str) -> list[str]:
    """The text of a note and the set of its lines, without well-formed lines of keys that were not given."""
    text, _, block = note.rpartition("\n\n")
    lines = {line for line in block.split("\n")[:-1] if not _is_strange(line)}
    return [text, *sorted(lines), block[-1:]]


def _is_strange(line: str) -> bool:
    """Whether this is a well-formed signature line of a key that was not given; C2SP requires to ignore such lines."""
    match = re.fullmatch(r"— ([^\s+\x00-\x1f]+) ([A-Za-z0-9+/]+={0,2})", line)
    try:
        content = base64.b64decode(match[2], validate=True) if match else b""
    except binascii.Error:
        return False
    return match is not None and len(content) > 4 and (match[1], content[:4]) not in KNOWN


def _proof(chance: random.Random) -> Attempt | None:
    proofs, genuine = _stories()
    content = original = chance.choice(proofs)
    changes = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        if chance.random() < 0.5:
            name, content = change_bytes(chance, content) if content else ("", content)
        else:
            try:
                document = json.loads(content)
            except ValueError:
                break
            if not isinstance(document, dict) or not document:
                break
            name, content = change_document(chance, document, [json.loads(chance.choice(proofs))])
        changes.append(name)
    if content == original:
        return None
    equivalent = meaning_of_proof(content) in genuine
    return Attempt("proof", "; ".join(changes), equivalent, product_on_proof(content), second_on_proof(content))


def product_on_proof(content: bytes) -> str | None:
    """The fault that the product's verifier names in a proof; None when it accepts the proof."""
    report = Report()
    try:
        proof = parse_row_proof("proof", content, report)
    except NotAPage as fault:
        return str(fault)
    if proof is not None:
        verify_row_proof(proof, PRODUCT_TRUST, report)
    return "; ".join(map(str, report.faults)) if report.faults else None


def second_on_proof(content: bytes) -> str | None:
    """The fault that the second verifier names in a proof; None when it accepts the proof."""
    try:
        check_proof(content, TRUST)
    except Refused as fault:
        return str(fault)
    return None


@cache
def _checkpoints() -> list[str]:
    return [second_story.checkpoint_over([size.to_bytes(2, "big")] * size) for size in (1, 9, 256)]


def _checkpoint(chance: random.Random) -> Attempt | None:
    notes = _checkpoints()
    original = chance.choice(notes)
    if chance.random() < 0.4:
        lines = original.splitlines(keepends=True)
        others = chance.choice(notes).splitlines(keepends=True)
        at = chance.randrange(len(lines))
        name, lines = chance.choice(
            (
                ("a line of another", [*lines[:at], chance.choice(others), *lines[at + 1 :]]),
                ("a line taken out", [*lines[:at], *lines[at + 1 :]]),
                ("a line twice", [*lines[:at], lines[at], *lines[at:]]),
                ("lines in another order", chance.sample(lines, len(lines))),
                ("other line ends", [line.replace("\n", "\r\n") for line in lines]),
            )
        )
        content = "".join(lines).encode()
    else:
        name, content = change_bytes(chance, original.encode())
    if content == original.encode():
        return None
    try:
        note = content.decode()
    except UnicodeDecodeError:
        return None
    equivalent = meaning_of_note(note) in [meaning_of_note(each) for each in notes]
    report = Report()
    check_signed_checkpoint("checkpoint", note, PRODUCT_TRUST, report)
    product = "; ".join(map(str, report.faults)) if report.faults else None
    try:
        check_checkpoint(note, TRUST)
        second = None
    except Refused as fault:
        second = str(fault)
    return Attempt("checkpoint", name, equivalent, product, second)


def _two_histories(chance: random.Random) -> Attempt:
    """Two genuine proofs given together; each is valid alone, and both together only if they are of one history."""
    proofs, _ = _stories()
    one, other = chance.sample(range(len(proofs)), 2)
    names = [f"proof {one}", f"proof {other}"]
    contents = [proofs[one], proofs[other]]
    report, checkpoints = Report(), []
    for name, content in zip(names, contents, strict=True):
        proof = parse_row_proof(name, content, report)
        found = verify_row_proof(proof, PRODUCT_TRUST, report) if proof else None
        checkpoints += [(name, found)] if found else []
    check_one_history(checkpoints, report)
    product = "; ".join(map(str, report.faults)) if report.faults else None
    second: str | None = None
    try:
        check_proofs(contents, TRUST)
    except Refused as fault:
        second = str(fault)
    half = len(proofs) // 2
    return Attempt("two proofs", " and ".join(names), (one < half) == (other < half), product, second)


def _on_pack(surface: str, change: Callable[[random.Random], pack_mutations.Outcome | None]) -> Surface:
    def attempt(chance: random.Random) -> Attempt | None:
        outcome = change(chance)
        return None if outcome is None else Attempt(surface, *outcome)

    return attempt


SURFACES: dict[str, tuple[int, Surface]] = {
    "proof": (150, _proof),
    "checkpoint": (120, _checkpoint),
    "inclusion": (360, tree_mutations.change_path),
    "consistency": (359, tree_mutations.change_consistency),
    "two proofs": (3, _two_histories),
    "pack": (2, _on_pack("pack", pack_mutations.change_pack)),
    "sealed pack": (2, _on_pack("sealed pack", pack_mutations.change_sealed_pack)),
    "forged row": (2, _on_pack("forged row", pack_mutations.forge_row)),
    "ZIP": (2, _on_pack("ZIP", pack_mutations.change_zip)),
}


def main(arguments: list[str]) -> int:
    """Try the changes that the arguments ask for, and print the results."""
    parser = argparse.ArgumentParser(description="Change proofs at random; both verifiers must refuse and name it.")
    parser.add_argument("--times", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    began = time.monotonic()
    found = attempts(given.times, given.seed)
    for name, count in sorted(found.items()):
        sys.stdout.write(f"{count:>9,}  {name}\n")
    sys.stdout.write(f"{given.times:>9,}  changes, seed {given.seed}, {time.monotonic() - began:.0f} s; no failure\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
