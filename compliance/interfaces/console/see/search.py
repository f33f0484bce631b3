"""Search by name, email or id (issue 8, part 2)."""

import uuid

from django.http import HttpResponse, HttpResponseRedirect

from compliance.interfaces.console.see.queries import people
from compliance.interfaces.console.visit import Visit


def search(visit: Visit) -> HttpResponse:
    """People by a part of their name or address; an identifier leads straight to its person."""
    wanted = visit.request.GET.get("q", "").strip()[:200]
    organization_id = visit.organization.organization_id
    try:
        identifier = uuid.UUID(wanted) if len(wanted) == 36 else None
    except ValueError:
        identifier = None
    if identifier is not None:
        profile = people.profile_of(organization_id, identifier)
        if profile is not None:
            return HttpResponseRedirect(visit.address("person", learner_profile_id=profile))
    found = people.find(organization_id, wanted) if len(wanted) >= 2 and identifier is None else []
    values = {"wanted": wanted, "found": found, "most": people.FOUND_AT_MOST}
    return visit.render("console/see/search.html", values)
