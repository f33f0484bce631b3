"""Reads about letters: how many a person was sent recently, and what waits or failed."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.letters.models import Letter
from compliance.tenancy import nodes


class Outbox(NamedTuple):
    """How many letters wait, how many were given up recently, and since when the oldest waits."""

    waiting: int
    failed: int
    waiting_since: datetime | None


def asked_since(
    organization_id: uuid.UUID, kind: Letter.Kind, since: datetime, *, learner_profile_id: uuid.UUID
) -> int:
    """How many letters of a kind were requested for this person at `since` or later. Needs the company's context."""
    found = Letter.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, kind=kind, made_at__gte=since
    )
    return found.count()


def outbox(since: datetime, *, only: Collection[uuid.UUID] | None = None) -> Outbox:
    """Letters of all companies, or of these, that wait, and those given up at `since` or later.

    One statement for each node, outside any company's context.
    """
    rows = nodes.fetch(
        "SELECT * FROM letters_outbox(%(since)s::timestamptz, %(companies)s::uuid[])", {"since": since}, only=only
    )
    return Outbox(
        sum(waiting for waiting, _, _ in rows),
        sum(failed for _, failed, _ in rows),
        min((oldest for _, _, oldest in rows if oldest is not None), default=None),
    )


def companies_with_letters_due(now: datetime) -> set[uuid.UUID]:
    """The companies that have a letter due, in one statement for each node, outside any company's context."""
    rows = nodes.fetch("SELECT * FROM letters_due(%(now)s::timestamptz, %(companies)s::uuid[])", {"now": now})
    return {organization_id for (organization_id,) in rows}


class Recent(NamedTuple):
    """A letter as listed for staff: its recipient, and what became of it."""

    kind: str
    learner_profile_id: uuid.UUID | None
    invitation_id: uuid.UUID | None
    made_at: datetime
    attempts: int
    settled_at: datetime | None
    sent_at: datetime | None
    failure: str

    @property
    def label(self) -> str:
        """The kind in words."""
        return str(Letter.Kind(self.kind).label)


def recent(organization_id: uuid.UUID, most: int) -> list[Recent]:
    """The last `most` requested letters, newest first. Needs the company's context."""
    found = Letter.objects.filter(organization_id=organization_id).order_by("-id")
    return [Recent._make(row) for row in found.values_list(*Recent._fields)[:most]]
