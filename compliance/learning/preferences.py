"""Learners' preferences: the language in which they read, kept for the person and not for a device."""

import uuid

from compliance.facts.people.presence import kept_from_erasure
from compliance.learning.models import LearnerPreference


def choose_language(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, language: str) -> None:
    """Keeps the language that the person chose, a BCP 47 tag, unless they were erased meanwhile.

    Needs the company's context.
    """
    if kept_from_erasure(organization_id, learner_profile_id):
        LearnerPreference.objects.update_or_create(
            organization_id=organization_id, learner_profile_id=learner_profile_id, defaults={"language": language}
        )
