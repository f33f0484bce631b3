"""What links a stored row to its neighbours and seals it: their digests, its capture, the signed checkpoint."""

import uuid
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext

from compliance.facts.policies.models import Receipt
from compliance.history.models import Capture, HistoryRow
from compliance.history.queries import capture_row
from compliance.interfaces.console.stored.tables import NamedValue, moment
from compliance.log import queries
from compliance.proofs.digests import ZERO_DIGEST

Address = Callable[[str, int], str]
"""From the name of a table and a number to the address of that row."""

MOST_VERSIONS = 200


def of(row: Any, address: Address) -> list[NamedValue]:
    """The links of a capture, a history row or a receipt; other rows have none. In the company's context."""
    if isinstance(row, Capture):
        return _of_capture(row, address)
    if isinstance(row, HistoryRow):
        return _of_history_row(row, address)
    return _of_receipt(row, address) if isinstance(row, Receipt) else []


def _of_capture(capture: Capture, address: Address) -> list[NamedValue]:
    before = capture_row(capture.organization_id, capture.capture_sequence - 1)
    rows = capture.last_sequence - capture.first_sequence + 1
    return [
        _capture(gettext("Previous chain hash"), before, address)
        if before
        else NamedValue(gettext("Previous chain hash"), ZERO_DIGEST),
        NamedValue(gettext("Rows sealed"), str(rows), address("rows", capture.last_sequence) if rows else ""),
        _checkpoint(capture.organization_id, capture.capture_sequence),
    ]


def _of_history_row(row: HistoryRow, address: Address) -> list[NamedValue]:
    rows = HistoryRow.objects.filter(organization_id=row.organization_id).only("sequence", "row_sha256", "valid_from")
    versions = list(rows.filter(birth=row.birth).order_by("valid_from", "sequence")[:MOST_VERSIONS])
    return [
        _digest(gettext("Digest of the row before"), rows.filter(sequence=row.sequence - 1).first(), address),
        _capture(gettext("Sealed by the chain hash"), capture_row(row.organization_id, row.capture_sequence), address),
        _checkpoint(row.organization_id, row.capture_sequence),
        *(
            _digest(gettext("Version from %(valid_from)s") % {"valid_from": moment(each.valid_from)}, each, address)
            for each in versions
        ),
    ]


def _of_receipt(receipt: Receipt, address: Address) -> list[NamedValue]:
    chain = Receipt.objects.filter(organization_id=receipt.organization_id)
    beside = {each.number: each for each in chain.filter(number__in=(receipt.number - 1, receipt.number + 1))}
    return [
        NamedValue(name, each.receipt_sha256, address("receipts", each.number)) if each else NamedValue(name, None)
        for name, each in (
            (gettext("Receipt before"), beside.get(receipt.number - 1)),
            (gettext("Sealed by the receipt after"), beside.get(receipt.number + 1)),
        )
    ]


def _digest(heading: str, row: HistoryRow | None, address: Address) -> NamedValue:
    if row is None:
        return NamedValue(heading, None)
    return NamedValue(heading, bytes(row.row_sha256).hex(), address("rows", row.sequence))


def _capture(heading: str, capture: Capture | None, address: Address) -> NamedValue:
    if capture is None:
        return NamedValue(heading, None)
    return NamedValue(heading, capture.chain_hash, address("captures", capture.capture_sequence))


def _checkpoint(organization_id: uuid.UUID, capture_sequence: int) -> NamedValue:
    """The entry of the capture in the signed log, and the newest checkpoint."""
    entry, newest = queries.leaf_of(organization_id, capture_sequence), queries.newest_checkpoint()
    if entry is None or newest is None:
        return NamedValue(gettext("Signed checkpoint"), None)
    signed = gettext("entry %(entry)s of the log, under the checkpoint of %(size)s, signed %(signed_at)s") % {
        "entry": entry,
        "size": newest.size,
        "signed_at": moment(newest.signed_at),
    }
    return NamedValue(gettext("Signed checkpoint"), signed)
