"""Sessions of learners: one for each device, for 30 days, ended by its owner.

Each request reads from the facts whether the person may come in, so nobody can use a session from the moment at which
they left, were suspended or were erased. Somebody who comes back finds it again, as long as it lasts.
"""

import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Q

from compliance.facts.people.presence import kept_from_erasure
from compliance.facts.people.queries import doors_of
from compliance.learning import tokens
from compliance.learning.models import LearnerSession, PersonalLink
from compliance.rules.vocabulary import Door
from compliance.tenancy import sql

SESSION_LIFE = timedelta(days=30)
KEPT_AFTER_THE_END = timedelta(days=30)
_SEEN_EVERY = timedelta(hours=1)


# Every page reads this, so it is one plain statement: the ORM would take a millisecond for a tenth of that.
_SESSION = """
SELECT s.id, s.learner_profile_id, s.seen_at, p.language FROM learning_learnersession s
LEFT JOIN learning_learnerpreference p ON p.organization_id = s.organization_id
    AND p.learner_profile_id = s.learner_profile_id
WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.token_sha256 = %(digest)s
    AND s.ended_at IS NULL AND s.expires_at > %(now)s"""


class Session(NamedTuple):
    """A session that has not ended, and its owner.

    `doors` are those by which the person has access now; without any, the session opens nothing. `language` is the one
    that the person chose, None if they did not.
    """

    organization_id: uuid.UUID
    session_id: int
    learner_profile_id: uuid.UUID
    doors: frozenset[Door]
    language: str | None


def begin(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, device: str, now: datetime) -> str:
    """Begins a session and returns its token, which is not stored. Needs the company's context.

    If the person is being erased at this moment, the session is invalid and the device's name is not kept.
    """
    token = tokens.make(organization_id)
    LearnerSession.objects.create(
        organization_id=organization_id,
        token_sha256=tokens.digest(token),
        learner_profile_id=learner_profile_id,
        begun_at=now,
        seen_at=now,
        expires_at=now + SESSION_LIFE,
        device=device if kept_from_erasure(organization_id, learner_profile_id) else None,
    )
    return token


def session_of(organization_id: uuid.UUID, token: str, now: datetime) -> Session | None:
    """The session of a token; None if it has ended. Needs the company's context."""
    found = sql.fetch(_SESSION, {"organization": organization_id, "digest": tokens.digest(token), "now": now})
    for session_id, learner_profile_id, seen_at, language in found:
        if now - seen_at >= _SEEN_EVERY:
            LearnerSession.objects.filter(organization_id=organization_id, pk=session_id).update(seen_at=now)
        doors = doors_of(organization_id, learner_profile_id, now)
        return Session(organization_id, session_id, learner_profile_id, doors, language)
    return None


def end(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, session_id: int, now: datetime) -> bool:
    """Ends a session of this person; returns whether there was one. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, pk=session_id, ended_at=None
    )
    return bool(found.update(ended_at=now))


def end_others(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, session_id: int, now: datetime) -> int:
    """Ends every session of this person except one. Returns how many there were. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, ended_at=None, expires_at__gt=now
    )
    return found.exclude(pk=session_id).update(ended_at=now)


def end_all(organization_id: uuid.UUID, now: datetime) -> int:
    """Ends every learner's session of the company. Returns how many there were. Needs the company's context."""
    found = LearnerSession.objects.filter(organization_id=organization_id, ended_at=None, expires_at__gt=now)
    return found.update(ended_at=now)


class Device(NamedTuple):
    """A device on which the person is signed in, as displayed to them; `name` is "" if it sent none."""

    session_id: int
    name: str
    begun_at: datetime
    seen_at: datetime


def open_sessions(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> list[Device]:
    """The devices on which the person is signed in, last used first. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, ended_at=None, expires_at__gt=now
    )
    return [Device(row.pk, row.device or "", row.begun_at, row.seen_at) for row in found.order_by("-seen_at", "-pk")]


def tidy(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes links and sessions a month after they ended. Returns how many. Needs the company's context.

    Until then the page of an old link can state when it expired; a session is invalid from the moment it ends.
    """
    before = now - KEPT_AFTER_THE_END
    links, _ = PersonalLink.objects.filter(organization_id=organization_id, expires_at__lt=before).delete()
    ended = Q(ended_at__lt=before) | Q(expires_at__lt=before)
    return links + LearnerSession.objects.filter(ended, organization_id=organization_id).delete()[0]
