"""What learners prefer: the language in which they read, kept for the person and not for a device."""

import uuid

from compliance.learning.models import LearnerPreference


def choose_language(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, language: str) -> None:
    """Keeps the language, a BCP 47 tag, that the person chose. Needs the company's context."""
    LearnerPreference.objects.update_or_create(
        organization_id=organization_id, learner_profile_id=learner_profile_id, defaults={"language": language}
    )
