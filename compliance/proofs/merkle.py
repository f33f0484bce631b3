"""Merkle trees of RFC 6962 (https://www.rfc-editor.org/rfc/rfc6962#section-2.1): roots, inclusion and consistency.

A *complete subtree* of height h and index i covers the leaves from i * 2^h up to, not including, (i + 1) * 2^h. A proof
needs only roots of complete subtrees, so the functions here get them from a `Subtree` and never read leaves; the caller
decides where they come from (rows, tiles, a list in memory). Hashes are 32 bytes.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from .errors import TreeProofRefused

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""

Subtree = Callable[[int, int], bytes]
"""Returns the root of the complete subtree of a height and an index; of height 0, a leaf's hash."""


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf's content."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node from those of its children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def leaf_hashes(leaves: Iterable[bytes]) -> list[bytes]:
    """Return the hashes of many leaves' contents."""
    sha256 = hashlib.sha256
    return [sha256(b"\x00" + leaf).digest() for leaf in leaves]


def root_of_complete(hashes: Sequence[bytes]) -> bytes:
    """Return the root of a complete subtree from all its hashes of one height; one loop per height."""
    sha256 = hashlib.sha256
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=True)
        hashes = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    return hashes[0]


class CompactRange:
    """The roots of the complete subtrees that make up a tree, largest first: all that appending leaves needs.

    Their heights are the bits that are set in `size`.
    """

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        """Raises TreeProofRefused when the number of hashes is not that of the subtrees of `size` leaves."""
        self.size = size
        self.hashes = list(hashes)
        if size < 0 or len(self.hashes) != size.bit_count() or any(len(each) != HASH_BYTES for each in self.hashes):
            raise TreeProofRefused(f"A compact range of {size} leaves does not have these hashes.")

    @classmethod
    def from_bytes(cls, size: int, content: bytes) -> "CompactRange":
        """Return the range whose hashes `content` concatenates. Raises TreeProofRefused."""
        return cls(size, (content[at : at + HASH_BYTES] for at in range(0, len(content), HASH_BYTES)))

    def to_bytes(self) -> bytes:
        """Return the hashes, concatenated."""
        return b"".join(self.hashes)

    def append(self, leaf: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Append a leaf by its hash; yield height, index and root of each complete subtree that it completes.

        The leaf is in the tree only when the iterator is exhausted: `for _ in tree.append(leaf): pass`.
        """
        found, height, index = leaf, 0, self.size
        while index & 1:
            found = node_hash(self.hashes.pop(), found)
            height, index = height + 1, index >> 1
            yield height, index, found
        self.hashes.append(found)
        self.size += 1

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Append leaves by their hashes."""
        hashes, size = self.hashes, self.size
        for found in leaves:
            index = size
            while index & 1:
                found = node_hash(hashes.pop(), found)
                index >>= 1
            hashes.append(found)
            size += 1
        self.size = size

    def root(self) -> bytes:
        """Return the root of the tree."""
        if not self.hashes:
            return EMPTY_ROOT
        root = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            root = node_hash(left, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root of the tree of these leaf hashes."""
    tree = CompactRange()
    tree.extend(leaves)
    return tree.root()


def root_of_range(begin: int, end: int, subtree: Subtree) -> bytes:
    """Return the hash over the leaves from `begin` up to, not including, `end`, as RFC 6962 splits them."""
    if begin == end:
        return EMPTY_ROOT
    count = end - begin
    if count & (count - 1) == 0 and begin % count == 0:
        height = count.bit_length() - 1
        return subtree(height, begin >> height)
    middle = begin + _split(count)
    return node_hash(root_of_range(begin, middle, subtree), root_of_range(middle, end, subtree))


def inclusion_path(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the audit path of leaf `index` in the tree of `size` leaves, the leaf's sibling first.

    Raises TreeProofRefused when the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise TreeProofRefused(f"A tree of {size} leaves has no leaf {index}.")
    path: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            path.append(root_of_range(middle, end, subtree))
            end = middle
        else:
            path.append(root_of_range(begin, middle, subtree))
            begin = middle
    path.reverse()
    return path


def consistency_proof(first: int, second: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the tree of `second` leaves begins with that of `first` (none for 0 or equal sizes).

    Raises TreeProofRefused when `first` is larger than `second` or negative.
    """
    if not 0 <= first <= second:
        raise TreeProofRefused(f"A tree of {second} leaves does not begin with one of {first}.")
    if first in (0, second):
        return []
    proof: list[bytes] = []
    begin, end, known = 0, second, True
    while first != end:
        middle = begin + _split(end - begin)
        if first <= middle:
            proof.append(root_of_range(middle, end, subtree))
            end = middle
        else:
            proof.append(root_of_range(begin, middle, subtree))
            begin, known = middle, False
    if not known:
        proof.append(root_of_range(begin, end, subtree))
    proof.reverse()
    return proof


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """Return the root that the leaf hash and its audit path lead to (RFC 9162, 2.1.3.2).

    Raises TreeProofRefused when the path cannot be that of this leaf in a tree of this size.
    """
    if not 0 <= index < size:
        raise TreeProofRefused(f"A tree of {size} leaves has no leaf {index}.")
    number, last, root = index, size - 1, leaf
    for sibling in path:
        if last == 0 or len(sibling) != HASH_BYTES:
            raise TreeProofRefused("The path does not fit the leaf's place.")
        if number & 1 or number == last:
            root = node_hash(sibling, root)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        number, last = number >> 1, last >> 1
    if last:
        raise TreeProofRefused("The path does not fit the leaf's place.")
    return root


def check_consistency(first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]) -> None:
    """Check that the tree of `second` leaves begins with that of `first` (RFC 9162, 2.1.4.2).

    Raises TreeProofRefused when the proof does not lead from one root to the other.
    """
    if not 0 <= first <= second:
        raise TreeProofRefused(f"A tree of {second} leaves does not begin with one of {first}.")
    if first == 0 or first == second:
        if proof or (first == second and first_root != second_root) or (first == 0 and first_root != EMPTY_ROOT):
            raise TreeProofRefused("The consistency proof does not hold.")
        return
    hashes = list(proof)
    if not hashes or any(len(each) != HASH_BYTES for each in hashes):
        raise TreeProofRefused("The consistency proof does not hold.")
    if first & (first - 1) == 0:
        hashes.insert(0, first_root)
    number, last = first - 1, second - 1
    while number & 1:
        number, last = number >> 1, last >> 1
    older = newer = hashes[0]
    for each in hashes[1:]:
        if last == 0:
            raise TreeProofRefused("The consistency proof does not hold.")
        if number & 1 or number == last:
            older, newer = node_hash(each, older), node_hash(each, newer)
            while not number & 1 and number:
                number, last = number >> 1, last >> 1
        else:
            newer = node_hash(newer, each)
        number, last = number >> 1, last >> 1
    if last or older != first_root or newer != second_root:
        raise TreeProofRefused("The consistency proof does not hold.")


def _split(count: int) -> int:
    """The largest power of two below `count`, which is at least 2."""
    return 1 << (count - 1).bit_length() - 1
