"""The one decider of owed learning that API, console, exports and sweep share (design 4).

Nearly every decision is a plain one: one share, one release, one employment, at most one completion that earns nothing
and that nobody touched. Those are answered here directly; everything else is told as a story (`story`), which answers
the plain ones too, only slower. The tests hold the two to the same answers.
"""

from datetime import datetime
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.company_days import end_of_day_after
from compliance.rules.owed_learning.coverage import PreparedCourse, ShareStage
from compliance.rules.owed_learning.decisions import (
    NOTHING_OWED,
    Decision,
    RecordContent,
    RecordTimeline,
    RecordVersion,
)
from compliance.rules.owed_learning.facts import CourseFacts, DoingFacts, LearnerFacts
from compliance.rules.owed_learning.identity import record_id_named, record_name_after_learner
from compliance.rules.owed_learning.story import Story
from compliance.rules.vocabulary import DueBasis, EndedReason, Requirement


class Course:
    """A course made ready for any number of learners."""

    __slots__ = ("plain", "prepared")

    def __init__(self, facts: CourseFacts) -> None:
        self.prepared = PreparedCourse(facts)
        self.plain = _plain_course(self.prepared)


class PlainCourse:
    """A course with one release, never withdrawn, and one share of it that was never changed."""

    __slots__ = (
        "course_id",
        "days",
        "doors",
        "due_at",
        "due_basis",
        "end",
        "everyone",
        "name_after_learner",
        "release_id",
        "requirement",
        "share_ids",
        "stage",
        "start",
    )

    def __init__(self, course: PreparedCourse, stage: ShareStage) -> None:
        self.course_id = course.course_id
        self.release_id = course.releases[0].course_release_id
        self.stage = stage
        self.start = max(stage.start, course.releases[0].published_at)
        self.end = stage.end
        self.share_ids = (stage.share.share_id,)
        self.requirement = Requirement.REQUIRED if stage.required else Requirement.OPTIONAL
        self.name_after_learner = record_name_after_learner(self.course_id, self.release_id)
        self.doors = stage.doors
        self.everyone = stage.everyone
        self.days: int | None = None
        self.due_at: datetime | None = None
        self.due_basis = DueBasis.NONE
        if stage.required and stage.deadline.basis == DueBasis.SHARE_DEADLINE and stage.deadline.due_at is not None:
            self.due_at, self.due_basis = stage.deadline.due_at, DueBasis.SHARE_DEADLINE
        elif stage.required and stage.deadline.basis == DueBasis.DAYS_AFTER_ADDED and stage.deadline.days is not None:
            self.days, self.due_basis = stage.deadline.days, DueBasis.DAYS_AFTER_ADDED


def prepare(facts: CourseFacts) -> Course:
    """Fold a course's facts once, for `decide` with each of its learners."""
    return Course(facts)


def decide(
    organization_id: UUID, zone: str, course: Course, learner: LearnerFacts, doing: DoingFacts, now: datetime
) -> Decision:
    """What `learner` owes of `course`, as timelines, and which certificates they hold.

    `zone` is the company's IANA time zone. `now` only limits what the clock has brought into being (renewals that
    opened); facts count whatever their moment. Pure: the same facts in any order give the same answer.
    """
    plain = course.plain
    if plain is not None:
        decision = _decide_plain(organization_id, zone, course, plain, learner, doing)
        if decision is not None:
            return decision
    return Story(organization_id, zone, course.prepared, learner, doing, now).decide()


def decide_by_story(
    organization_id: UUID, zone: str, course: Course, learner: LearnerFacts, doing: DoingFacts, now: datetime
) -> Decision:
    """The same answer, always by the general way."""
    return Story(organization_id, zone, course.prepared, learner, doing, now).decide()


def _plain_course(course: PreparedCourse) -> PlainCourse | None:
    if len(course.shares) != 1 or course.lessons or len(course.releases) != 1:
        return None
    if course.releases[0].withdrawn_at is not None or len(course.shares[0].stages) != 1:
        return None
    return PlainCourse(course, course.shares[0].stages[0])


def _decide_plain(
    organization_id: UUID, zone: str, course: Course, plain: PlainCourse, learner: LearnerFacts, doing: DoingFacts
) -> Decision | None:
    """The answer to a plain question; None if the question is not plain."""
    completions, changes, attendances, revocations, corrections = doing
    if changes or attendances or revocations or corrections or len(completions) > 1:
        return None
    learner_profile_id, employments, memberships, erased_at = learner
    if erased_at is not None or len(employments) != 1:
        return None
    _, joined_at, left_at, staff_practice = employments[0]
    if staff_practice:
        return None
    done_at = receipt_id = None
    if completions:
        receipt_id, done_at, release_id, _, _, voided_at, _ = completions[0]
        if voided_at is not None or release_id != plain.release_id or course.prepared.editions:
            return None
    start, end = plain.start, plain.end
    if joined_at > start:
        start = joined_at
    if left_at is not None and left_at < end:
        end = left_at
    if not plain.everyone and learner_profile_id not in plain.stage.learner_profile_ids:
        team_ids = plain.stage.team_ids
        found = None
        for membership in memberships:
            if membership[0] in team_ids:
                if found is not None:
                    return None
                found = membership
        if found is None:
            return NOTHING_OWED
        _, from_at, until = found
        if from_at > start:
            start = from_at
        if until is not None and until < end:
            end = until
    if start >= end:
        return NOTHING_OWED

    due_at = plain.due_at
    if plain.days is not None:
        due_at = end_of_day_after(zone, start, plain.days)
    key = record_id_named(organization_id.bytes, learner_profile_id, plain.name_after_learner)
    completed_in_time = done_at is not None and done_at < end
    ended_at = left_at if completed_in_time else (None if end == END else end)
    reason = None if ended_at is None else _reason(plain, left_at, ended_at)
    versions: list[RecordVersion] = []
    if done_at is None or done_at > start or not completed_in_time:
        versions.append(_version(start, plain, key, learner_profile_id, start, due_at, zone, None, None, None, None))
    if completed_in_time and done_at is not None:
        since = done_at if done_at > start else start
        versions.append(
            _version(since, plain, key, learner_profile_id, start, due_at, zone, done_at, receipt_id, None, None)
        )
    else:
        done_at = receipt_id = None
    if ended_at is not None:
        versions.append(
            _version(
                ended_at, plain, key, learner_profile_id, start, due_at, zone, done_at, receipt_id, ended_at, reason
            )
        )
    return Decision((RecordTimeline(key, tuple(versions)),))


def _version(
    valid_from: datetime,
    plain: PlainCourse,
    key: UUID,
    learner_profile_id: UUID,
    assigned_at: datetime,
    due_at: datetime | None,
    zone: str,
    completed_at: datetime | None,
    receipt_id: UUID | None,
    ended_at: datetime | None,
    reason: EndedReason | None,
) -> RecordVersion:
    # In the order of RecordContent: keywords would cost a third of the time.
    requirement = plain.requirement
    return RecordVersion(
        valid_from,
        RecordContent(
            key,
            learner_profile_id,
            plain.course_id,
            plain.release_id,
            None,
            None,
            requirement if ended_at is None else Requirement.NO_LONGER_REQUIRED,
            requirement,
            assigned_at,
            due_at,
            zone,
            plain.due_basis,
            completed_at,
            receipt_id,
            ended_at,
            reason,
            None,
            None,
            None,
            plain.share_ids,
            plain.doors,
            None,
            None,
        ),
    )


def _reason(plain: PlainCourse, left_at: datetime | None, end: datetime) -> EndedReason:
    if end == left_at:
        return EndedReason.PERSON_LEFT
    return EndedReason.SHARE_ENDED if end == plain.stage.share.ended_at else EndedReason.AUDIENCE_CHANGED
