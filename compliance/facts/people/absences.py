"""Absences: recorders of their facts, and reads for other rooms."""

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple

from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import AbsenceRecorded, AbsenceVoided
from compliance.facts.people import resolving
from compliance.facts.people.models import Absence
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import keep, lookup, update
from compliance.tenancy import sql

VOIDED = "The absence has been voided already."


class StoredAbsence(NamedTuple):
    """An absence as stored."""

    learner_profile_id: uuid.UUID
    at: datetime
    voided_at: datetime | None


def absences(organization_id: uuid.UUID, absence_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredAbsence]:
    """The absences that were recorded, by identifier."""
    found = lookup(
        "SELECT absence_id, learner_profile_id, at, voided_at FROM people_absence"
        " WHERE organization_id = %s AND absence_id = ANY(%s)",
        organization_id,
        absence_ids,
    )
    return {absence_id: StoredAbsence(*row) for absence_id, row in found.items()}


class Absent(NamedTuple):
    """Days on which a person is away; without a reason where an erasure has cleared it."""

    absence_id: uuid.UUID
    first_day: date
    last_day: date
    reason_code: str | None


def absences_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, at: datetime) -> list[Absent]:
    """The absences of a person that count at a moment, latest days first. In the company's context."""
    rows = sql.fetch(
        "SELECT absence_id, first_day, last_day, reason_code FROM people_absence"
        " WHERE organization_id = %s AND learner_profile_id = %s AND at <= %s AND (voided_at IS NULL OR voided_at > %s)"
        " ORDER BY first_day DESC, last_day DESC, absence_id",
        [organization_id, learner_profile_id, at, at],
    )
    return [Absent(*row) for row in rows]


def record_absence_recorded(batch: Batch[AbsenceRecorded]) -> None:
    """Records that people are away; this may move all their deadlines."""
    resolving.once_in(batch, Absence, "absence_id")
    resolving.living_profiles(batch)
    lines = batch.accepted_lines()
    keep(Absence, batch.organization_id, lines, reason_code=[line.absence_reason.value for line in lines])
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (line.learner_profile_id for line in lines))


def record_absence_voided(batch: Batch[AbsenceVoided]) -> None:
    """Records that absences are void; the earliest voiding counts."""
    wanted = {staged.line.absence_id for staged in batch.lines}
    whose = {each.learner_profile_id for each in absences(batch.organization_id, wanted).values()}
    erased = resolving.profiles(batch.organization_id, whose, resolving.VALIDATED)
    found = absences(batch.organization_id, wanted)  # after the lock: another transaction may be voiding one now
    for staged in batch.lines:
        absence = found.get(staged.line.absence_id)
        if absence is None:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "absence_id: the company knows no such absence.")
        elif erased.get(absence.learner_profile_id):
            batch.refuse(staged, RefusalReason.ERASED, resolving.ERASED)
        elif absence.voided_at is not None:
            batch.refuse(staged, RefusalReason.RULE, VOIDED)
        elif staged.line.at < absence.at:
            batch.refuse(staged, RefusalReason.RULE, "The absence was not recorded yet at that moment.")
        else:
            batch.refuse_after_erasure(staged, absence.learner_profile_id)
    resolving.earliest_per(batch, lambda line: line.absence_id, VOIDED)
    lines = batch.accepted_lines()
    update(
        "people_absence",
        batch.organization_id,
        {"absence_id": "uuid", "at": "timestamptz"},
        "voided_at = x.at",
        "t.absence_id = x.absence_id",
        [(line.absence_id, line.at) for line in lines],
    )
    batch.subjects_of(SubjectKind.EVERYTHING_OF_PERSON, (found[line.absence_id].learner_profile_id for line in lines))
