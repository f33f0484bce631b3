"""The languages that learners chose, for what is written to them outside a session."""

import uuid
from collections.abc import Collection

from compliance.learning.models import LearnerPreference


def languages_of(organization_id: uuid.UUID, learners: Collection[uuid.UUID]) -> dict[uuid.UUID, str | None]:
    """The language tags chosen by those of the people who chose one. One statement, in the company's context."""
    found = LearnerPreference.objects.filter(organization_id=organization_id, learner_profile_id__in=learners)
    return dict(found.values_list("learner_profile_id", "language"))
