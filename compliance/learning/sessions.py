"""Sessions of learners: one for each device, 30 days long, ended by its owner, or with the person's access.

Whether a person may still come in is read from the facts at every request, so leaving, suspension and erasure end
every session at once.
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


# Every page asks this, so it is one plain statement: the models would take a millisecond for what takes a tenth.
_SESSION = """
SELECT s.id, s.learner_profile_id, s.seen_at, p.language FROM learning_learnersession s
LEFT JOIN learning_learnerpreference p ON p.organization_id = s.organization_id
    AND p.learner_profile_id = s.learner_profile_id
WHERE s.organization_id = (SELECT %(organization)s::uuid) AND s.token_sha256 = %(digest)s
    AND s.ended_at IS NULL AND s.expires_at > %(now)s"""


class Session(NamedTuple):
    """A session that holds, and whose it is. `language` is the one the person chose, None where they did not."""

    session_id: int
    learner_profile_id: uuid.UUID
    doors: frozenset[Door]
    language: str | None


def begin(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, device: str, now: datetime) -> str:
    """Begins a session and returns its token, which is kept nowhere. Needs the company's context.

    One of somebody who is erased at this very moment opens nothing, and does not keep the device's name.
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
    """The session of a token; None where it has ended, or its person may not come in. Needs the company's context."""
    found = sql.fetch(_SESSION, {"organization": organization_id, "digest": tokens.digest(token), "now": now})
    for session_id, learner_profile_id, seen_at, language in found:
        doors = doors_of(organization_id, learner_profile_id, now)
        if not doors:
            return None
        if now - seen_at >= _SEEN_EVERY:
            LearnerSession.objects.filter(organization_id=organization_id, pk=session_id).update(seen_at=now)
        return Session(session_id, learner_profile_id, doors, language)
    return None


def end(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, session_id: int, now: datetime) -> bool:
    """Ends a session of this person; whether there was one. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, pk=session_id, ended_at=None
    )
    return bool(found.update(ended_at=now))


def end_others(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, session_id: int, now: datetime) -> int:
    """Ends every session of this person but one. Returns how many there were. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, ended_at=None, expires_at__gt=now
    )
    return found.exclude(pk=session_id).update(ended_at=now)


class Device(NamedTuple):
    """A device on which the person is signed in, as its owner knows it; `name` is "" for one that gave none."""

    session_id: int
    name: str
    begun_at: datetime
    seen_at: datetime


def open_sessions(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> list[Device]:
    """The devices on which the person is signed in, the one used last first. Needs the company's context."""
    found = LearnerSession.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, ended_at=None, expires_at__gt=now
    )
    return [Device(row.pk, row.device or "", row.begun_at, row.seen_at) for row in found.order_by("-seen_at", "-pk")]


def tidy(organization_id: uuid.UUID, now: datetime) -> int:
    """Deletes links and sessions a month after they ended. Returns how many. Needs the company's context.

    Until then an old link can still say when it ran out; an ended session opens nothing from the moment it ends.
    """
    before = now - KEPT_AFTER_THE_END
    links, _ = PersonalLink.objects.filter(organization_id=organization_id, expires_at__lt=before).delete()
    ended = Q(ended_at__lt=before) | Q(expires_at__lt=before)
    return links + LearnerSession.objects.filter(ended, organization_id=organization_id).delete()[0]
