"""Who may be sent letters: people who are here, and invitations that can still be accepted."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from compliance.facts.people import resolving
from compliance.facts.people.models import Employment, Invitation
from compliance.facts.people.queries import OPEN_DOORS
from compliance.tenancy import arrays, sql


class OpenInvitation(NamedTuple):
    """An invitation that can be accepted, and its recipient."""

    work_email: str | None
    person_name: str | None
    expires_at: datetime | None


def present(organization_id: uuid.UUID, learners: Collection[uuid.UUID], at: datetime) -> set[uuid.UUID]:
    """Those of the learners who have a door at `at` by `queries.doors_of`. One statement, in the company's context."""
    if not learners:
        return set()
    parameters = {"organization": organization_id, "at": at, "learners": arrays.uuids(list(learners))}
    return {learner for learner, _ in sql.fetch(OPEN_DOORS, parameters)}


def open_invitation(organization_id: uuid.UUID, invitation_id: uuid.UUID, at: datetime) -> OpenInvitation | None:
    """The invitation, if it is not accepted, revoked, erased or expired at `at`. In the company's context."""
    accepted = Employment.objects.filter(organization_id=organization_id, invitation_id=invitation_id)
    found = Invitation.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=at),
        Q(revoked_at=None) | Q(revoked_at__gt=at),
        organization_id=organization_id,
        invitation_id=invitation_id,
        erased_at=None,
    ).values_list(*OpenInvitation._fields)
    row = found.first()
    return OpenInvitation._make(row) if row is not None and not accepted.exists() else None


def open_invitations(
    organization_id: uuid.UUID, invitation_ids: Collection[uuid.UUID], at: datetime
) -> dict[uuid.UUID, OpenInvitation]:
    """As `open_invitation`, for several invitations; others are missing. One statement, in the company's context."""
    rows = sql.fetch(
        """
        SELECT invitation_id, work_email, person_name, expires_at FROM people_invitation i
        WHERE organization_id = %(organization)s AND invitation_id = ANY(%(invitations)s::uuid[])
          AND (expires_at IS NULL OR expires_at > %(at)s) AND (revoked_at IS NULL OR revoked_at > %(at)s)
          AND erased_at IS NULL AND NOT EXISTS (SELECT 1 FROM people_employment e
            WHERE e.organization_id = %(organization)s AND e.invitation_id = i.invitation_id)""",
        {"organization": organization_id, "invitations": arrays.uuids(list(invitation_ids)), "at": at},
    )
    return {row[0]: OpenInvitation(*row[1:]) for row in rows}


def kept_from_erasure(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> bool:
    """Whether the person is not erased. If so, an erasure waits until this transaction ends, and clears what it wrote.

    For rooms that keep something personal beside the facts. Needs the company's context.
    """
    found = resolving.profiles(organization_id, [learner_profile_id], resolving.WRITING)
    return found.get(learner_profile_id) is False
