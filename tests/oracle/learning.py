"""How many training records people owe and have completed, by the oracle of owed learning."""

from datetime import datetime
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.rules.owed_learning.facts import (
    Completion,
    CourseFacts,
    Deadline,
    DoingFacts,
    Employment,
    LearnerFacts,
    Membership,
    Release,
    Share,
    ShareStep,
)
from compliance.rules.vocabulary import Requirement
from tests.oracle import owed_learning
from tests.oracle.recorded import Recorded
from tests.oracle.status import Status, erased_at, facts_about, story


def counts(recorded: Recorded, learner: UUID, moment: datetime) -> tuple[int, int]:
    """How many records a person owes at a moment, and how many are completed. Stories have no waivers."""
    facts = recorded.once(("learning", learner), lambda: _facts(recorded, learner))
    rows = [
        row
        for course in facts.courses
        for row in owed_learning.training_records(facts, learner, course, moment)
        if row["ended_at"] is None
    ]
    owed = sum(row["requirement"] == "required" and row["completed_at"] is None for row in rows)
    return owed, sum(row["completed_at"] is not None for row in rows)


def _facts(recorded: Recorded, learner: UUID) -> owed_learning.Facts:
    left = {line.person_id: line.at for line in recorded.of(kinds.EmployeeLeft)}
    stays = [
        Employment(line.person_id, line.at, left.get(line.person_id), line.staff_practice)
        for line in recorded.of(kinds.EmployeeJoined, learner_profile_id=learner)
    ]
    courses = {line.course_id: _course(recorded, line.course_id) for line in recorded.of(kinds.CourseCreated)}
    return owed_learning.Facts(
        recorded.organization_id,
        recorded.zone,
        courses,
        {learner: LearnerFacts(learner, tuple(stays), _memberships(recorded, learner), erased_at(recorded, learner))},
        {(learner, course): _done(recorded, learner, facts) for course, facts in courses.items()},
    )


def _memberships(recorded: Recorded, learner: UUID) -> tuple[Membership, ...]:
    """The periods of membership in teams."""
    stretches: list[Membership] = []
    before = Status()
    for at, present in story(recorded, facts_about(recorded.facts, learner)) or []:
        stretches = [
            stretch._replace(until=at) if stretch.until is None and stretch.team_id not in present.teams else stretch
            for stretch in stretches
        ]
        stretches += [Membership(team, at) for team in present.teams - before.teams]
        before = present
    return tuple(stretches)


def _done(recorded: Recorded, learner: UUID, course: CourseFacts) -> DoingFacts:
    releases = {release.course_release_id for release in course.releases}
    return DoingFacts(
        tuple(
            Completion(line.completion_receipt_id, line.at, line.course_release_id)
            for line in recorded.of(kinds.CourseCompleted, learner_profile_id=learner)
            if line.course_release_id in releases
        )
    )


def _course(recorded: Recorded, course: UUID) -> CourseFacts:
    releases = recorded.of(kinds.ReleasePublished, course_id=course)
    shares = recorded.of(kinds.CourseShared, course_id=course)
    return CourseFacts(
        course,
        tuple(Release(line.course_release_id, line.version, line.at, None, line.retake) for line in releases),
        tuple(Share(line.share_id, (_step(line),)) for line in shares),
    )


def _step(line: kinds.CourseShared) -> ShareStep:
    audience = line.audience
    people, teams = frozenset(audience.learner_profile_ids or ()), frozenset(audience.team_ids or ())
    return ShareStep(
        line.at,
        frozenset(line.doors),
        Requirement(line.requirement),
        Deadline(),
        bool(audience.everyone),
        teams,
        people,
    )
