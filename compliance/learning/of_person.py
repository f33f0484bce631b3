"""What this room keeps of one person: for their home, and for the file of all that is kept about them."""

import uuid

from compliance.learning.models import Take


def takes(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[Take]:
    """The person's ways through courses, oldest first, but for those that another one carries on. One statement."""
    found = Take.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, carried_at__isnull=True
    )
    return list(found.order_by("begun_at", "id"))
