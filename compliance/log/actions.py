"""Publishes the log: the writes to its tables, which only the signer makes."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction

from compliance.log import tree
from compliance.log.errors import LogRefusedError
from compliance.log.memory import NewLeaf, Signed
from compliance.log.models import Checkpoint, Witness
from compliance.log.witnesses import Answer
from compliance.proofs.merkle import leaf_hash
from compliance.tenancy import sql

KEPT = timedelta(days=1)
"""How long checkpoints are kept after newer ones, so that readers can finish with the one that they got."""

_LEAF = {
    "index": "bigint", "kind": "text", "organization_id": "uuid", "capture_sequence": "bigint", "entry": "bytea",
    "statement": "text",
}  # fmt: skip
_AT_ONCE = 5_000


def publish(leaves: Iterable[NewLeaf], begin: int, signed: Signed) -> None:
    """Publishes a signed checkpoint with the leaves that it adds, from place `begin` on; all or nothing.

    Raises LogRefusedError when the tiles published before do not lead to the signed root.
    """
    with transaction.atomic():
        growing = tree.Growing(begin, tree.stored(tree.edge(begin)))
        for batch in _batches(leaves):
            rows = [
                (place, each.kind, each.organization_id, each.capture_sequence, each.entry, each.statement)
                for place, each in enumerate(batch, growing.size)
            ]
            sql.insert("log_leaf", _LEAF, rows)
            tiles = growing.extend(leaf_hash(each.entry) for each in batch)
            sql.insert(
                "log_tile",
                {"level": "smallint", "index": "bigint", "hashes": "bytea"},
                [(*place, hashes) for place, hashes in sorted(tiles.items())],
                ending="ON CONFLICT (level, index) DO UPDATE SET hashes = EXCLUDED.hashes",
            )
        if growing.size != signed.size or tree.root_at(signed.size) != signed.tree.root():
            raise LogRefusedError(
                f"The tiles of the log in the database do not lead to the root of the {signed.size} entries that were"
                " signed: they were changed, or the database is another one."
            )
        Checkpoint.objects.create(
            size=signed.size, root=signed.tree.root(), note=signed.note, signed_at=signed.signed_at
        )
        _forget(signed.signed_at - KEPT, signed.size)


def keep_cosigned(size: int, note: str) -> None:
    """Replaces a published checkpoint by the same one with more cosignatures."""
    Checkpoint.objects.filter(size=size).update(note=note)


def keep_answers(answers: Iterable[Answer], size: int, now: datetime) -> None:
    """Counts the witnesses' answers about the checkpoint of `size` entries."""
    by_key = {each.key.line(): each for each in answers}
    if not by_key:
        return
    rows = {row.key: row for row in Witness.objects.filter(key__in=by_key)}
    for line, answer in by_key.items():
        row = rows.setdefault(line, Witness(key=line))
        row.answers[answer.outcome] = row.answers.get(answer.outcome, 0) + 1
        if answer.outcome is Witness.Outcome.COSIGNED:
            row.size, row.cosigned_at = size, now
    Witness.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["size", "cosigned_at", "answers"],
    )


def _forget(before: datetime, newest: int) -> None:
    """Deletes checkpoints from before this moment, except the newest two: start-up needs both."""
    kept = Checkpoint.objects.filter(size__lt=newest).order_by("-size").values_list("size", flat=True).first()
    if kept is not None:
        Checkpoint.objects.filter(signed_at__lt=before, size__lt=kept).delete()


def _batches(leaves: Iterable[NewLeaf]) -> Iterator[list[NewLeaf]]:
    left = iter(leaves)
    while batch := list(islice(left, _AT_ONCE)):
        yield batch
