"""Digests of the ledger's chain: `svc.fact/1`, a line for each fact taken in.

A line holds no personal data: identifiers, moments, the digest of the fact without its personal fields, and
its origin.
"""

import hashlib
from collections.abc import Callable

FACT_CONSTANT = "svc.fact/1"

LineHasher = Callable[..., bytes]


def line_hasher(organization_id: str) -> LineHasher:
    """Return the fast line digest of one company.

    The function returned takes, as text and in the order hashed: the number of the line (from 1), the digest of the
    line before in 64 hexadecimal digits (zeros before the first), `fact_id`, `kind`, `at`, `recorded_at`, the fact's
    own digest, `about`, the origin's `channel` and `name`, `actor_id`, and the origin's `confirmed_by`. A missing value
    is an empty text. Consecutive fields may be given as one text, joined by line feeds.
    """
    sha256 = hashlib.sha256
    head = f"{FACT_CONSTANT}\n{organization_id}\n"

    def digest(*fields: str) -> bytes:
        return sha256((head + "\n".join(fields)).encode()).digest()

    return digest
