"""In which language learners chose to read, for what is written to them while they are away."""

import uuid
from collections.abc import Collection

from compliance.learning.models import LearnerPreference


def languages_of(organization_id: uuid.UUID, learners: Collection[uuid.UUID]) -> dict[uuid.UUID, str | None]:
    """The tags of the languages that those of the people chose who chose one. One statement, in the context."""
    found = LearnerPreference.objects.filter(organization_id=organization_id, learner_profile_id__in=learners)
    return dict(found.values_list("learner_profile_id", "language"))
