"""The endpoint of pickers, called while somebody types: the first things of a kind that match the words.

The words are posted, because an address would leave names in the logs of proxies. The people found are recorded in the
access log, as after a search.
"""

from django.http import HttpResponseBase, JsonResponse
from django.utils.translation import gettext

from compliance.interfaces.console.acting.pickable import KINDS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit

FOUND_AT_MOST = 8


def pick(visit: Visit, kind: str) -> HttpResponseBase:
    """The first things of the kind whose name has all words, and whether there are more."""
    asked = KINDS.get(kind)
    if asked is None:
        raise NothingThereError(gettext("There is nothing of the kind %(kind)s.") % {"kind": kind[:40]})
    words = visit.request.POST.get("q", "").replace("\0", "")[:200].split()
    found = asked.find(visit.organization.organization_id, words, FOUND_AT_MOST + 1, visit.now)
    listed = found[:FOUND_AT_MOST]
    visit.saw(each.learner for each in listed)
    answer = JsonResponse(
        {
            "found": [{"id": str(each.identifier), "label": each.label, "detail": each.detail} for each in listed],
            "more": len(found) > FOUND_AT_MOST,
        }
    )
    answer["Cache-Control"] = "no-store"
    return answer
