"""What this room keeps about one person (`tenancy.kept`)."""

import uuid
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower

from compliance.facts.people.models import (
    Absence,
    Contact,
    Employment,
    Erasure,
    Identity,
    Invitation,
    PersonalDetail,
    PersonRoles,
    Profile,
    Suspension,
    Team,
    TeamMembership,
)
from compliance.tenancy.kept import Part, of_learner


def _stays(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Employment]:
    return Employment.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)


def _suspensions(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Suspension]:
    stays = _stays(organization_id, learner_profile_id).values("person_id")
    return Suspension.objects.filter(organization_id=organization_id, person_id__in=stays).order_by("at", "id")


def invitations_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Invitation]:
    """The invitations that the person accepted, and unaccepted ones to an address of theirs, as in an erasure."""
    details = PersonalDetail.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
    accepted = _stays(organization_id, learner_profile_id).exclude(invitation_id=None).values("invitation_id")
    anybodys = Employment.objects.filter(organization_id=organization_id).exclude(invitation_id=None)
    to_them = Q(address__in=details.exclude(work_email=None).values(lowered=Lower("work_email"))) | Q(
        address__in=details.exclude(account_email=None).values(lowered=Lower("account_email"))
    )
    found = Invitation.objects.filter(organization_id=organization_id).annotate(address=Lower("work_email"))
    mine = Q(invitation_id__in=accepted) | (to_them & ~Q(invitation_id__in=anybodys.values("invitation_id")))
    return found.filter(mine).order_by("invited_at", "id")


def _identities(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Identity]:
    invitations = invitations_of(organization_id, learner_profile_id).values("invitation_id")
    whose = Q(subject_id=learner_profile_id) | Q(subject_id__in=Subquery(invitations))
    return Identity.objects.filter(whose, organization_id=organization_id).order_by("capture_sequence", "subject_id")


def _teams(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> QuerySet[Any]:
    named = Team.objects.filter(organization_id=organization_id, team_id=OuterRef("team_id")).values("name")[:1]
    found = TeamMembership.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
    return found.annotate(name=Subquery(named)).order_by("at", "id")


PARTS = (
    of_learner("profile", Profile),
    of_learner("names_and_addresses", PersonalDetail),
    of_learner("roles", PersonRoles),
    of_learner("stays", Employment),
    Part("suspensions", Suspension, _suspensions),
    of_learner("partner_or_customer", Contact),
    Part("teams", TeamMembership, _teams, ("name",)),
    of_learner("absences", Absence),
    Part("invitations", Invitation, invitations_of),
    Part("commitments", Identity, _identities),
    of_learner("erasure", Erasure),
)
