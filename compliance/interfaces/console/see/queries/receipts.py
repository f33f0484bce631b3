"""Receipts and policy versions as they were sealed."""

import uuid
from typing import Any

from compliance.tenancy import sql

_NAMES = (
    "number", "receipt_id", "learner_profile_id", "course_id", "course_release_id", "version", "share_id", "cycle_id",
    "door", "act", "signed_at", "sign_in_methods", "statement_sha256", "document_sha256", "signature_sha256",
    "previous_sha256", "receipt_sha256",
)  # fmt: skip
_VERSION_NAMES = (
    "course_id", "course_release_id", "version", "published_at", "act", "doors", "statement", "effective_on",
    "renew_months", "change_kind", "html", "policy_title", "statement_sha256", "document_sha256", "version_digest",
)  # fmt: skip


def receipt_and_neighbours(organization_id: uuid.UUID, receipt_id: uuid.UUID) -> dict[int, dict[str, Any]]:
    """The receipt, the one before it and the one after it in the company's chain, by their distance from it."""
    rows = sql.fetch(
        f"SELECT r.number - w.number, {', '.join('r.' + name for name in _NAMES)} FROM policies_receipt w"  # noqa: S608
        " JOIN policies_receipt r ON r.organization_id = w.organization_id"
        " AND r.number BETWEEN w.number - 1 AND w.number + 1"
        " WHERE w.organization_id = %s AND w.receipt_id = %s",
        [organization_id, receipt_id],
    )
    return {row[0]: dict(zip(_NAMES, row[1:], strict=True)) for row in rows}


def policy_version(organization_id: uuid.UUID, course_release_id: uuid.UUID) -> dict[str, Any] | None:
    """A published policy version."""
    rows = sql.fetch(
        f"SELECT {', '.join(_VERSION_NAMES)} FROM policies_policyversion"  # noqa: S608
        " WHERE organization_id = %s AND course_release_id = %s",
        [organization_id, course_release_id],
    )
    return dict(zip(_VERSION_NAMES, rows[0], strict=True)) if rows else None


def raw_signature(organization_id: uuid.UUID, receipt_id: uuid.UUID) -> tuple[Any, str | None]:
    """What the person typed or drew, None once erased or for an acknowledgement; the company they signed for."""
    rows = sql.fetch(
        "SELECT signature, signer_company FROM policies_rawsignature WHERE organization_id = %s AND receipt_id = %s",
        [organization_id, receipt_id],
    )
    return (rows[0][0], rows[0][1]) if rows else (None, None)
