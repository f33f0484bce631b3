"""Recorders of completions, changes of obligations and reminders (design 3); live sessions have a file of their own."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses.recorders import lessons
from compliance.facts.courses.resolving import courses_stand, releases_stand
from compliance.facts.lines import (
    CompletionVoided,
    CourseCompleted,
    ObligationChanged,
    ReminderSent,
)
from compliance.facts.pending.models import SubjectKind
from compliance.facts.people.resolving import earliest_per, living_profiles, once, profiles
from compliance.facts.recording.batch import Batch, Why
from compliance.facts.recording.rows import append, lookup
from compliance.tenancy import sql


class StoredCompletion(NamedTuple):
    """A completion as stored."""

    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    at: datetime
    voided_at: datetime | None


def completions(organization_id: uuid.UUID, receipt_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredCompletion]:
    """The completions that stand, by receipt."""
    found = lookup(
        "SELECT completion_receipt_id, learner_profile_id, course_id, at, voided_at FROM training_completion"
        " WHERE organization_id = %s AND completion_receipt_id = ANY(%s)",
        organization_id,
        receipt_ids,
    )
    return {receipt_id: StoredCompletion(*row) for receipt_id, row in found.items()}


def record_course_completed(batch: Batch[CourseCompleted]) -> None:
    """People complete releases, or lessons that were shared by themselves."""
    organization_id = batch.organization_id
    once(
        batch,
        "completion_receipt_id",
        lambda line: line.completion_receipt_id,
        lambda ids: completions(organization_id, ids),
    )
    living_profiles(batch)
    releases = releases_stand(batch, lambda line: line.course_release_id)
    named = {line.lesson_release_id for _, line, _ in batch.standing() if line.lesson_release_id is not None}
    known = lessons(organization_id, named)
    if named.difference(known):
        for staged in batch.standing():
            if staged.line.lesson_release_id is not None and staged.line.lesson_release_id not in known:
                batch.refuse(staged, Why.UNRESOLVED, "lesson_release_id: the company knows no such lesson.")
    rows = []
    for _, line, _ in batch.standing():
        course_id = (
            releases[line.course_release_id].course_id
            if line.course_release_id is not None
            else known[line.lesson_release_id][0]  # type: ignore[index]
        )
        rows.append(
            (
                line.completion_receipt_id,
                line.learner_profile_id,
                course_id,
                line.course_release_id,
                line.lesson_release_id,
                line.at,
                line.assessed,
            )
        )
    append(
        "training_completion",
        organization_id,
        {
            "completion_receipt_id": "uuid",
            "learner_profile_id": "uuid",
            "course_id": "uuid",
            "course_release_id": "uuid",
            "lesson_release_id": "uuid",
            "at": "timestamptz",
            "assessed": "boolean",
        },
        rows,
    )
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, (row[1:3] for row in rows))


def record_completion_voided(batch: Batch[CompletionVoided]) -> None:
    """Completions are declared void."""
    found = completions(batch.organization_id, {line.completion_receipt_id for _, line, _ in batch.lines})
    erased = profiles(batch.organization_id, (each.learner_profile_id for each in found.values()))
    for staged in batch.lines:
        completion = found.get(staged.line.completion_receipt_id)
        if completion is None:
            batch.refuse(staged, Why.UNRESOLVED, "completion_receipt_id: the company knows no such completion.")
        elif erased.get(completion.learner_profile_id):
            batch.refuse(staged, Why.ERASED, "The person was erased; erased profiles accept no facts.")
        elif completion.voided_at is not None:
            batch.refuse(staged, Why.RULE, "The completion has been voided already.")
        elif staged.line.at < completion.at:
            batch.refuse(staged, Why.RULE, "The completion did not exist at that moment.")
    first = earliest_per(batch, lambda line: line.completion_receipt_id, "The completion has been voided already.")
    for receipt_id in first:
        batch.subject(SubjectKind.PERSON_COURSE, found[receipt_id].learner_profile_id, found[receipt_id].course_id)
    if first:
        sql.execute(
            "UPDATE training_completion AS t SET voided_at = x.at, voided_by = x.actor"
            " FROM unnest(%s::uuid[], %s::timestamptz[], %s::uuid[]) AS x(receipt, at, actor)"
            " WHERE t.organization_id = %s AND t.completion_receipt_id = x.receipt",
            (
                list(first),
                [staged.line.at for staged in first.values()],
                [staged.line.actor_id for staged in first.values()],
                batch.organization_id,
            ),
        )


def record_obligation_changed(batch: Batch[ObligationChanged]) -> None:
    """Administrators waive, reinstate and set deadlines; whether they may is judged in judging.py."""
    once(
        batch,
        "obligation_change_id",
        lambda line: line.obligation_change_id,
        lambda ids: lookup(
            "SELECT obligation_change_id, true FROM training_obligationchange"
            " WHERE organization_id = %s AND obligation_change_id = ANY(%s)",
            batch.organization_id,
            ids,
        ),
    )
    living_profiles(batch)
    courses_stand(batch)
    standing = batch.standing()
    append(
        "training_obligationchange",
        batch.organization_id,
        {
            "obligation_change_id": "bigint",
            "learner_profile_id": "uuid",
            "course_id": "uuid",
            "at": "timestamptz",
            "change": "text",
            "reason_code": "text",
            "due_at": "timestamptz",
            "actor_id": "uuid",
        },
        [
            (
                line.obligation_change_id,
                line.learner_profile_id,
                line.course_id,
                line.at,
                line.change,
                line.reason_code,
                line.due_at,
                line.actor_id,
            )
            for _, line, _ in standing
        ],
    )
    _subjects(batch)


def record_reminder_sent(batch: Batch[ReminderSent]) -> None:
    """People are reminded of courses."""
    living_profiles(batch)
    courses_stand(batch)
    append(
        "training_reminder",
        batch.organization_id,
        {"fact_id": "uuid", "learner_profile_id": "uuid", "course_id": "uuid", "at": "timestamptz"},
        [(line.fact_id, line.learner_profile_id, line.course_id, line.at) for _, line, _ in batch.standing()],
    )
    _subjects(batch)


def _subjects(batch: Batch[Any]) -> None:
    batch.subjects_of_pairs(
        SubjectKind.PERSON_COURSE, ((line.learner_profile_id, line.course_id) for _, line, _ in batch.standing())
    )
