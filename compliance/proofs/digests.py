"""Digests of policy statements, versions, signatures and receipts.

Every digest is the lower-case hexadecimal SHA-256 of UTF-8 text; where a rule lists lines, they are joined by line
feeds, without one at the end. A change here would change what third parties verify: the golden vectors in
`tests/vectors/` prevent it.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from .errors import UnhashableValue
from .instants import hashed_instant

ZERO_DIGEST = "0" * 64
"""The digest before the first receipt of a company and the first capture of a history."""

POLICY_CONSTANT = "svc.policy/2"
RECEIPT_CONSTANT = "svc.receipt/2"

# The Unicode property White_Space (PropList.txt). Not `\s` nor str.split(): both also take U+001C to U+001F.
WHITE_SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WHITE_SPACE_RUN = re.compile(f"[{WHITE_SPACE}]+")


def sha256_text(text: str) -> str:
    """Return the digest of `text` in UTF-8. Raises UnhashableValue for a lone surrogate, which UTF-8 cannot encode."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError as fault:
        raise UnhashableValue("Text with a lone surrogate is not Unicode text and cannot be hashed.") from fault
    return hashlib.sha256(encoded).hexdigest()


def sha256_lines(lines: Iterable[str]) -> str:
    """Return the digest of `lines` joined by line feeds."""
    return sha256_text("\n".join(lines))


def normalise_statement(statement: str) -> str:
    """Return the statement as hashed: Unicode NFC, each run of White_Space one space, trimmed (policy version row)."""
    return _WHITE_SPACE_RUN.sub(" ", unicodedata.normalize("NFC", statement)).strip(" ")


def statement_sha256(statement: str) -> str:
    """Return the digest of the normalised statement."""
    return sha256_text(normalise_statement(statement))


def document_sha256(html: str) -> str:
    """Return the digest of the canonical policy file, byte for byte."""
    return sha256_text(html)


def policy_version_digest(
    *,
    course_id: UUID | str,
    version: int,
    document_sha256: str,
    statement_sha256: str,
    act: str,
    effective_on: date | str | None,
    change_kind: str,
    renew_months: int,
    doors: Iterable[str],
) -> str:
    """Return `version_digest`. No effective date is an empty line."""
    return sha256_lines(
        (
            POLICY_CONSTANT,
            str(course_id),
            str(version),
            document_sha256,
            statement_sha256,
            act,
            "" if effective_on is None else str(effective_on),
            change_kind,
            str(renew_months),
            ",".join(sorted(doors)),
        )
    )


def shortest_decimal(number: int | float | Decimal) -> str:
    """Return the shortest plain decimal of a number: no exponent, no sign on zero, no zero at the end of a fraction.

    A float is the shortest decimal that reads back as the same float (`0.1`, `12`, `0.0000001`).
    """
    if isinstance(number, float) and not math.isfinite(number):
        raise UnhashableValue("A stroke holds a number that is not finite.")
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    if not exact.is_finite():
        raise UnhashableValue("A stroke holds a number that is not finite.")
    plain = format(exact, "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain == "-0" else plain


@dataclass(frozen=True, slots=True)
class TypedSignature:
    """The words that a person typed, kept exactly as typed."""

    words: str


@dataclass(frozen=True, slots=True)
class DrawnSignature:
    """The strokes that a person drew: one sequence of numbers per stroke, in the order drawn."""

    strokes: tuple[Sequence[int | float | Decimal], ...]


Signature = TypedSignature | DrawnSignature


def signature_text(signature: Signature) -> str:
    """Return the signature as the text that is hashed."""
    if isinstance(signature, TypedSignature):
        return f"typed\n{signature.words}"
    return "\n".join(("drawn", *(",".join(map(shortest_decimal, stroke)) for stroke in signature.strokes)))


def signature_sha256(signature: Signature | None) -> str | None:
    """Return the digest of a signature; null for an acknowledgement."""
    return None if signature is None else sha256_text(signature_text(signature))


def receipt_sha256(
    *,
    receipt_id: UUID | str,
    organization_id: UUID | str,
    course_release_id: UUID | str,
    learner_profile_id: UUID | str,
    assignment_id: UUID | str,
    cycle_id: UUID | str,
    act: str,
    statement_sha256: str,
    document_sha256: str,
    signature_sha256: str | None,
    signed_at: datetime | str,
    previous_sha256: str,
) -> str:
    """Return `receipt_sha256`.

    `act` is the receipt's (`acknowledged`, `signed`); `cycle_id` the all-zero UUID the first time; a `signed_at` given
    as text is hashed unchanged.
    """
    return sha256_lines(
        (
            RECEIPT_CONSTANT,
            str(receipt_id),
            str(organization_id),
            str(course_release_id),
            str(learner_profile_id),
            str(assignment_id),
            str(cycle_id),
            act,
            statement_sha256,
            document_sha256,
            signature_sha256 or "",
            signed_at if isinstance(signed_at, str) else hashed_instant(signed_at),
            previous_sha256,
        )
    )
