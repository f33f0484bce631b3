"""Recorders of shares of courses, lessons and policies: what is owed by whom.

A share's steps keep what each fact stated about it; loading folds them into complete ones.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from compliance.facts.courses.recorders import (
    Lessons,
    StatedLesson,
    keep_lessons,
    lessons,
    move_lessons,
    published_lessons,
)
from compliance.facts.courses.resolving import refuse_unknown_courses
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.lines.kinds import (
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
from compliance.facts.people import resolving
from compliance.facts.recording.batch import Batch
from compliance.facts.refusal_reasons import RefusalReason
from compliance.facts.rows import keep, lock, update
from compliance.facts.shares.models import Share, ShareStep
from compliance.facts.shares.resolving import StoredShare, shares
from compliance.facts.training.recorders import move_completions
from compliance.rules.vocabulary import Requirement
from compliance.tenancy import sql


def record_course_shared(batch: Batch[CourseShared]) -> None:
    """Records shares of courses, each with its first step."""
    _record_shares(batch, "training")


def record_policy_shared(batch: Batch[PolicyShared]) -> None:
    """Records shares of policies, each with its first step."""
    _record_shares(batch, "policy")


def record_lesson_shared(batch: Batch[LessonShared]) -> None:
    """Records shares of single lessons. Completions of the lesson then belong to the course it was shared under.

    The release of a lesson, or its first share, states its version and fingerprint: a share without them is refused
    unless a release has the lesson, and a share with another fingerprint than the known one is refused.
    """
    refuse_unknown_courses(batch)
    known = _lessons_are_stated(batch)
    named = {line.lesson_release_id for _, line, _ in batch.accepted()}
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
    for staged in batch.accepted():
        if course_of.setdefault(staged.line.lesson_release_id, staged.line.course_id) != staged.line.course_id:
            batch.refuse(staged, RefusalReason.RULE, "lesson_release_id: the lesson is shared under another course.")
    _record_shares(batch, "training")
    accepted = batch.accepted()
    courses = keep_lessons(
        batch.organization_id,
        [
            StatedLesson(line.lesson_release_id, line.course_id, line.title, line.at, line.version, line.content_sha256)
            for _, line, _ in accepted
        ],
        known,
    )
    belongs = {line.lesson_release_id: line.course_id for _, line, _ in accepted}
    move_lessons(batch.organization_id, belongs.items())
    moved = {
        lesson_id: course_id
        for lesson_id, course_id in belongs.items()
        if lesson_id in known and known[lesson_id].course_id != course_id
    }
    batch.subjects_of_pairs(SubjectKind.PERSON_COURSE, move_completions(batch.organization_id, moved))
    batch.subjects_of(SubjectKind.COURSE, courses.union(belongs.values()))


def _lessons_are_stated(batch: Batch[LessonShared]) -> Lessons:
    """Refuses lines that state too little or something else about their lesson. Returns the lessons that exist."""
    named = {line.lesson_release_id for _, line, _ in batch.accepted()}
    untold = {
        line.lesson_release_id for _, line, _ in batch.accepted() if line.version is None or line.content_sha256 is None
    }
    published = published_lessons(batch.organization_id, untold)
    stored = lessons(batch.organization_id, named, to_write=True)
    known = {lesson_id: lesson.content_sha256 for lesson_id, lesson in stored.items()}
    for staged in batch.accepted():
        line = staged.line
        if (line.version is None or line.content_sha256 is None) and line.lesson_release_id not in published:
            batch.refuse(
                staged,
                RefusalReason.UNRESOLVED,
                "lesson_release_id: no release of the company has the lesson: tell its version and content_sha256.",
            )
        elif line.content_sha256 is not None:
            before = known.get(line.lesson_release_id)
            if before is not None and before != line.content_sha256:
                batch.refuse(
                    staged, RefusalReason.RULE, "content_sha256: a lesson release never changes, and it was another."
                )
            else:
                known[line.lesson_release_id] = line.content_sha256
    return stored


def record_share_changed(batch: Batch[ShareChanged]) -> None:
    """Records changes of shares."""
    found = _refuse_unknown_shares(batch)
    for staged in batch.accepted():
        share = found[staged.line.share_id]
        if staged.line.at < share.opened_at:
            batch.refuse(staged, RefusalReason.RULE, "The share was not open at that moment.")
        elif staged.line.requirement is not None and share.kind == "policy":
            batch.refuse(staged, RefusalReason.RULE, "requirement: a shared policy has none.")
    _refuse_unknown_audiences(batch)
    lines = batch.accepted_lines()
    _keep_steps(batch.organization_id, lines)
    batch.subjects_of(SubjectKind.SHARE, (line.share_id for line in lines))


def record_share_ended(batch: Batch[ShareEnded]) -> None:
    """Records that shares ended: they cover nobody from `at` on."""
    lock(Share, batch.organization_id, "share_id", {staged.line.share_id for staged in batch.lines})
    found = _refuse_unknown_shares(batch)
    for staged in batch.accepted():
        share = found[staged.line.share_id]
        if share.ended_at is not None:
            batch.refuse(staged, RefusalReason.RULE, "The share has ended already.")
        elif staged.line.at < share.opened_at:
            batch.refuse(staged, RefusalReason.RULE, "The share was not open at that moment.")
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
    resolving.once_in(batch, Share, "share_id")
    refuse_unknown_courses(batch, kind)
    _refuse_unknown_audiences(batch)
    lines = batch.accepted_lines()
    keep(Share, batch.organization_id, lines, opened_at=[line.at for line in lines])
    _keep_steps(batch.organization_id, lines)
    batch.subjects_of(SubjectKind.SHARE, (line.share_id for line in lines))


def _refuse_unknown_shares(batch: Batch[Any]) -> dict[uuid.UUID, StoredShare]:
    found = shares(batch.organization_id, (line.share_id for _, line, _ in batch.lines))
    for staged in batch.lines:
        if staged.line.share_id not in found:
            batch.refuse(staged, RefusalReason.UNRESOLVED, "share_id: the company knows no such share.")
    return found


def _refuse_unknown_audiences(batch: Batch[Any]) -> None:
    """Refuses lines whose audience names an unknown team or person. Erased people are known; they owe nothing."""
    organization_id = batch.organization_id

    def audience(line: Any) -> Audience | None:
        return line.audience

    resolving.refuse_unknown(
        batch,
        "team_ids",
        lambda line: stated.team_ids if (stated := audience(line)) else None,
        lambda ids: resolving.teams(organization_id, ids),
    )
    resolving.refuse_unknown(
        batch,
        "learner_profile_ids",
        lambda line: stated.learner_profile_ids if (stated := audience(line)) else None,
        lambda ids: resolving.profiles(organization_id, ids),
    )


def _keep_steps(organization_id: uuid.UUID, lines: Sequence[Any]) -> None:
    audiences, deadlines = [_audience(line.audience) for line in lines], [_deadline(line.deadline) for line in lines]
    stated: dict[str, Any] = {
        "audience": [audience for audience, _, _ in audiences],
        "team_ids": [team_ids for _, team_ids, _ in audiences],
        "learner_profile_ids": [people for _, _, people in audiences],
        "deadline_basis": [basis for basis, _, _ in deadlines],
        "due_at": [due_at for _, due_at, _ in deadlines],
        "days": [days for _, _, days in deadlines],
    }
    if any(isinstance(line, PolicyShared) for line in lines):
        stated["requirement"] = Requirement.REQUIRED
    keep(ShareStep, organization_id, lines, **stated)


def _audience(stated: Audience | None) -> tuple[str | None, tuple[uuid.UUID, ...] | None, tuple[uuid.UUID, ...] | None]:
    if stated is None:
        return None, None, None
    if stated.everyone:
        return "everyone", None, None
    return ("teams" if stated.team_ids is not None else "people"), stated.team_ids, stated.learner_profile_ids


def _deadline(stated: Deadline | None) -> tuple[str | None, datetime | None, int | None]:
    if stated is None:
        return None, None, None
    return (
        stated.basis,
        stated.due_at if isinstance(stated, FixedDeadline) else None,
        stated.days if isinstance(stated, DaysAfterAdded) else None,
    )
