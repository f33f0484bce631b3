"""Recomputes the published log from its entries, and compares each company's captures with them."""

import hashlib
import uuid
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Q

from compliance.history.queries import chain_hashes
from compliance.log import keys, queries, tree
from compliance.log.acceptance import ACCEPTED_CONSTANT
from compliance.log.errors import LogFolderError
from compliance.log.models import Leaf, Tile
from compliance.proofs.merkle import CompactRange, leaf_hash
from compliance.tenancy import context

FAULTS_AT_MOST = 20
_PAGE = 5_000


class Verified(NamedTuple):
    """How much was recomputed, and the first twenty faults, one sentence each."""

    entries: int
    faults: list[str]


def verify_log() -> Verified:
    """Recomputes every leaf and every tile, and compares them with the newest checkpoint and its signature.

    Each company's captures must be in the log in order, each once, except those that follow an acceptance.
    """
    newest = queries.newest_checkpoint()
    walk = _Walk(newest.size if newest else 0)
    for page in _leaves(walk.size):
        walk.take_in(page)
        if len(walk.faults) >= FAULTS_AT_MOST:
            break
    else:
        walk.finish()
        if newest is not None:
            walk.faults += _checkpoint_faults(newest, walk.range)
    return Verified(walk.range.size, walk.faults[:FAULTS_AT_MOST])


def verify_company(organization_id: uuid.UUID) -> Verified:
    """Compares a company's captures, up to the newest signed one, with their entries."""
    entries = queries.capture_entries(organization_id)
    signed = queries.newest_signed_capture(organization_id)
    checked, upto, faults = 0, signed[0] if signed else 0, list[str]()
    while checked < upto and len(faults) < FAULTS_AT_MOST:
        with context.company(organization_id):
            page = chain_hashes(organization_id, checked, min(checked + _PAGE, upto))
        stored = dict(page)
        for number in range(checked + 1, min(checked + _PAGE, upto) + 1):
            if number not in entries:
                faults.append(f"The log has no entry of capture {number} of organization {organization_id}.")
            elif stored.get(number, "") != entries[number].hex():
                faults.append(
                    f"Capture {number} of organization {organization_id} is missing, or is not the one in the log."
                )
        checked = min(checked + _PAGE, upto)
    return Verified(checked, faults[:FAULTS_AT_MOST])


class _Company:
    """The state of one company's entries: the last capture, and whether an acceptance allows an earlier one next."""

    __slots__ = ("last", "resumes")

    def __init__(self) -> None:
        self.last, self.resumes = 0, False


class _Walk:
    """Recomputes the leaves in order."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.range = CompactRange()
        self.faults: list[str] = []
        self._growing = tree.Growing(0, {})
        self._tiles = 0
        self._companies: dict[uuid.UUID, _Company] = {}

    def take_in(self, page: list[Leaf]) -> None:
        """Recomputes the next leaves, and the tiles that they fill."""
        hashes = []
        for place, leaf in enumerate(page, self.range.size):
            if leaf.index != place:
                self.faults += [f"Entry {place} of the log is missing."] * (FAULTS_AT_MOST - len(self.faults))
                return
            hashes.append(leaf_hash(bytes(leaf.entry)))
            if (fault := self._order(leaf)) is not None:
                self.faults.append(fault)
        self.range.extend(hashes)
        made = self._growing.extend(hashes)
        self._compare({place: tile for place, tile in made.items() if len(tile) == tree.TILE_BYTES})

    def finish(self) -> None:
        """Checks, after the last leaf, what is stored after it. While the signer goes on, there may be more."""
        if self.range.size != self.size:
            self.faults.append(f"The log holds {self.range.size} entries, but its checkpoint states {self.size}.")
            return
        edge = self._growing.edge()
        stored, tiles = tree.stored(edge), Tile.objects.count()
        outside = Leaf.objects.filter(Q(index__gte=self.size) | Q(index__lt=0)).count()
        grown = queries.size() != self.size
        if grown:
            stored = {place: hashes[: len(edge[place])] for place, hashes in stored.items()}
        self._compare(edge, stored)
        if not grown and tiles != self._tiles:
            self.faults.append(f"The database holds {tiles} tiles of the log, which has {self._tiles}.")
        if not grown and outside:
            self.faults.append(f"{outside} stored entries of the log are under no checkpoint.")

    def _compare(self, tiles: dict[tree.Place, bytes], stored: dict[tree.Place, bytes] | None = None) -> None:
        self._tiles += len(tiles)
        found = tree.stored(tiles) if stored is None else stored
        for (level, index), hashes in sorted(tiles.items()):
            if found.get((level, index)) != hashes:
                self.faults.append(f"Tile {index} of level {level} of the log is not the one that its entries make.")

    def _order(self, leaf: Leaf) -> str | None:
        company = self._companies.setdefault(leaf.organization_id, _Company())
        number = leaf.capture_sequence
        if leaf.kind == Leaf.Kind.ACCEPTANCE:
            lines = leaf.statement.split("\n")
            company.last, company.resumes = number, True
            if hashlib.sha256(leaf.statement.encode()).digest() != bytes(leaf.entry) or lines[:3] != [
                ACCEPTED_CONSTANT, str(leaf.organization_id), str(number),
            ]:  # fmt: skip
                return f"Entry {leaf.index} of the log is not the acceptance that is stored with it."
            return None
        follows = 0 < number <= company.last + 1 if company.resumes else number == company.last + 1
        before, company.last, company.resumes = company.last, number, False
        if follows:
            return None
        return (
            f"Entry {leaf.index} of the log speaks of capture {number} of organization {leaf.organization_id}, where"
            f" {before + 1} is due."
        )


def _checkpoint_faults(newest: queries.Published, computed: CompactRange) -> Iterator[str]:
    try:
        stated = keys.checked_checkpoint(newest.note)
    except LogFolderError as error:
        yield str(error)
        return
    if (stated.size, stated.root) != (newest.size, newest.root):
        yield f"The checkpoint of {newest.size} entries is stored with another signed note."
    if computed.size == newest.size and computed.root() != newest.root:
        yield f"The entries of the log do not lead to the root of its checkpoint of {newest.size}."


def _leaves(size: int) -> Iterator[list[Leaf]]:
    after = -1
    while page := list(Leaf.objects.filter(index__gt=after, index__lt=size).order_by("index")[:_PAGE]):
        yield page
        after = page[-1].index
