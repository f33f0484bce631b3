"""A person's page: what they have to do, have done, signed and hold, at any moment, with proofs at the end."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson
from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.catalogue import REGISTERS
from compliance.facts.courses import queries as courses
from compliance.facts.happenings import happenings
from compliance.facts.people import absences, queries
from compliance.interfaces.console import because
from compliance.interfaces.console.acting.fields import PersonForm
from compliance.interfaces.console.acting.registry import ACTS, offered
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.happened import in_words
from compliance.interfaces.console.moments import chosen
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.visit import Visit
from compliance.registers import pages
from compliance.registers.listings import LISTINGS
from compliance.registers.pages import Listing
from compliance.registers.questions import Position, Question
from compliance.rules.vocabulary import ERASED_PERSON
from compliance.tenancy.models import Organization

ROWS_A_READ = 1000
REMINDS = "remind-many"
"""The act that reminds people about the chosen records."""
_DONE = ("completed_on_time", "completed_late", "completed_before_requirement")
_OPEN = ("overdue", "not_due_yet")


@dataclass(frozen=True)
class Duty:
    """A course or a policy that the person owes, as their page lists it."""

    title: str
    policy: bool
    register: str
    record_id: str
    course_id: str
    state: str
    due_at: datetime | None
    done_at: str | None
    reminders: int
    reason: str
    row: dict[str, Any]

    @property
    def late(self) -> bool:
        """Whether its deadline has passed."""
        return self.state == "overdue"


def person(visit: Visit, learner_profile_id: uuid.UUID) -> HttpResponse:
    """One person of the company."""
    organization_id = visit.organization.organization_id
    found = queries.person(organization_id, learner_profile_id)
    if found is None:
        raise NothingThereError(_("This company knows no such person."))
    visit.crumb(_("People"), "people")
    when = chosen(visit, learner=learner_profile_id)
    held = _everything(when.question)
    duties = _duties(visit.organization, held, when.question.moment)
    to_do = [each for each in duties if each.state in ("overdue", "not_due_yet", "to_do")]
    access = held["employments"][-1] if held["employments"] else {}
    values: dict[str, Any] = {
        "title": _(ERASED_PERSON) if found.erased_at else found.person_name or _("No name"),
        "person": found,
        "when": when,
        "teams": queries.teams_of(organization_id, learner_profile_id, when.question.moment),
        "roles": sorted(queries.roles_of(organization_id, learner_profile_id, when.question.moment)),
        "absences": [
            (each, visit.link("act-void-absence", _of_absence(learner_profile_id, each)))
            for each in absences.absences_of(organization_id, learner_profile_id, when.question.moment)
        ],
        "facts": in_words(happenings(organization_id, learner_profile_id, None)[::-1], visit.zone),
        "to_do": sorted(to_do, key=_urgency),
        "others": [each for each in duties if each not in to_do],
        "overdue": sum(each.late for each in to_do),
        "unsigned": sum(each.policy for each in to_do),
        "done": sum(row["outcome"] in _DONE for row in held["training"]),
        "signed": sum(row["state"] == "signed" for row in held["policies"]),
        "valid": sum(row["status"] == "valid" for row in held["certificates"]),
        "access": access.get("access_state", ""),
        "joined": access.get("joined_at"),
        "left": access.get("left_at"),
        "reminding": "",
    }
    if to_do and not when.travels and not found.erased_at and visit.staff.may(ACTS[REMINDS].permission):
        values["reminding"] = visit.address(f"act-{REMINDS}")
    acts = _acts(visit, found, None if when.travels else values["access"])
    values["acts"] = [act for act in acts if act["name"] in _FIRST]
    more = (act for act in acts if act["name"] not in _FIRST)
    values["more"] = sorted(more, key=lambda act: bool(act["danger"]))  # dangerous acts come last, away from the rest
    values["keeps"] = visit.staff.may(Permission.CHANGE_RECORDS)
    values["sees_log"] = visit.staff.may(Permission.SEE_LOG)
    return visit.render("console/people/person.html", values | held)


def _duties(organization: Organization, held: dict[str, list[dict[str, Any]]], moment: datetime) -> list[Duty]:
    """What the person owes or owed, courses and policies, each with its explanation."""
    wanted = {uuid.UUID(row["course_id"]) for of in ("training", "policies") for row in held[of]}
    named = courses.titles_of(organization.organization_id, wanted)
    reason = because.of_person(organization, held["training"], held["policies"], moment)
    found = []
    for register in REGISTERS.values():
        if register.of_person not in ("training", "policies"):
            continue
        for row in held[register.of_person]:
            due_at = datetime.fromisoformat(row["due_at"]) if row["due_at"] else None
            state = row.get("outcome") or row["state"]
            if state == "to_do" and due_at is not None and due_at < moment:
                state = "overdue"
            found.append(
                Duty(
                    title=row.get("policy_title") or named.get(uuid.UUID(row["course_id"]), ""),
                    policy=register.of_person == "policies",
                    register=register.name,
                    record_id=row["record_id"],
                    course_id=row["course_id"],
                    state=state,
                    due_at=due_at,
                    done_at=row.get("completed_at") or row.get("signed_at"),
                    reminders=row.get("reminders_sent") or 0,
                    reason=reason[row["record_id"]],
                    row=row,
                )
            )
    return found


def _urgency(duty: Duty) -> tuple[bool, float, str]:
    """The sort key of a duty: late ones first, then by deadline, then those without a deadline."""
    return not duty.late, duty.due_at.timestamp() if duty.due_at else float("inf"), duty.title


def _of_absence(learner_profile_id: uuid.UUID, absence: absences.Absent) -> dict[str, Any]:
    """The values that prefill the form for voiding an absence."""
    return {"learner_profile_id": learner_profile_id, "absence_id": absence.absence_id}


# Acts that apply only to people who have this access now; the others apply to everybody who is not erased.
_APPLIES = {
    "suspend": ("active", "staff_practice"),
    "resume": ("suspended",),
    "end": ("active", "suspended", "staff_practice"),
    "team": ("active", "suspended", "staff_practice"),
    "roles": ("active", "suspended", "staff_practice"),
    "send-link": ("active", "staff_practice"),
    "copy-link": ("active", "staff_practice"),
    "rejoin": ("ended",),
}
# Acts displayed beside the name; the others are behind "More".
_FIRST = ("excuse", "absence", "record-absence", "assign", "send-link", "team", "resume", "rejoin")


def _acts(visit: Visit, found: queries.Person, access: str | None) -> list[dict[str, Any]]:
    """The acts on the person that this member of staff may do, prefilled with the person. `access` None: not known.

    `direct`: the act needs no other input, so its preview is requested at once.
    """
    if found.erased_at:
        return []
    return [
        act
        | {
            "direct": ACTS[act["name"]].form is PersonForm,
            "danger": ACTS[act["name"]].danger,
            "act_address": visit.address(f"act-{act['name']}"),
        }
        for act in offered(visit, "person", learner_profile_id=found.learner_profile_id)
        if access is None or access in _APPLIES.get(act["name"], (access,))
    ]


def _rows(listing: Listing, question: Question) -> list[dict[str, Any]]:
    """All of the person's rows in a register, as the API would give them."""
    rows: list[dict[str, Any]] = []
    after: Position | None = Position()
    while after is not None:
        page = pages.page(listing, question, after, ROWS_A_READ, 2**31)
        rows += orjson.loads(b"[" + page.content + b"]")
        after = page.position
    return rows


def _everything(question: Question) -> dict[str, list[dict[str, Any]]]:
    """The person's rows in the registers about people, from the beginning; `question` names the person."""
    whole = question._replace(start=question.company.history_complete_from)
    return {
        listing.register.of_person: _rows(listing, whole) for listing in LISTINGS.values() if listing.register.of_person
    }
