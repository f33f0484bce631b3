"""The page that answers what a picker asks for while somebody types: the first things of a kind that fit the words.

The words are posted: an address would leave names in logs of proxies. Who is found stands in the access log, as it does
after a search.
"""

from django.http import HttpResponseBase, JsonResponse
from django.utils.translation import gettext

from compliance.interfaces.console.acting.pickable import KINDS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit

FOUND_AT_MOST = 8


def pick(visit: Visit, kind: str) -> HttpResponseBase:
    """The first things of the kind whose name fits all words, and whether there are more."""
    asked = KINDS.get(kind)
    if asked is None:
        raise NothingThereError(gettext("There is nothing of the kind %(kind)s.") % {"kind": kind[:40]})
    words = visit.request.POST.get("q", "").replace("\0", "")[:200].split()
    found = asked.find(visit.organization.organization_id, words, FOUND_AT_MOST + 1, visit.now)
    listed = found[:FOUND_AT_MOST]
    if asked.personal:
        visit.saw(each.identifier for each in listed)
    answer = JsonResponse(
        {
            "found": [{"id": str(each.identifier), "label": each.label, "detail": each.detail} for each in listed],
            "more": len(found) > FOUND_AT_MOST,
        }
    )
    answer["Cache-Control"] = "no-store"
    return answer
