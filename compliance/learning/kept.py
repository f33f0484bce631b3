"""What this room keeps about one person (`tenancy.kept`), without tokens and their digests, which give access."""

import uuid
from typing import Any

from django.db.models import Model, Q, QuerySet

from compliance.facts.people.kept import invitations_of
from compliance.learning.models import (
    Answer,
    LearnerPreference,
    LearnerSession,
    MoreAttempts,
    PageRead,
    PersonalLink,
    Take,
)
from compliance.tenancy.kept import Part, of_learner


def _links(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[PersonalLink]:
    invited = invitations_of(organization_id, learner_profile_id).values("invitation_id")
    mine = Q(learner_profile_id=learner_profile_id) | Q(invitation_id__in=invited)
    return PersonalLink.objects.filter(mine, organization_id=organization_id).order_by("made_at", "id")


def _of_takes(name: str, model: type[Model]) -> Part:
    """A part whose rows belong to takes of the person."""

    def rows(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Any]:
        takes = Take.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
        found = model._default_manager.filter(organization_id=organization_id, take_id__in=takes.values("take_id"))
        return found.order_by("at", "pk")

    return Part(name, model, rows)


PARTS = (
    of_learner("language", LearnerPreference),
    of_learner("sessions", LearnerSession),
    Part("links", PersonalLink, _links),
    of_learner("courses_taken", Take),
    _of_takes("pages_read", PageRead),
    _of_takes("answers", Answer),
    _of_takes("further_attempts", MoreAttempts),
)
