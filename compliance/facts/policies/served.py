"""The row of a policy version: the history stores it in this form, and publication measures its size."""

from typing import Any
from uuid import UUID

import orjson

from compliance.proofs.instants import hashed_instant

_ALWAYS_FIRST = b'"deployment_id":"","organization_id":"","learning_space_id":"",'
_AROUND = len(_ALWAYS_FIRST) + 3 * len(str(UUID(int=0)))
"""The bytes of a row in addition to the version's own fields, the same for every version."""


def version_body(fields: dict[str, Any]) -> bytes:
    """The stored body of a version, with its `fields` in the order of the contract."""
    return orjson.dumps(
        fields | {"doors": sorted(fields["doors"]), "published_at": hashed_instant(fields["published_at"])}
    )


def served_bytes(fields: dict[str, Any]) -> int:
    """The size in bytes of the version as a row of /v1/policies."""
    return _AROUND + len(version_body(fields))
