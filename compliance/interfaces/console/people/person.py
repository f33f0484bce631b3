"""A person's page: what they owe, have done, signed and hold, at any moment."""

import uuid
from typing import Any

import orjson
from django.http import HttpResponse

from compliance.facts.courses import queries as courses
from compliance.facts.happenings import happenings
from compliance.facts.people import queries
from compliance.interfaces.console.acting.registry import offered
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.see.registers import COURSES_AT_MOST
from compliance.interfaces.console.visit import Visit
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import ERASED_PERSON

ROWS_AT_MOST = 200
_DONE = ("completed_on_time", "completed_late", "completed_before_requirement")
_OPEN = ("overdue", "not_due_yet")


def person(visit: Visit, learner_profile_id: uuid.UUID) -> HttpResponse:
    """One person of the company."""
    organization_id = visit.organization.organization_id
    found = queries.person(organization_id, learner_profile_id)
    if found is None:
        raise NothingThereError(f"This company knows no person {learner_profile_id}.")
    visit.crumb("People", "people")
    when = chosen(visit, learner=learner_profile_id)
    held = _everything(when.question)
    named = {str(each.course_id): each.title for each in courses.titles(organization_id, None, COURSES_AT_MOST)}
    for row in held["training"]:
        row["course_name"] = named.get(row["course_id"], "")
    outcomes = [row["outcome"] for row in held["training"]]
    values: dict[str, Any] = {
        "title": ERASED_PERSON if found.erased_at else found.person_name or "No name",
        "person": found,
        "when": when,
        "teams": queries.teams_of(organization_id, learner_profile_id, when.question.moment),
        "roles": sorted(queries.roles_of(organization_id, learner_profile_id, when.question.moment)),
        "facts": happenings(organization_id, visit.organization.time_zone, learner_profile_id, None),
        "owed": sum(outcome in _OPEN for outcome in outcomes),
        "overdue": outcomes.count("overdue"),
        "done": sum(outcome in _DONE for outcome in outcomes),
        "signed": sum(row["state"] == "signed" for row in held["policies"]),
        "unsigned": sum(row["state"] != "signed" for row in held["policies"]),
        "valid": sum(row["status"] == "valid" for row in held["certificates"]),
        "access": held["employments"][-1]["access_state"] if held["employments"] else "",
    }
    acts = _acts(visit, found, None if when.travels else values["access"])
    return visit.render("console/people/person.html", values | held | {"acts": acts})


# Acts that only apply to whoever has this access now; the others apply to everybody but the erased.
_APPLIES = {
    "suspend": ("active", "staff_practice"),
    "resume": ("suspended",),
    "end": ("active", "suspended", "staff_practice"),
    "team": ("active", "suspended", "staff_practice"),
    "roles": ("active", "suspended", "staff_practice"),
}


def _acts(visit: Visit, found: queries.Person, access: str | None) -> list[dict[str, str]]:
    """What this member of staff may do to the person, each with the person filled in. `access` None: not known."""
    if found.erased_at:
        return []
    return [
        act
        for act in offered(visit, "person", learner_profile_id=found.learner_profile_id)
        if access is None or access in _APPLIES.get(act["name"], (access,))
    ]


def _rows(listing: Listing, question: Question) -> list[dict[str, Any]]:
    """The person's rows in a register, as the API would give them."""
    page = pages.page(listing, question, Position(), ROWS_AT_MOST, 2**31)
    return list(orjson.loads(b"[" + page.content + b"]"))


def _everything(question: Question) -> dict[str, list[dict[str, Any]]]:
    """The person's rows in the registers that speak of people, from the beginning; `question` names the person."""
    whole = question._replace(start=question.company.history_complete_from)
    return {
        listing.register.of_person: _rows(listing, whole) for listing in LISTINGS.values() if listing.register.of_person
    }
