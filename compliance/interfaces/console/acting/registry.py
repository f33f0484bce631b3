"""Every act of the console, by the name in its address."""

from typing import Any

from compliance.interfaces.console.acting import (
    absences,
    assigning,
    auditors,
    bulk,
    certificates,
    completions,
    courses,
    exports,
    joining,
    keys,
    learning,
    letters,
    obligations,
    people,
    policies,
    reminding,
    reports,
    roles,
    shares,
    sources,
    spreadsheet,
    teams,
    upkeep,
    webhooks,
)
from compliance.interfaces.console.acting.act import Act
from compliance.interfaces.console.permissions import Staff
from compliance.interfaces.console.visit import Visit

_ALL = (
    people, absences, joining, teams, spreadsheet, roles, letters, assigning, shares, obligations, completions,
    learning, bulk, reminding, courses, policies, certificates, auditors, keys, sources, exports, reports, upkeep,
    webhooks,
)  # fmt: skip
ACTS: dict[str, Act] = {act.name: act for module in _ALL for act in module.ACTS}


def may_tell(staff: Staff) -> frozenset[str]:
    """The kinds of fact that this person can record by acts of the console; their files may hold no others."""
    return frozenset(kind for act in ACTS.values() if act.in_files and staff.may(act.permission) for kind in act.kinds)


def offered(visit: Visit, about: str, **filled: Any) -> list[dict[str, str]]:
    """The acts on `about` that this person may do: name, title, and address with the values `filled`."""
    return [
        {"name": act.name, "title": str(act.title), "address": visit.link(f"act-{act.name}", filled)}
        for act in ACTS.values()
        if act.about == about and visit.staff.may(act.permission)
    ]
