"""An invitation's link: whoever was invited sees who invites them, states their name, and joins."""

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from compliance.facts.errors import InvalidFactError
from compliance.facts.people.joining import InvitationState, accept_invitation, sent_invitation
from compliance.interfaces.learner.rendering import outside
from compliance.learning.errors import (
    InvitationAcceptedError,
    InvitationExpiredError,
    InvitationRevokedError,
    JoinedAlreadyError,
    UnknownTokenError,
)

_LONGEST_NAME = 300


def join(
    request: HttpRequest,
    organization_id: uuid.UUID,
    invitation_id: uuid.UUID,
    values: dict[str, Any],
    company_name: str,
    now: datetime,
) -> HttpResponse | uuid.UUID:
    """The page of an invitation, or who has joined by it. Raises the errors of invitations, and UnknownTokenError."""
    posted = request.method == "POST"
    invitation = sent_invitation(organization_id, invitation_id, now, lock=posted)
    if invitation is None:
        raise UnknownTokenError("The invitation is not one of ours.")
    if invitation.state is InvitationState.ACCEPTED:
        raise InvitationAcceptedError("The invitation was accepted.")
    if invitation.state is InvitationState.REVOKED:
        raise InvitationRevokedError("The invitation was withdrawn.")
    if invitation.state is InvitationState.EXPIRED:
        raise InvitationExpiredError(invitation.expires_at)
    if invitation.state is InvitationState.HERE_ALREADY:
        raise JoinedAlreadyError("Somebody with this address has joined.")
    form_values = values | {"typed": invitation.person_name or ""}
    if not posted:
        return outside(request, "entry/join.html", form_values, company_name=company_name)
    name = " ".join(request.POST.get("name", "").split())
    fault = _fault(name)
    if not fault and (not values["replaces"] or "replace" in request.POST):
        try:
            return accept_invitation(
                organization_id=organization_id, invitation_id=invitation_id, person_name=name, at=now
            )
        except InvalidFactError:
            fault = gettext("Type your name without signs that cannot be printed.")
    form_values |= {"typed": name[:_LONGEST_NAME], "fault": fault, "faults": [("name", fault)] if fault else []}
    return outside(request, "entry/join.html", form_values, status=422 if fault else 409, company_name=company_name)


def _fault(name: str) -> str:
    if not name:
        return gettext("Type your name.")
    if len(name) > _LONGEST_NAME:
        return gettext("Your name can have 300 characters at most.")
    return ""
