"""References of facts about policies, each looked up for a whole batch."""

import uuid
from collections.abc import Iterable

from compliance.facts.rows import lookup


def versions_named(organization_id: uuid.UUID, release_ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """Those of the identifiers that name a version of a policy."""
    return set(
        lookup(
            "SELECT course_release_id, true FROM policies_policyversion"
            " WHERE organization_id = %s AND course_release_id = ANY(%s)",
            organization_id,
            set(release_ids),
        )
    )
