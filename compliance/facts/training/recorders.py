"""Recorders of completions, changes of obligations and reminders. Live sessions have a module of their own."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses.recorders import lessons
from compliance.facts.courses.resolving import refuse_unknown_courses, refuse_unknown_releases
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import (
    CompletionVoided,
    CourseCompleted,
    ObligationChanged,
    ReminderSent,
)
from compliance.facts.people.resolving import earliest_per, living_profiles, once_in, profiles
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import keep, lock, lookup, update
from compliance.facts.training.models import Completion, ObligationChange, Reminder
from compliance.tenancy import sql


class StoredCompletion(NamedTuple):
    """A completion as stored."""

    learner_profile_id: uuid.UUID
    course_id: uuid.UUID
    at: datetime
    voided_at: datetime | None


def completions(organization_id: uuid.UUID, receipt_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredCompletion]:
    """The completions that exist, by receipt."""
    found = lookup(
        "SELECT completion_receipt_id, learner_profile_id, course_id, at, voided_at FROM training_completion"
        " WHERE organization_id = %s AND completion_receipt_id = ANY(%s)",
        organization_id,
        receipt_ids,
    )
    return {receipt_id: StoredCompletion(*row) for receipt_id, row in found.items()}


def record_course_completed(batch: Batch[CourseCompleted]) -> None:
    """Records completions of releases, or of lessons that were shared by themselves."""
    organization_id = batch.organization_id
    once_in(batch, Completion, "completion_receipt_id")
    living_profiles(batch)
    releases = refuse_unknown_releases(batch, lambda line: line.course_release_id)
    named = {line.lesson_release_id for line in batch.accepted_lines() if line.lesson_release_id is not None}
    known = lessons(organization_id, named)
    if named.difference(known):
        for staged in batch.accepted():
            if staged.line.lesson_release_id is not None and staged.line.lesson_release_id not in known:
                batch.refuse(staged, RefusalReason.UNRESOLVED, "lesson_release_id: the company knows no such lesson.")
    lines = batch.accepted_lines()
    course_ids = [
        releases[line.course_release_id].course_id
        if line.course_release_id
        else known[line.lesson_release_id].course_id  # type: ignore[index]
        for line in lines
    ]
    keep(Completion, organization_id, lines, course_id=course_ids)
    people = (line.learner_profile_id for line in lines)
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, zip(people, course_ids, strict=True))


def move_completions(
    organization_id: uuid.UUID, course_of: Mapping[uuid.UUID, uuid.UUID]
) -> set[tuple[uuid.UUID, uuid.UUID]]:
    """Moves completions of lessons to the courses to which the lessons (lesson_release_id: course_id) belong now.

    Call it after `move_lessons`, so that no completion is recorded under the former course meanwhile. Returns the
    learners of these completions, each with the former and with the new course.
    """
    if not course_of:
        return set()
    lesson_ids, course_ids = list(course_of), list(course_of.values())
    found = sql.fetch(
        "SELECT t.learner_profile_id, t.course_id, x.course_id FROM training_completion t"
        " JOIN unnest(%s::uuid[], %s::uuid[]) AS x (lesson_release_id, course_id)"
        " ON t.lesson_release_id = x.lesson_release_id AND t.course_id <> x.course_id"
        " WHERE t.organization_id = (SELECT %s::uuid)",
        (lesson_ids, course_ids, organization_id),
    )
    if found:
        update(
            "training_completion",
            organization_id,
            {"lesson_release_id": "uuid", "course_id": "uuid"},
            "course_id = x.course_id",
            "t.lesson_release_id = x.lesson_release_id AND t.course_id <> x.course_id",
            list(course_of.items()),
        )
    return {(learner, course_id) for learner, *courses in found for course_id in courses}


def record_completion_voided(batch: Batch[CompletionVoided]) -> None:
    """Records that completions were declared void."""
    receipt_ids = {line.completion_receipt_id for _, line, _ in batch.lines}
    lock(Completion, batch.organization_id, "completion_receipt_id", receipt_ids)
    found = completions(batch.organization_id, receipt_ids)
    erased = profiles(batch.organization_id, (each.learner_profile_id for each in found.values()))
    for staged in batch.lines:
        completion = found.get(staged.line.completion_receipt_id)
        if completion is None:
            batch.refuse(
                staged, RefusalReason.UNRESOLVED, "completion_receipt_id: the company knows no such completion."
            )
        elif erased.get(completion.learner_profile_id):
            batch.refuse(staged, RefusalReason.ERASED, "The person was erased; erased profiles accept no facts.")
        elif completion.voided_at is not None:
            batch.refuse(staged, RefusalReason.RULE, "The completion has been voided already.")
        elif staged.line.at < completion.at:
            batch.refuse(staged, RefusalReason.RULE, "The completion did not exist at that moment.")
        else:
            batch.refuse_after_erasure(staged, completion.learner_profile_id)
    first = earliest_per(batch, lambda line: line.completion_receipt_id, "The completion has been voided already.")
    for receipt_id in first:
        batch.subject(SubjectKind.PERSON_COURSE, found[receipt_id].learner_profile_id, found[receipt_id].course_id)
    update(
        "training_completion",
        batch.organization_id,
        {"receipt": "uuid", "at": "timestamptz", "actor": "uuid"},
        "voided_at = x.at, voided_by = x.actor",
        "t.completion_receipt_id = x.receipt",
        [(receipt_id, staged.line.at, staged.line.actor_id) for receipt_id, staged in first.items()],
    )


def record_obligation_changed(batch: Batch[ObligationChanged]) -> Iterator[None]:
    """Records waivers, reinstatements and deadlines; validating.py decides whether they are possible."""
    numbers = batch.unwritten["obligation_change_id"]
    once_in(batch, ObligationChange, "obligation_change_id", numbers)
    living_profiles(batch)
    refuse_unknown_courses(batch)
    numbers.update((line.obligation_change_id, line) for line in batch.accepted_lines())
    yield
    keep(ObligationChange, batch.organization_id, batch.accepted_lines())
    _subjects(batch)


def record_reminder_sent(batch: Batch[ReminderSent]) -> None:
    """Records that people were reminded of courses."""
    living_profiles(batch)
    refuse_unknown_courses(batch)
    keep(Reminder, batch.organization_id, batch.accepted_lines())
    _subjects(batch)


def _subjects(batch: Batch[Any]) -> None:
    pairs = [(line.learner_profile_id, line.course_id) for line in batch.accepted_lines()]
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, pairs)
