"""Which acts a page of a course or a share offers, and the addresses of pages that others own."""

import uuid
from typing import Any

from compliance.catalogue import owed
from compliance.interfaces.console.visit import Visit


def acts(visit: Visit, *names: str, **filled: Any) -> list[dict[str, str]]:
    """Those of the acts that this person may do, in this order, with what is `filled` in beforehand."""
    pages = {page.name: page for page in visit.pages}
    return [
        {"name": name, "title": str(page.title), "address": visit.link(page.name, filled)}
        for name in names
        if (page := pages.get(f"act-{name}")) and visit.staff.may(page.permission)
    ]


def policy_address(visit: Visit, course_id: uuid.UUID) -> str:
    """The address of a policy's page."""
    if any(page.name == "policy-page" for page in visit.pages):
        return visit.address("policy-page", course_id=course_id)
    return visit.address(owed("policy").page)
