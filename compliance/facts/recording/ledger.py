"""Where facts come from, written beside them: one row of `Origin` for all that a transaction records."""

import uuid
from datetime import datetime

from compliance.facts.lines import KINDS
from compliance.facts.recording.telling import Teller
from compliance.tenancy import sql

_SPEAKS_OF = (
    "learner_profile_id", "course_id", "person_id", "share_id", "course_release_id", "completion_receipt_id",
    "certificate_id", "live_session_id", "trainer_profile_id", "invitation_id", "team_id", "absence_id",
)  # fmt: skip
ABOUT: dict[str, str] = {
    kind: next(name for name in _SPEAKS_OF if name in line.model_fields) for kind, line in KINDS.items()
}
"""The field by which the ledger finds a fact of each kind again: the first that its line has of these."""


def begin(organization_id: uuid.UUID, now: datetime, teller: Teller) -> int:
    """Writes the origin of what this transaction records, to be sealed by the next capture. Returns its number."""
    ((origin,),) = sql.fetch(
        "WITH told AS (INSERT INTO pending_origin (organization_id, recorded_at, channel, name, actor_id, confirmed_by)"
        " VALUES (%s, %s, %s, %s, %s, %s) RETURNING organization_id, id)"
        " INSERT INTO pending_unsealed (organization_id, origin, after) SELECT organization_id, id, 0 FROM told"
        " RETURNING origin",
        [organization_id, now, teller.channel.value, teller.name, teller.actor_id, teller.confirmed_by],
    )
    return int(origin)
