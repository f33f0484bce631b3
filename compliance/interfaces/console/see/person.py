"""A person's page: what they owe, have done, signed and hold, at any moment (issue 8, part 1)."""

import uuid
from typing import Any

from django.http import HttpResponse

from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.see.queries import persons, stories, titles
from compliance.interfaces.console.visit import Visit

_DONE = ("completed_on_time", "completed_late", "completed_before_requirement")
_OPEN = ("overdue", "not_due_yet")


def person(visit: Visit, learner_profile_id: uuid.UUID) -> HttpResponse:
    """One person of the company."""
    organization_id = visit.organization.organization_id
    found = persons.profile(organization_id, learner_profile_id)
    if found is None:
        raise NothingThereError(f"This company knows no person {learner_profile_id}.")
    visit.crumb("People", "people")
    when = chosen(visit, learner=learner_profile_id)
    held = persons.everything(when.question)
    named = {course_id: title for course_id, title, _ in titles.courses(organization_id)}
    for row in held["training"]:
        row["course_name"] = named.get(row["course_id"], "")
    outcomes = [row["outcome"] for row in held["training"]]
    values: dict[str, Any] = {
        "title": "Erased person" if found.erased_at else found.person_name or "No name",
        "person": found,
        "when": when,
        "teams": persons.teams(organization_id, learner_profile_id, when.question.moment),
        "facts": stories.facts(organization_id, visit.organization.time_zone, learner_profile_id, None),
        "owed": sum(outcome in _OPEN for outcome in outcomes),
        "overdue": outcomes.count("overdue"),
        "done": sum(outcome in _DONE for outcome in outcomes),
        "signed": sum(row["state"] == "signed" for row in held["policies"]),
        "unsigned": sum(row["state"] != "signed" for row in held["policies"]),
        "valid": sum(row["status"] == "valid" for row in held["certificates"]),
        "access": held["employments"][-1]["access_state"] if held["employments"] else "",
    }
    acts = _acts(visit, found, None if when.travels else values["access"])
    return visit.render("console/see/person.html", values | held | {"acts": acts})


# Acts that only apply to whoever has this access now; the others apply to everybody but the erased.
_APPLIES = {
    "suspend": ("active", "staff_practice"),
    "resume": ("suspended",),
    "end": ("active", "suspended", "staff_practice"),
    "team": ("active", "suspended", "staff_practice"),
}


def _acts(visit: Visit, found: persons.Profile, access: str | None) -> list[dict[str, str]]:
    """What this member of staff may do to the person, each with the person filled in. `access` None: not known."""
    if found.erased_at:
        return []
    return [
        {
            "title": act.title,
            "address": f"{visit.address(f'act-{act.name}')}?learner_profile_id={found.learner_profile_id}",
        }
        for act in ACTS.values()
        if act.about == "person"
        and visit.staff.may(act.permission)
        and (access is None or access in _APPLIES.get(act.name, (access,)))
    ]
