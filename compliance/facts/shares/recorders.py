"""Recorders of shares of courses, lessons and policies: what is owed by whom (design 3).

A share's steps keep what each fact said of it; whoever loads them folds them into whole ones.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.courses.recorders import LessonSaid, keep_lessons
from compliance.facts.courses.resolving import courses_stand
from compliance.facts.lines import (
    Audience,
    CourseShared,
    DaysAfterAdded,
    Deadline,
    FixedDeadline,
    LessonShared,
    PolicyShared,
    ShareChanged,
    ShareEnded,
)
from compliance.facts.pending.models import SubjectKind
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch, Why
from compliance.facts.recording.rows import append, lookup, update
from compliance.rules.vocabulary import Requirement
from compliance.tenancy import sql


class StoredShare(NamedTuple):
    """A share as stored; `kind` is that of its course."""

    course_id: uuid.UUID
    opened_at: datetime
    ended_at: datetime | None
    kind: str


def shares(organization_id: uuid.UUID, share_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, StoredShare]:
    """The shares that stand."""
    found = lookup(
        "SELECT s.share_id, s.course_id, s.opened_at, s.ended_at, c.kind FROM shares_share s"
        " JOIN courses_course c USING (organization_id, course_id)"
        " WHERE s.organization_id = %s AND s.share_id = ANY(%s)",
        organization_id,
        set(share_ids),
    )
    return {share_id: StoredShare(*row) for share_id, row in found.items()}


def record_course_shared(batch: Batch[CourseShared]) -> None:
    """Courses are shared."""
    _record_shares(batch, "training")


def record_policy_shared(batch: Batch[PolicyShared]) -> None:
    """Policies are shared."""
    _record_shares(batch, "policy")


def record_lesson_shared(batch: Batch[LessonShared]) -> None:
    """Single lessons are shared. From then on completions of the lesson belong to the course it was shared under."""
    courses_stand(batch)
    named = {line.lesson_release_id for _, line, _ in batch.standing()}
    course_of: dict[uuid.UUID, uuid.UUID] = (
        dict(
            sql.fetch(
                "SELECT lesson_release_id, course_id FROM shares_share"
                " WHERE organization_id = %s AND lesson_release_id = ANY(%s)",
                (batch.organization_id, list(named)),
            )
        )
        if named
        else {}
    )
    for staged in batch.standing():
        if course_of.setdefault(staged.line.lesson_release_id, staged.line.course_id) != staged.line.course_id:
            batch.refuse(staged, Why.RULE, "lesson_release_id: the lesson is shared under another course.")
    _record_shares(batch, "training")
    standing = batch.standing()
    keep_lessons(
        batch.organization_id,
        [
            LessonSaid(line.lesson_release_id, line.course_id, line.title, line.at, None, None)
            for _, line, _ in standing
        ],
    )
    update(
        "courses_lesson",
        batch.organization_id,
        {"lesson_release_id": "uuid", "course_id": "uuid"},
        "course_id = x.course_id",
        "t.lesson_release_id = x.lesson_release_id AND t.course_id <> x.course_id",
        [(line.lesson_release_id, line.course_id) for _, line, _ in standing],
    )
    batch.subjects_of(SubjectKind.COURSE, (line.course_id for _, line, _ in standing))


def record_share_changed(batch: Batch[ShareChanged]) -> None:
    """Shares change in what a line speaks of."""
    found = _shares_stand(batch)
    for staged in batch.standing():
        share = found[staged.line.share_id]
        if staged.line.at < share.opened_at:
            batch.refuse(staged, Why.RULE, "The share was not open at that moment.")
        elif staged.line.requirement is not None and share.kind == "policy":
            batch.refuse(staged, Why.RULE, "requirement: a shared policy has none.")
    _audiences_stand(batch)
    standing = batch.standing()
    _append_steps(batch.organization_id, standing)
    batch.subjects_of(SubjectKind.SHARE, (line.share_id for _, line, _ in standing))


def record_share_ended(batch: Batch[ShareEnded]) -> None:
    """Shares end."""
    found = _shares_stand(batch)
    for staged in batch.standing():
        share = found[staged.line.share_id]
        if share.ended_at is not None:
            batch.refuse(staged, Why.RULE, "The share has ended already.")
        elif staged.line.at < share.opened_at:
            batch.refuse(staged, Why.RULE, "The share was not open at that moment.")
    first = resolving.earliest_per(batch, lambda line: line.share_id, "The share has ended already.")
    update(
        "shares_share",
        batch.organization_id,
        {"share_id": "uuid", "at": "timestamptz"},
        "ended_at = x.at",
        "t.share_id = x.share_id",
        [(share_id, staged.line.at) for share_id, staged in first.items()],
    )
    batch.subjects_of(SubjectKind.SHARE, first)


def _record_shares(batch: Batch[Any], kind: str) -> None:
    organization_id = batch.organization_id
    resolving.once(batch, "share_id", lambda line: line.share_id, lambda ids: _taken(organization_id, ids))
    courses_stand(batch, kind)
    _audiences_stand(batch)
    standing = batch.standing()
    append(
        "shares_share",
        organization_id,
        {"share_id": "uuid", "course_id": "uuid", "lesson_release_id": "uuid", "opened_at": "timestamptz"},
        [(line.share_id, line.course_id, getattr(line, "lesson_release_id", None), line.at) for _, line, _ in standing],
    )
    _append_steps(organization_id, standing)
    batch.subjects_of(SubjectKind.SHARE, (line.share_id for _, line, _ in standing))


def _taken(organization_id: uuid.UUID, share_ids: set[uuid.UUID]) -> dict[Any, Any]:
    return lookup(
        "SELECT share_id, true FROM shares_share WHERE organization_id = %s AND share_id = ANY(%s)",
        organization_id,
        share_ids,
    )


def _shares_stand(batch: Batch[Any]) -> dict[uuid.UUID, StoredShare]:
    found = shares(batch.organization_id, (line.share_id for _, line, _ in batch.lines))
    for staged in batch.lines:
        if staged.line.share_id not in found:
            batch.refuse(staged, Why.UNRESOLVED, "share_id: the company knows no such share.")
    return found


def _audiences_stand(batch: Batch[Any]) -> None:
    """Refuses lines whose audience names a team or a person that does not stand; the erased, who owe nothing, do."""
    organization_id = batch.organization_id

    def audience(line: Any) -> Audience | None:
        return line.audience

    resolving.all_standing(
        batch,
        "team_ids",
        lambda line: said.team_ids if (said := audience(line)) else None,
        lambda ids: resolving.teams(organization_id, ids),
    )
    resolving.all_standing(
        batch,
        "learner_profile_ids",
        lambda line: said.learner_profile_ids if (said := audience(line)) else None,
        lambda ids: resolving.profiles(organization_id, ids),
    )


def _append_steps(organization_id: uuid.UUID, standing: Iterable[Any]) -> None:
    append(
        "shares_sharestep",
        organization_id,
        {
            "fact_id": "uuid",
            "share_id": "uuid",
            "at": "timestamptz",
            "doors": "text[]",
            "audience": "text",
            "team_ids": "uuid[]",
            "learner_profile_ids": "uuid[]",
            "requirement": "text",
            "deadline_basis": "text",
            "due_at": "timestamptz",
            "days": "integer",
        },
        [
            (
                line.fact_id,
                line.share_id,
                line.at,
                line.doors,
                *_audience(line.audience),
                Requirement.REQUIRED if isinstance(line, PolicyShared) else line.requirement,
                *_deadline(line.deadline),
            )
            for _, line, _ in standing
        ],
    )


def _audience(said: Audience | None) -> tuple[str | None, tuple[uuid.UUID, ...] | None, tuple[uuid.UUID, ...] | None]:
    if said is None:
        return None, None, None
    if said.everyone:
        return "everyone", None, None
    return ("teams" if said.team_ids is not None else "people"), said.team_ids, said.learner_profile_ids


def _deadline(said: Deadline | None) -> tuple[str | None, datetime | None, int | None]:
    if said is None:
        return None, None, None
    return (
        said.basis,
        said.due_at if isinstance(said, FixedDeadline) else None,
        said.days if isinstance(said, DaysAfterAdded) else None,
    )
