"""Trees of an independent implementation, against ours: roots, inclusion and consistency proofs of random trees.

`pymerkle` computes the trees of RFC 6962 with SHA-256 and the prefixes 0x00 and 0x01 (its `security`, on by default).
Its leaves count from 1. An inclusion path begins with the leaf itself. A consistency proof begins with all nodes of the
newer tree's part where the RFC gives one hash, and repeats the older root where the RFC leaves it out: `rfc_form`
converts it. Usage: `agree_with_pymerkle.py [TREES [SEED]]`.
"""

import random
import sys
from functools import partial
from pathlib import Path

from pymerkle import ConsistencyProof, InmemoryTree, InvalidProof, verify_consistency, verify_inclusion

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import (
    CompactRange,
    check_consistency,
    consistency_proof,
    inclusion_path,
    leaf_hash,
    root_from_inclusion,
    root_of,
)

TREES, SEED = 1000, 6962
MOST_LEAVES = 600
PROOFS_A_TREE = 8


def main(trees: int = TREES, seed: int = SEED) -> None:
    """Compares that many trees; raises AssertionError at the first that differs."""
    chance = random.Random(seed)
    for _ in range(trees):
        entries = [chance.randbytes(chance.randrange(64)) for _ in range(chance.randint(1, MOST_LEAVES))]
        leaves = [leaf_hash(entry) for entry in entries]
        theirs = InmemoryTree(algorithm="sha256")
        theirs.append_entries(entries)
        ours = CompactRange()
        ours.extend(leaves)
        _same(ours.root(), theirs.get_root())
        for _ in range(PROOFS_A_TREE):
            size = chance.randint(1, len(leaves))
            _compare_inclusion(theirs, leaves, chance.randrange(size), size, chance.randbytes(32))
            second = chance.randint(1, len(leaves))
            _compare_consistency(theirs, leaves, chance.randint(1, second), second, chance.randbytes(32))
    sys.stdout.write(
        f"{trees} random trees (seed {seed}) of up to {MOST_LEAVES} leaves: roots, {trees * PROOFS_A_TREE} inclusion"
        f" and {trees * PROOFS_A_TREE} consistency proofs agree; both refuse every changed one.\n"
    )


def _compare_inclusion(theirs: InmemoryTree, leaves: list[bytes], index: int, size: int, other: bytes) -> None:
    root = theirs.get_root(size)
    _same(root_of(leaves[:size]), root)
    proof = theirs.prove_inclusion(index + 1, size)
    path = inclusion_path(index, size, partial(_subtree, leaves))
    _same(proof.path, [leaves[index], *path])
    verify_inclusion(leaves[index], root, proof, index=index + 1, size=size, algorithm="sha256")
    _same(root_from_inclusion(leaves[index], index, size, path), root)
    for at in range(len(path)):
        wrong = [*path[:at], other, *path[at + 1 :]]
        proof.path[1:] = wrong
        if root_from_inclusion(leaves[index], index, size, wrong) == root:
            raise AssertionError("A changed path leads to the root.")
        _refused(partial(verify_inclusion, leaves[index], root, proof))


def _compare_consistency(theirs: InmemoryTree, leaves: list[bytes], first: int, second: int, other: bytes) -> None:
    older, newer = theirs.get_root(first), theirs.get_root(second)
    proof = theirs.prove_consistency(first, second)
    ours = consistency_proof(first, second, partial(_subtree, leaves))
    _same(ours, rfc_form(theirs, proof, first, second))
    verify_consistency(older, newer, proof, prior_size=first, later_size=second, algorithm="sha256")
    check_consistency(first, second, older, newer, ours)
    for wrong_older, wrong_newer in ((other, newer), (older, other)):
        _refused(partial(verify_consistency, wrong_older, wrong_newer, proof))
        _refused(partial(check_consistency, first, second, wrong_older, wrong_newer, ours))


def rfc_form(theirs: InmemoryTree, proof: ConsistencyProof, first: int, second: int) -> list[bytes]:
    """pymerkle's proof in the form of RFC 6962, section 2.1.2."""
    if first == second:
        return []
    path = proof.path
    begin = proof.subset.index(1)
    if begin == 0:
        return path
    newer_part = path[0]
    for right in path[1:begin]:
        newer_part = theirs.hash_pair(newer_part, right)
    older_part = [] if first & (first - 1) == 0 else [path[begin]]
    return [*older_part, newer_part, *path[begin + 1 :]]


def _subtree(leaves: list[bytes], height: int, index: int) -> bytes:
    return root_of(leaves[index << height : (index + 1) << height])


def _same(ours: object, theirs: object) -> None:
    if ours != theirs:
        raise AssertionError(f"Ours: {ours!r}\nTheirs: {theirs!r}")


def _refused(check: partial[None]) -> None:
    try:
        check()
    except (InvalidProof, TreeProofRefused):
        return
    raise AssertionError(f"Not refused: {check}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
