"""The receipt chain: the one place where receipts are written, and where the stored chain is verified.

There is one chain for each company. Writers lock the company's `ReceiptChain` row first, so concurrent signers wait for
each other; `UNIQUE (organization_id, previous_sha256)` refuses a fork even without the lock. `signed_at` is the act's
moment, or one microsecond after the tail if that is later, so every pull by `as_at` is a prefix of the chain.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson
from django.db import DataError, transaction

from compliance.facts.policies.errors import BrokenReceiptChainError
from compliance.facts.policies.models import RawSignature, Receipt
from compliance.facts.policies.signatures import stored_signature
from compliance.facts.rows import keep
from compliance.proofs.digests import ZERO_DIGEST, Signature, receipt_sha256, signature_sha256
from compliance.rules.policies.decide import NO_RECEIPT
from compliance.rules.vocabulary import ReceiptAct
from compliance.tenancy import sql

ONE_MICROSECOND = timedelta(microseconds=1)
_PAGE = 5000
"""Receipts of one read while the chain is verified."""


class NewReceipt(NamedTuple):
    """A receipt to write: everything but its place in the chain. `at` is the moment of the act."""

    receipt_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    share_id: uuid.UUID
    door: str
    act: ReceiptAct
    at: datetime
    statement_sha256: str
    document_sha256: str
    signature: Signature | None = None
    signer_company: str | None = None
    sign_in_methods: str | None = None


class WrittenReceipt(NamedTuple):
    """The place of a new receipt in the chain. `redated`: its `signed_at` differs from the act's moment."""

    receipt_id: uuid.UUID
    number: int
    signed_at: datetime
    redated: bool


class ReceiptTail(NamedTuple):
    """The end of a company's chain, locked by this transaction."""

    receipts: int
    receipt_sha256: str
    signed_at: datetime | None


def lock_chain(organization_id: uuid.UUID) -> ReceiptTail:
    """Lock the chain until the transaction ends, and return its tail.

    Raises TransactionManagementError outside a transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("The receipt chain is locked inside a transaction only.")
    found = sql.fetch(
        "SELECT receipts, receipt_sha256, signed_at FROM policies_receiptchain WHERE organization_id = %s FOR UPDATE",
        [organization_id],
    )
    if not found:
        sql.execute(
            "INSERT INTO policies_receiptchain (organization_id, receipts, receipt_sha256) VALUES (%s, 0, %s)"
            " ON CONFLICT (organization_id) DO NOTHING",
            [organization_id, ZERO_DIGEST],
        )
        return lock_chain(organization_id)
    return ReceiptTail._make(found[0])


def append(organization_id: uuid.UUID, receipts: Sequence[NewReceipt]) -> list[WrittenReceipt]:
    """Write `receipts` at the end of the chain, in the order of their moments; return them in the order written."""
    if not receipts:
        return []
    tail = lock_chain(organization_id)
    number, previous, last = tail
    latest = _latest_receipts(organization_id, receipts)
    ordered = sorted(receipts, key=lambda each: each.at)
    columns: dict[str, list[Any]] = defaultdict(list)
    written = []
    for receipt in ordered:
        number += 1
        signed_at = receipt.at if last is None else max(receipt.at, last + ONE_MICROSECOND)
        pair = (receipt.learner_profile_id, receipt.course_id)
        cycle_id = latest.get(pair, NO_RECEIPT)
        signature = signature_sha256(receipt.signature)
        digest = receipt_sha256(
            receipt_id=receipt.receipt_id,
            organization_id=organization_id,
            course_release_id=receipt.course_release_id,
            learner_profile_id=receipt.learner_profile_id,
            assignment_id=receipt.share_id,
            cycle_id=cycle_id,
            act=receipt.act,
            statement_sha256=receipt.statement_sha256,
            document_sha256=receipt.document_sha256,
            signature_sha256=signature,
            signed_at=signed_at,
            previous_sha256=previous,
        )
        for name, value in (
            ("number", number),
            ("cycle_id", cycle_id),
            ("signed_at", signed_at),
            ("signature_sha256", signature),
            ("previous_sha256", previous),
            ("receipt_sha256", digest),
        ):
            columns[name].append(value)
        written.append(WrittenReceipt(receipt.receipt_id, number, signed_at, signed_at != receipt.at))
        latest[pair] = receipt.receipt_id
        previous, last = digest, signed_at
    keep(Receipt, organization_id, ordered, **columns)
    signed = [each for each in ordered if each.signature is not None or each.signer_company is not None]
    raw = [stored_signature(each.signature) for each in signed]
    texts = [None if each is None else orjson.dumps(each).decode() for each in raw]
    keep(RawSignature, organization_id, signed, signature=texts)
    sql.execute(
        "UPDATE policies_receiptchain SET receipts = %s, receipt_sha256 = %s, signed_at = %s"
        " WHERE organization_id = %s",
        [number, previous, last, organization_id],
    )
    return written


def verify(organization_id: uuid.UUID) -> int:
    """Recompute the stored chain from its first receipt and return how many there are.

    Raises BrokenReceiptChainError with the first fault: a gap, a link, a hash, an order, a version's digest, or a tail
    that is not the last receipt.
    """
    versions = {
        release_id: SealedVersion(*sealed)
        for release_id, *sealed in sql.fetch(
            "SELECT course_release_id, course_id, version, statement_sha256, document_sha256"
            " FROM policies_policyversion WHERE organization_id = %s",
            [organization_id],
        )
    }
    try:
        found = sql.fetch(
            "SELECT receipts, receipt_sha256, signed_at FROM policies_receiptchain WHERE organization_id = %s",
            [organization_id],
        )
        tail = ReceiptTail._make(found[0]) if found else ReceiptTail(0, ZERO_DIGEST, None)
        return check_chain(organization_id, stored_chain(organization_id, tail.receipts), versions, tail)
    except DataError as error:  # the driver finds no date for a moment
        raise BrokenReceiptChainError(
            "A signed_at is stored that no receipt has: an infinite moment, or one before the year 1 or after 9999."
        ) from error


def check_chain(
    organization_id: uuid.UUID,
    receipts: Iterable["ChainedReceipt"],
    versions: Mapping[uuid.UUID, "SealedVersion"],
    tail: ReceiptTail,
) -> int:
    """Check receipts in their order against the sealed versions and the chain's tail; return how many.

    Raises BrokenReceiptChainError for the first that differs.
    """
    number, previous, last = 0, ZERO_DIGEST, None
    for row in receipts:
        where = f"Receipt {row.receipt_id} (number {row.number})"
        if row.number != number + 1:
            raise BrokenReceiptChainError(f"{where}: number {number + 1} is missing before it.")
        if row.previous_sha256 != previous:
            raise BrokenReceiptChainError(f"{where}: previous_sha256 is not the hash of the receipt before it.")
        if last is not None and row.signed_at <= last:
            raise BrokenReceiptChainError(f"{where}: signed_at is not later than that of the receipt before it.")
        recomputed = receipt_sha256(
            receipt_id=row.receipt_id,
            organization_id=organization_id,
            course_release_id=row.course_release_id,
            learner_profile_id=row.learner_profile_id,
            assignment_id=row.share_id,
            cycle_id=row.cycle_id,
            act=row.act,
            statement_sha256=row.statement_sha256,
            document_sha256=row.document_sha256,
            signature_sha256=row.signature_sha256,
            signed_at=row.signed_at,
            previous_sha256=row.previous_sha256,
        )
        if recomputed != row.receipt_sha256:
            raise BrokenReceiptChainError(f"{where}: receipt_sha256 is not the hash of its fields.")
        sealed = versions.get(row.course_release_id)
        if sealed is None:
            raise BrokenReceiptChainError(f"{where}: policy version {row.course_release_id} is not stored.")
        if sealed != (row.course_id, row.version, row.statement_sha256, row.document_sha256):
            raise BrokenReceiptChainError(
                f"{where}: its policy, version or digests are not those of the sealed version."
            )
        number, previous, last = row.number, row.receipt_sha256, row.signed_at
    if (number, previous, last) != tail:
        raise BrokenReceiptChainError(f"The chain's tail is not its last receipt, number {number}.")
    return number


class SealedVersion(NamedTuple):
    """What a receipt must repeat of its version."""

    course_id: uuid.UUID
    version: int
    statement_sha256: str
    document_sha256: str


class ChainedReceipt(NamedTuple):
    """What the check needs of a stored receipt."""

    number: int
    receipt_id: uuid.UUID
    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    course_release_id: uuid.UUID
    version: int
    share_id: uuid.UUID
    cycle_id: uuid.UUID
    act: str
    signed_at: datetime
    statement_sha256: str
    document_sha256: str
    signature_sha256: str | None
    previous_sha256: str
    receipt_sha256: str


def stored_chain(organization_id: uuid.UUID, last: int) -> Iterator[ChainedReceipt]:
    """Yield the receipts up to number `last` in the chain's order, read page by page.

    Signers do not wait: what they append meanwhile is after the tail that is being verified.
    """
    after = 0
    while True:
        rows = sql.fetch(
            f"SELECT {', '.join(ChainedReceipt._fields)} FROM policies_receipt"  # noqa: S608
            " WHERE organization_id = %s AND number > %s AND number <= %s ORDER BY number LIMIT %s",
            [organization_id, after, last, _PAGE],
        )
        yield from map(ChainedReceipt._make, rows)
        if len(rows) < _PAGE:
            return
        after = rows[-1][0]


def _latest_receipts(
    organization_id: uuid.UUID, receipts: Sequence[NewReceipt]
) -> dict[tuple[uuid.UUID, uuid.UUID], uuid.UUID]:
    """Return the latest receipt of each person and policy of `receipts`, after which a new one asks again."""
    pairs = list({(each.learner_profile_id, each.course_id) for each in receipts})
    return {
        (profile_id, course_id): receipt_id
        for profile_id, course_id, receipt_id in sql.fetch(
            "SELECT DISTINCT ON (r.learner_profile_id, r.course_id) r.learner_profile_id, r.course_id, r.receipt_id"
            " FROM unnest(%s::uuid[], %s::uuid[]) AS w (learner_profile_id, course_id)"
            " JOIN policies_receipt r USING (learner_profile_id, course_id) WHERE r.organization_id = %s"
            " ORDER BY r.learner_profile_id, r.course_id, r.number DESC",
            [[pair[0] for pair in pairs], [pair[1] for pair in pairs], organization_id],
        )
    }
