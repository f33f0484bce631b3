"""A shortcut for plain decisions, which are nearly all of them.

A decision is plain if there is one share that was never changed, one release that was never withdrawn, one employment,
no absence, and at most one completion, which earns nothing and was not voided. `story` gives the same answer; tests
compare the two.

A decision takes 8 microseconds of processor time instead of 40 (22 November 2026). A capture of 25,000 subjects takes
up to two seconds in all; without the shortcut it would take 0.8 s more.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.company_days import end_of_day_after
from compliance.rules.owed_learning.coverage import PreparedCourse, ShareStage
from compliance.rules.owed_learning.decisions import NOTHING_OWED, Decision, RecordContent
from compliance.rules.owed_learning.facts import DoingFacts, LearnerFacts
from compliance.rules.owed_learning.identity import record_id_of, what_is_learned
from compliance.rules.timeline import Timeline, Version
from compliance.rules.vocabulary import DueBasis, EndedReason, Requirement


class PlainCourse(NamedTuple):
    """A course with one release, never withdrawn, and one share of it that was never changed.

    `days` are those of `days_after_added`; `due_at` is a fixed deadline. An optional share has neither.
    """

    course_id: UUID
    release_id: UUID
    learned: str
    stage: ShareStage
    start: datetime
    earns: bool
    days: int | None
    due_at: datetime | None
    due_basis: DueBasis


def plain_course(course: PreparedCourse) -> PlainCourse | None:
    """Return the course as a plain one; None if it is not plain."""
    if len(course.shares) != 1 or course.lessons or len(course.releases) != 1:
        return None
    release, stages = course.releases[0], course.shares[0].stages
    if release.withdrawn_at is not None or len(stages) != 1:
        return None
    stage = stages[0]
    deadline = stage.deadline
    days = due_at = None
    due_basis = DueBasis.NONE
    if stage.required and deadline.basis == DueBasis.SHARE_DEADLINE and deadline.due_at is not None:
        due_at, due_basis = deadline.due_at, DueBasis.SHARE_DEADLINE
    elif stage.required and deadline.basis == DueBasis.DAYS_AFTER_ADDED and deadline.days is not None:
        days, due_basis = deadline.days, DueBasis.DAYS_AFTER_ADDED
    start = max(stage.start, release.published_at)
    course_id, release_id = course.course_id, release.course_release_id
    learned = what_is_learned(course_id, release_id)
    return PlainCourse(course_id, release_id, learned, stage, start, bool(course.editions), days, due_at, due_basis)


def decide(
    organization_id: UUID, zone: str, course: PlainCourse, learner: LearnerFacts, doing: DoingFacts
) -> Decision | None:
    """Decide a plain case; None if the case is not plain."""
    completions, changes, attendances, revocations, corrections = doing
    if changes or attendances or revocations or corrections or len(completions) > 1:
        return None
    learner_profile_id, employments, memberships, erased_at, absences = learner
    if erased_at is not None or absences or len(employments) != 1:
        return None
    _, joined_at, left_at, staff_practice = employments[0]
    if staff_practice:
        return None
    done_at = receipt_id = None
    if completions:
        receipt_id, done_at, release_id, _, _, voided_at, _ = completions[0]
        if voided_at is not None or release_id != course.release_id or course.earns:
            return None
    stage = course.stage
    start, end = max(course.start, joined_at), stage.end
    if left_at is not None and left_at < end:
        end = left_at
    if not stage.everyone and learner_profile_id not in stage.learner_profile_ids:
        inside = [membership for membership in memberships if membership.team_id in stage.team_ids]
        if len(inside) > 1:
            return None
        if not inside:
            return NOTHING_OWED
        _, from_at, until = inside[0]
        start = max(start, from_at)
        if until is not None and until < end:
            end = until
    if start >= end:
        return NOTHING_OWED

    due_at = course.due_at if course.days is None else end_of_day_after(zone, start, course.days)
    requirement = Requirement.REQUIRED if stage.required else Requirement.OPTIONAL
    key = record_id_of(organization_id, learner_profile_id, course.learned)
    content = RecordContent(  # in the order of its fields: keywords would cost a third of the time
        key, learner_profile_id, course.course_id, course.release_id, None, None, requirement, requirement, start,
        due_at, zone, course.due_basis, None, None, None, None, None, None, None, (stage.share.share_id,), stage.doors,
        None, None,
    )  # fmt: skip
    versions: list[Version[RecordContent]] = []
    if done_at is None or done_at > start or done_at >= end:
        versions.append(Version(start, content))
    ended_at = None if end == END else end
    if done_at is not None and done_at < end:
        content = content._replace(completed_at=done_at, completion_receipt_id=receipt_id)
        versions.append(Version(max(start, done_at), content))
        ended_at = left_at
    if ended_at is not None:
        if ended_at == left_at:
            reason = EndedReason.PERSON_LEFT
        else:
            reason = EndedReason.SHARE_ENDED if end == stage.share.ended_at else EndedReason.AUDIENCE_CHANGED
        content = content._replace(requirement=Requirement.NO_LONGER_REQUIRED, ended_at=ended_at, ended_reason=reason)
        versions.append(Version(ended_at, content))
    return Decision((Timeline(key, tuple(versions)),))
