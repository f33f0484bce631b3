"""Trees of RFC 6962 against its definition, for every size up to 70."""

import pytest

from compliance.proofs.errors import TreeProofRefused
from compliance.proofs.merkle import (
    EMPTY_ROOT,
    CompactRange,
    check_consistency,
    consistency_proof,
    inclusion_path,
    leaf_hash,
    leaf_hashes,
    node_hash,
    root_from_inclusion,
    root_of,
    root_of_complete,
)

LEAVES = [leaf_hash(bytes([number])) for number in range(70)]


def defined(leaves: list[bytes]) -> bytes:
    """The root as section 2.1 of the RFC defines it."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY_ROOT
    middle = 1
    while middle * 2 < len(leaves):
        middle *= 2
    return node_hash(defined(leaves[:middle]), defined(leaves[middle:]))


def subtree(height: int, index: int) -> bytes:
    return defined(LEAVES[index << height : (index + 1) << height])


def leads(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Whether the path leads from the leaf to the root."""
    try:
        return root_from_inclusion(leaf, index, size, path) == root
    except TreeProofRefused:
        return False


@pytest.mark.parametrize("size", range(71))
def test_roots_and_proofs_are_those_of_the_definition(size: int) -> None:
    root = defined(LEAVES[:size])
    assert root_of(LEAVES[:size]) == root
    for index in range(size):
        path = inclusion_path(index, size, subtree)
        assert root_from_inclusion(LEAVES[index], index, size, path) == root
    for first in range(size + 1):
        proof = consistency_proof(first, size, subtree)
        check_consistency(first, size, defined(LEAVES[:first]), root, proof)


def test_a_range_names_each_complete_subtree_when_it_closes() -> None:
    tree = CompactRange()
    closed: dict[tuple[int, int], bytes] = {}
    for leaf in LEAVES:
        closed |= {(height, index): found for height, index, found in tree.append(leaf)}
    assert closed == {(h, i): subtree(h, i) for h in range(1, 7) for i in range(70 >> h)}
    assert CompactRange.from_bytes(tree.size, tree.to_bytes()).root() == defined(LEAVES)


@pytest.mark.parametrize("size", [1, 2, 7, 8, 37])
def test_any_other_path_or_root_is_refused(size: int) -> None:
    root = defined(LEAVES[:size])
    for index in range(size):
        path = inclusion_path(index, size, subtree)
        others = [[*path, EMPTY_ROOT], path[:-1]] if path else [[EMPTY_ROOT]]
        others += [[*path[:at], EMPTY_ROOT, *path[at + 1 :]] for at in range(len(path))]
        for other in others:
            assert not leads(LEAVES[index], index, size, other, root)
    for first in range(1, size):
        proof = consistency_proof(first, size, subtree)
        with pytest.raises(TreeProofRefused):
            check_consistency(first, size, EMPTY_ROOT, root, proof)
        with pytest.raises(TreeProofRefused):
            check_consistency(first, size, defined(LEAVES[:first]), EMPTY_ROOT, proof)
        with pytest.raises(TreeProofRefused):
            check_consistency(first, size, defined(LEAVES[:first]), root, proof[:-1])


@pytest.mark.parametrize("height", range(7))
def test_a_complete_tree_has_the_same_root_however_it_is_computed(height: int) -> None:
    contents = [bytes([number]) for number in range(1 << height)]
    assert leaf_hashes(contents) == LEAVES[: 1 << height]
    assert root_of_complete(LEAVES[: 1 << height]) == defined(LEAVES[: 1 << height])
