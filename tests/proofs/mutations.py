"""Genuine proofs, checkpoints and tree proofs changed at random: both verifiers must refuse each change, and name it.

    python -m tests.proofs.mutations --times 1000000 --seed 1

A change is either *equivalent* or not. Equivalent is only what leaves the meaning as it was, and the meaning is
computed apart from both verifiers:

- a proof in JSON with other white space, escapes or order of members, but the same values; with `identity` left out as
  a whole; or what is another genuine proof of the same story (`meaning_of_proof`);
- a signed note whose signature lines stand in another order or twice, or with lines of keys that nobody gave
  (`meaning_of_note`);
- two proofs together, when they are of one history and not of a history and its fork of the same size;
- a path or a consistency proof for another size for which the same hashes stand in the same places (`sides_of_path`,
  `sides_of_consistency`): a path does not fix the size of its tree, the checkpoint does.

Both verifiers must take what is equivalent and refuse all else with words that name it. Anything else is a failure, and
so is an exception that neither raises on purpose.
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
from typing import Any, NamedTuple

from compliance.proofs.errors import NotAPage, TreeProofRefused
from compliance.proofs.findings import Report
from compliance.proofs.log_trust import check_one_history, check_signed_checkpoint, log_trust
from compliance.proofs.merkle import check_consistency, root_from_inclusion
from compliance.proofs.row_proof import parse_row_proof
from compliance.proofs.row_verifier import verify_row_proof
from tests.proofs import second_story
from tests.proofs.changes import change_bytes, change_document, dumped
from tests.proofs.second_log import (
    Refused,
    check_checkpoint,
    consistent,
    leaf_of,
    parent_of,
    root_by_path,
    root_of,
)
from tests.proofs.second_verifier import check_proof, check_proofs

TRUST = second_story.TRUST
PRODUCT_TRUST = log_trust(TRUST.log_key, TRUST.witness_keys, TRUST.witnesses)
KNOWN = {(key.name, key.key_id) for key in (second_story.LOG_KEY, *second_story.WITNESSES)}
MOST_LEAVES = 300


class Attempt(NamedTuple):
    """One change: on what, how, whether it is equivalent, and what each verifier names (null: it takes it)."""

    surface: str
    change: str
    equivalent: bool
    product: str | None
    second: str | None

    @property
    def fails(self) -> bool:
        taken = (self.product is None, self.second is None)
        return taken != (self.equivalent, self.equivalent) or "" in (self.product, self.second)


def attempts(times: int, seed: int) -> Counter[str]:
    """Try so many changes; return how many of each surface were refused and how many equivalent.

    Raises AssertionError with a change that one of the verifiers does not refuse, or not name.
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
        found[f"{attempt.surface}, {'equivalent, taken' if attempt.equivalent else 'refused and named'}"] += 1
    return found


@cache
def _stories() -> tuple[list[bytes], frozenset[str]]:
    """Genuine proofs of a history and of its fork, and the meanings of all, with their identity and without."""
    proofs = [each.proof(n) for each in (second_story.story(), second_story.story(fork=20)) for n in range(1, 38)]
    bare = [{name: value for name, value in json.loads(each).items() if name != "identity"} for each in proofs]
    return proofs, frozenset(filter(None, map(meaning_of_proof, [*proofs, *(dumped(each).encode() for each in bare)])))


def meaning_of_proof(content: bytes) -> str | None:
    """The values of a proof in one spelling, the checkpoint by its meaning; null for what is not strict JSON."""
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
    """The text of a note and the set of its lines, but for well-formed ones of keys that nobody gave."""
    text, _, block = note.rpartition("\n\n")
    lines = {line for line in block.split("\n")[:-1] if not _is_strange(line)}
    return [text, *sorted(lines), block[-1:]]


def _is_strange(line: str) -> bool:
    """Whether this is the well-formed signature line of a key that nobody gave, which C2SP asks to pass over."""
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
    """What the product's verifier names in a proof; null when it holds."""
    report = Report()
    try:
        proof = parse_row_proof("proof", content, report)
    except NotAPage as fault:
        return str(fault)
    if proof is not None:
        verify_row_proof(proof, PRODUCT_TRUST, report)
    return "; ".join(map(str, report.faults)) if report.faults else None


def second_on_proof(content: bytes) -> str | None:
    """What the second verifier names in a proof; null when it holds."""
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


@cache
def _tree(size: int) -> tuple[list[bytes], bytes]:
    leaves = [leaf_of(size.to_bytes(2, "big") + at.to_bytes(2, "big")) for at in range(size)]
    return leaves, root_of(leaves)


def sides_of_path(index: int, size: int) -> list[bool] | None:
    """On which side of the way to the root each hash of a path stands, the leaf's sibling first; null: no such leaf."""
    if not 0 <= index < size:
        return None
    sides = []
    while size > 1:
        power = 1 << (size - 1).bit_length() - 1
        sides.append(index < power)
        index, size = (index, power) if index < power else (index - power, size - power)
    return sides[::-1]


def sides_of_consistency(first: int, second: int) -> list[bool] | None:
    """The same of a consistency proof; whether the older root stands for its first hash comes last."""
    if not 0 < first <= second:
        return None
    sides, whole = [], True
    while first != second:
        power = 1 << (second - 1).bit_length() - 1
        sides.append(first <= power)
        first, second, whole = (first, power, whole) if first <= power else (first - power, second - power, False)
    return [*sides[::-1], whole]


def _path_of(leaves: list[bytes], index: int) -> list[bytes]:
    path = []
    while len(leaves) > 1:
        if index ^ 1 < len(leaves):
            path.append(leaves[index ^ 1])
        pairs = [parent_of(leaves[at], leaves[at + 1]) for at in range(0, len(leaves) - 1, 2)]
        leaves, index = pairs + leaves[len(pairs) * 2 :], index // 2
    return path


def _proof_of(leaves: list[bytes], first: int, whole: bool = True) -> list[bytes]:
    """RFC 6962, 2.1.2: SUBPROOF."""
    if first == len(leaves):
        return [] if whole else [root_of(leaves)]
    power = 1 << (len(leaves) - 1).bit_length() - 1
    if first <= power:
        return [*_proof_of(leaves[:power], first, whole), root_of(leaves[power:])]
    return [*_proof_of(leaves[power:], first - power, False), root_of(leaves[:power])]


def _changed_path(chance: random.Random, path: list[bytes]) -> tuple[str, list[bytes]]:
    at = chance.randrange(len(path)) if path else 0
    other = chance.choice((chance.randbytes(32), root_of([]), b"", chance.randbytes(31), *path))
    kind = chance.choice(("byte", "other", "added", "taken", "swapped", "reversed", "cut"))
    if not path or kind == "added":
        return "added", [*path[:at], other, *path[at:]]
    if kind == "byte":
        return kind, [*path[:at], change_bytes(chance, path[at])[1], *path[at + 1 :]]
    if kind == "other":
        return kind, [*path[:at], other, *path[at + 1 :]]
    if kind == "taken":
        return kind, [*path[:at], *path[at + 1 :]]
    if kind == "swapped":
        return kind, chance.sample(path, len(path))
    return kind, path[::-1] if kind == "reversed" else path[:at]


def _inclusion(chance: random.Random) -> Attempt | None:
    size = chance.randint(1, MOST_LEAVES)
    leaves, root = _tree(size)
    index = chance.randrange(size)
    path = _path_of(leaves, index)
    given = (leaves[index], index, size, path)
    leaf, place, total, way = given
    kind = chance.choice(("path", "path", "path", "index", "size", "leaf", "neighbour"))
    if kind == "path":
        kind, way = _changed_path(chance, path)
    elif kind == "index":
        place = chance.choice((index - 1, index + 1, index ^ 2, size - 1 - index, chance.randrange(size), -index))
    elif kind == "size":
        total = chance.choice((size - 1, size + 1, size * 2, size // 2, chance.randint(1, MOST_LEAVES), 2**62 + size))
    elif kind == "leaf":
        leaf = change_bytes(chance, leaf)[1]
    else:
        leaf = chance.choice(leaves)
    if (leaf, place, total, way) == given:
        return None
    same = (leaf, way) == (leaves[index], path) and sides_of_path(place, total) == sides_of_path(index, size)
    try:
        product = None if root_from_inclusion(leaf, place, total, way) == root else "another root"
    except TreeProofRefused as fault:
        product = str(fault)
    try:
        second = None if root_by_path(leaf, place, total, way) == root else "another root"
    except ValueError as fault:
        second = str(fault)
    return Attempt("inclusion", kind, same, product, second)


def _consistency(chance: random.Random) -> Attempt | None:
    second_size = chance.randint(2, MOST_LEAVES)
    first = chance.randint(1, second_size)
    leaves, newer = _tree(second_size)
    older = root_of(leaves[:first])
    proof = _proof_of(leaves, first)
    given = (first, second_size, older, newer, proof)
    one, two, old, new, way = given
    kind = chance.choice(("proof", "proof", "proof", "first", "second", "older", "newer", "exchanged"))
    if kind == "proof":
        kind, way = _changed_path(chance, proof)
    elif kind == "first":
        one = chance.choice((first - 1, first + 1, first ^ 2, 0, chance.randint(1, second_size)))
    elif kind == "second":
        two = chance.choice((second_size - 1, second_size + 1, second_size * 2, second_size // 2, first))
    elif kind == "older":
        old = chance.choice((root_of([]), newer, change_bytes(chance, older)[1]))
    elif kind == "newer":
        new = chance.choice((root_of([]), older, change_bytes(chance, newer)[1]))
    else:
        old, new = newer, older
    if (one, two, old, new, way) == given:
        return None
    same = (old, new, way) == (older, newer, proof) and sides_of_consistency(one, two) == sides_of_consistency(
        first, second_size
    )
    # Two trees of equal size are consistent when their roots are the same, and every tree begins with the empty one.
    same = same or (one == two >= 0 and old == new and not way)
    try:
        check_consistency(one, two, old, new, way)
        product = None
    except TreeProofRefused as fault:
        product = str(fault)
    return Attempt(
        "consistency", kind, same, product, None if consistent(one, two, old, new, way) else "not consistent"
    )


def _two_histories(chance: random.Random) -> Attempt:
    """Two genuine proofs given together; each holds by itself, and both together only if they are of one history."""
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


SURFACES: dict[str, tuple[int, Callable[[random.Random], Attempt | None]]] = {
    "proof": (15, _proof),
    "checkpoint": (12, _checkpoint),
    "inclusion": (36, _inclusion),
    "consistency": (36, _consistency),
    "two proofs": (1, _two_histories),
}


def main(arguments: list[str]) -> int:
    """Try the changes that the arguments ask for and print what came of them."""
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
