"""Search by name, email or id."""

from django.http import HttpResponse, HttpResponseRedirect

from compliance.facts.people import queries as people
from compliance.history import queries as history
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.visit import Visit

FOUND_AT_MOST = 50


def search(visit: Visit) -> HttpResponse:
    """People by a part of their name or address; an identifier leads straight to its person.

    The words are posted: an address would leave names in logs of proxies and in the browser's history.
    """
    wanted = visit.request.POST.get("q", "").replace("\0", "").strip()[:200]
    organization_id = visit.organization.organization_id
    identifier = identifiers.read(wanted) if len(wanted) == 36 else None
    if identifier is not None:
        for learner in history.learners_named(organization_id, [identifier]):
            return HttpResponseRedirect(visit.address("person", learner_profile_id=learner))
    found = people.search(organization_id, wanted.split(), FOUND_AT_MOST) if len(wanted) >= 2 and not identifier else []
    visit.saw(each.learner_profile_id for each in found)
    values = {"wanted": wanted, "found": found, "most": FOUND_AT_MOST}
    return visit.render("console/see/search.html", values)
