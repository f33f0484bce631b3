"""Which acts a page of a course or a share offers, and the addresses of pages that others own."""

import uuid
from typing import Any

from django.utils.translation import gettext_lazy as _

from compliance.catalogue import owed
from compliance.interfaces.console.page import Words
from compliance.interfaces.console.visit import Visit

_SHORT: dict[str, Words] = {
    "assign": _("Assign"),
    "remind-course": _("Remind"),
    "publish-course": _("Publish a version"),
    "change-share": _("Change"),
    "end-share": _("End it"),
}
"""Short names of acts, for pages on which it is plain what they are about."""


def acts(visit: Visit, *names: str, **filled: Any) -> list[dict[str, str]]:
    """Those of the acts that this person may do, in the order given; `filled` are values for their forms."""
    pages = {page.name: page for page in visit.pages}
    return [
        {
            "name": name,
            "title": str(_SHORT.get(name, page.title) if filled else page.title),
            "address": visit.link(page.name, filled),
        }
        for name in names
        if (page := pages.get(f"act-{name}")) and visit.staff.may(page.permission)
    ]


def policy_address(visit: Visit, course_id: uuid.UUID) -> str:
    """The address of a policy's page."""
    if any(page.name == "policy-page" for page in visit.pages):
        return visit.address("policy-page", course_id=course_id)
    return visit.address(owed("policy").page)
