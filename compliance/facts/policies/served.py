"""How a policy version is written as a row: the history stores it so, and publication measures it."""

from typing import Any
from uuid import UUID

import orjson

from compliance.proofs.instants import hashed_instant

_ALWAYS_FIRST = b'"deployment_id":"","organization_id":"","learning_space_id":"",'
_AROUND = len(_ALWAYS_FIRST) + 3 * len(str(UUID(int=0)))
"""How many bytes a served row has in addition to the version's own fields: the same for every version."""


def version_body(fields: dict[str, Any]) -> bytes:
    """The stored body of a version, its `fields` in the order of the contract."""
    return orjson.dumps(
        fields | {"doors": sorted(fields["doors"]), "published_at": hashed_instant(fields["published_at"])}
    )


def served_bytes(fields: dict[str, Any]) -> int:
    """How many bytes the version takes as a row of /v1/policies."""
    return _AROUND + len(version_body(fields))
