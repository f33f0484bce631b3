"""What this room keeps about one person (`tenancy.kept`): letters without texts, which are made when they are sent."""

import uuid

from django.db.models import Q, QuerySet

from compliance.facts.people.kept import invitations_of
from compliance.letters.models import Letter
from compliance.tenancy.kept import Part


def _letters(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Letter]:
    invited = invitations_of(organization_id, learner_profile_id).values("invitation_id")
    mine = Q(learner_profile_id=learner_profile_id) | Q(invitation_id__in=invited)
    return Letter.objects.filter(mine, organization_id=organization_id).order_by("made_at", "id")


PARTS = (Part("letters", Letter, _letters),)
