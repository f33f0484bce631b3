"""Audit paths and consistency proofs changed at random, for `mutations`."""

import random
from functools import cache

from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import check_consistency, root_from_inclusion
from tests.proofs.attempts import Attempt
from tests.proofs.changes import change_bytes
from tests.proofs.second_log import consistent, leaf_of, parent_of, root_by_path, root_of

MOST_LEAVES = 300


@cache
def _tree(size: int) -> tuple[list[bytes], bytes]:
    leaves = [leaf_of(size.to_bytes(2, "big") + at.to_bytes(2, "big")) for at in range(size)]
    return leaves, root_of(leaves)


def sides_of_path(index: int, size: int) -> list[bool] | None:
    """For each hash of a path, the leaf's sibling first, on which side of the path it is; None: no such leaf."""
    if not 0 <= index < size:
        return None
    sides = []
    while size > 1:
        power = 1 << (size - 1).bit_length() - 1
        sides.append(index < power)
        index, size = (index, power) if index < power else (index - power, size - power)
    return sides[::-1]


def sides_of_consistency(first: int, second: int) -> list[bool] | None:
    """The same for a consistency proof; the last item is whether the older root takes the place of its first hash."""
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


def change_path(chance: random.Random) -> Attempt | None:
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


def change_consistency(chance: random.Random) -> Attempt | None:
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
