"""Reads about people that are current at read, whatever the moment asked for (design 6)."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.recording.rows import lookup
from compliance.tenancy import sql


class ShownPerson(NamedTuple):
    """What is shown of a person: the latest of each detail; all null once erased."""

    person_name: str | None
    account_email: str | None
    work_email: str | None
    erased: bool


def shown_people(organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, ShownPerson]:
    """What is shown of each of those profiles; one that does not stand is missing."""
    found = lookup(
        "SELECT learner_profile_id, person_name, account_email, work_email, erased_at IS NOT NULL FROM people_profile"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        organization_id,
        profile_ids,
    )
    return {profile_id: ShownPerson(*row) for profile_id, row in found.items()}


def last_erasure(organization_id: uuid.UUID) -> datetime | None:
    """When somebody was last erased in the company, in its context: what was made of names before then must go."""
    ((moment,),) = sql.fetch(
        "SELECT greatest((SELECT max(recorded_at) FROM people_erasure WHERE organization_id = %(company)s),"
        " (SELECT max(erased_at) FROM people_invitation WHERE organization_id = %(company)s))",
        {"company": organization_id},
    )
    return moment
