"""The story of a record on one page: facts, versions, what changed between them and why."""

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.catalogue import REGISTERS
from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.policies import POLICIES
from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.happenings import happenings, origins_of
from compliance.history import queries
from compliance.history.queries import NamedRecord
from compliance.history.records import versions
from compliance.interfaces.console import because, identifiers
from compliance.interfaces.console.acting.registry import offered
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.happened import Happened, in_words
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.permissions import accounts
from compliance.interfaces.console.see import origins
from compliance.interfaces.console.see.versions import story_of
from compliance.interfaces.console.visit import Visit
from compliance.rules.owed_learning.outcome import outcome_at

VERSIONS_AT_MOST = 400
"""How many versions a story has at most: the last ones."""


def story(visit: Visit, register: str, record_id: uuid.UUID) -> HttpResponse:
    """The story of the record with this identifier in this register. Raises NothingThereError."""
    organization = visit.organization
    declared = next((each for each in REGISTERS.values() if each.name == register), None)
    if declared is None:
        raise NothingThereError(_("There is no register %(name)s.") % {"name": register})
    records = queries.named_records(organization.organization_id, declared.number, [record_id])
    found = records.get(record_id)
    if found is None:
        words = {"name": register, "record": record_id}
        raise NothingThereError(_("The register %(name)s holds no record %(record)s.") % words)
    visit.crumb(_(declared.title), register_page(register))
    happened = in_words(happenings(organization.organization_id, found.learner_profile_id, found.course_id), visit.zone)
    happened = _with_origins(happened, organization.organization_id, found, visit.now)
    known = versions(organization.organization_id, found.birth, VERSIONS_AT_MOST + 1)  # the oldest is only compared
    written = story_of(known, happened, visit.now)[-VERSIONS_AT_MOST:]
    current = next((each for each in written if each.in_force), None)
    about, field = _ACTED_ON.get(register, ("", ""))
    if declared.of_person == "employments" and found.learner_profile_id is None:
        about, field = "invitation", "invitation_id"
    given = current.given if current else []
    values = {
        "title": found.course_title or _(declared.title),
        "register": register,
        "happened": _about(found, policy=declared.tag == POLICIES.tag),
        "plain": [each for each in given if not _is_identifier(each[1])],
        "identifiers": [
            (name, ", ".join(value) if isinstance(value, list) else value)
            for name, value in given
            if _is_identifier(value)
        ],
        "record": found,
        "story": written,
        "facts": happened,
        "current": current,
        "state": _state(register, current.fields if current else {}, visit.now),
        "why": _reason(visit, declared.of_person, found, current.fields if current else {}),
        "acts": offered(visit, about, **{field: record_id}) if about else [],
    }
    return visit.render("console/see/story.html", values)


def _is_identifier(value: Any) -> bool:
    """Whether a value is an identifier or a hash, or a list of them: the page lists these under Proof."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, str) and (identifiers.read(first) is not None or len(first) == 64)


def _about(found: NamedRecord, *, policy: bool) -> str:
    """The sentence above the facts that the page lists."""
    if found.learner_profile_id and found.course_id:
        if policy:
            return _("The facts about this person and this policy, by when they took effect.")
        return _("The facts about this person and this course, by when they took effect.")
    if found.learner_profile_id:
        return _("The facts about this person, by when they took effect.")
    if policy:
        return _("The facts about this policy, by when they took effect.")
    return _("The facts about this course, by when they took effect.")


def _with_origins(
    happened: list[Happened], organization_id: uuid.UUID, found: NamedRecord, now: datetime
) -> list[Happened]:
    """Each fact with its origin."""
    found_origins = origins_of(
        organization_id, [fact.at for fact in happened], found.learner_profile_id, found.course_id
    )
    known = accounts(now) if any(each.actor_id for each in found_origins) else {}
    by_moment: dict[datetime, dict[str, None]] = {}
    for each in found_origins:
        by_moment.setdefault(each.at, {})[origins.words(each, known)] = None
    return [fact._replace(origins=tuple(by_moment.get(fact.at, ()))) for fact in happened]


def _state(register: str, fields: dict[str, Any], now: datetime) -> str:
    """The outcome of a training record now, as the API gives it; empty for others and where no version has fields."""

    def instant(name: str) -> datetime | None:
        return datetime.fromisoformat(fields[name]) if fields[name] else None

    if register == TRAINING_RECORDS.name and fields:
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


def _reason(visit: Visit, of_person: str, found: NamedRecord, fields: dict[str, Any]) -> str:
    """A sentence that explains the record's state; empty for absent records, and for registers of what nobody owes."""
    explain = {"training": because.of_training, "policies": because.of_policies}.get(of_person)
    if explain is None or not fields or found.learner_profile_id is None or found.course_id is None:
        return ""
    about = {"learner_profile_id": str(found.learner_profile_id), "course_id": str(found.course_id)}
    record_id = str(found.record_id)
    return explain(visit.organization, [fields | about | {"record_id": record_id}], visit.now)[record_id]


_ACTED_ON: dict[str, tuple[str, str]] = {
    TRAINING_RECORDS.name: ("record", "record_ids"),
    CERTIFICATES.name: ("certificate", "certificate_id"),
}
