"""A record's whole story on one page: facts, versions, what changed between them and why (issue 8, part 1)."""

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpResponse

from compliance.history.numbers import NUMBERS
from compliance.interfaces.console.acting.registry import ACTS
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.see.queries import stories
from compliance.interfaces.console.see.reading import READINGS
from compliance.interfaces.console.visit import Visit
from compliance.rules.owed_learning.outcome import outcome_at
from compliance.rules.vocabulary import Register


def story(visit: Visit, register: str, record_id: uuid.UUID) -> HttpResponse:
    """The record with this identifier in this register."""
    organization = visit.organization
    if register not in set(Register):
        raise NothingThereError(f"There is no register {register}.")
    found = stories.record(organization.organization_id, NUMBERS[Register(register)], record_id)
    if found is None:
        raise NothingThereError(f"The register {register} holds no record {record_id}.")
    visit.crumb(READINGS[register].title, register)
    happened = stories.facts(
        organization.organization_id, organization.time_zone, found.learner_profile_id, found.course_id
    )
    written = stories.told(stories.versions(organization.organization_id, found.birth), happened, visit.now)
    current = next((told for told in written if told.in_force), None)
    values = {
        "title": found.course_title or READINGS[register].title,
        "register": register,
        "record": found,
        "story": written,
        "facts": happened,
        "current": current,
        "state": _state(register, current.fields if current else {}, visit.now),
        "acts": _acts(visit, register, record_id),
    }
    return visit.render("console/see/story.html", values)


def _state(register: str, fields: dict[str, Any], now: datetime) -> str:
    """What the clock makes of the record now, as the API says it; empty for registers and records without."""

    def instant(name: str) -> datetime | None:
        return datetime.fromisoformat(fields[name]) if fields[name] else None

    if register == Register.TRAINING_RECORDS and fields:
        assigned_at, ended_at = instant("assigned_at"), instant("ended_at")
        if assigned_at is None or ended_at is not None:
            return "ended"
        return outcome_at(
            now,
            requirement_before_end=fields["requirement"],
            assigned_at=assigned_at,
            due_at=instant("due_at"),
            completed_at=instant("completed_at"),
            ended_at=None,
            waived_at=instant("waived_at"),
        )[0].value
    return ""


def _acts(visit: Visit, register: str, record_id: uuid.UUID) -> list[dict[str, str]]:
    """What this member of staff may do to the record, with the record filled in."""
    about, field = _ACTED_ON.get(register, ("", ""))
    return [
        {"title": act.title, "address": f"{visit.address(f'act-{act.name}')}?{field}={record_id}"}
        for act in ACTS.values()
        if about and act.about == about and visit.staff.may(act.permission)
    ]


_ACTED_ON: dict[str, tuple[str, str]] = {
    Register.TRAINING_RECORDS.value: ("record", "record_ids"),
    Register.CERTIFICATES.value: ("certificate", "certificate_id"),
}
