"""Reads about letters: how many a person was sent lately, and what waits or failed."""

import uuid
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min, Q

from compliance.letters.actions import NOBODY
from compliance.letters.models import Letter


class Outbox(NamedTuple):
    """What of a company's letters waits, and what was given up lately."""

    waiting: int
    failed: int
    waiting_since: datetime | None


def asked_since(
    organization_id: uuid.UUID, kind: Letter.Kind, since: datetime, *, learner_profile_id: uuid.UUID
) -> int:
    """How many letters of a kind were asked for, for this person, at `since` or later. Needs the company's context."""
    found = Letter.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, kind=kind, made_at__gte=since
    )
    return found.count()


def outbox(organization_id: uuid.UUID, since: datetime) -> Outbox:
    """How the company's letters fare: what waits, and what failed for good at `since` or later. In its context."""
    found = Letter.objects.filter(organization_id=organization_id)
    waiting = found.filter(settled_at=None).aggregate(number=Count("pk"), oldest=Min("made_at"))
    failed = found.filter(~Q(failure=NOBODY), settled_at__gte=since, sent_at=None).count()
    return Outbox(waiting["number"], failed, waiting["oldest"])


def is_due(organization_id: uuid.UUID, now: datetime) -> bool:
    """Whether a letter of the company is due. Needs the company's context."""
    return Letter.objects.filter(organization_id=organization_id, due_at__lte=now).exists()


class Recent(NamedTuple):
    """A letter as staff see it: for whom, and what became of it."""

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
    """The last `most` letters that were asked for, newest first. Needs the company's context."""
    found = Letter.objects.filter(organization_id=organization_id).order_by("-id")
    return [Recent._make(row) for row in found.values_list(*Recent._fields)[:most]]
