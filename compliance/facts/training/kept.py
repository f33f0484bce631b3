"""What this room keeps about one person (`tenancy.kept`). Who changed something is another person, and is left out."""

import uuid

from django.db.models import QuerySet

from compliance.facts.training.models import (
    AttendanceMark,
    Completion,
    LiveSession,
    ObligationChange,
    Reminder,
    Trainer,
)
from compliance.tenancy.kept import Part, of_learner


def _trainer(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Trainer]:
    return Trainer.objects.filter(organization_id=organization_id, trainer_profile_id=learner_profile_id)


def _led(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[LiveSession]:
    found = LiveSession.objects.filter(organization_id=organization_id, trainer_profile_id=learner_profile_id)
    return found.order_by("starts_at", "id")


PARTS = (
    of_learner("completions", Completion),
    of_learner("changes_of_obligations", ObligationChange),
    of_learner("reminders", Reminder),
    of_learner("live_sessions", AttendanceMark),
    Part("live_sessions_led", LiveSession, _led),
    Part("trainer", Trainer, _trainer),
)
