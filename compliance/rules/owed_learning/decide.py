"""The decider of owed learning, shared by the API, the console, exports and the sweep."""

from datetime import datetime
from uuid import UUID

from compliance.rules.owed_learning import plain
from compliance.rules.owed_learning.coverage import PreparedCourse
from compliance.rules.owed_learning.decisions import Decision
from compliance.rules.owed_learning.facts import CourseFacts, DoingFacts, LearnerFacts
from compliance.rules.owed_learning.story import Story


class Course:
    """A course prepared for deciding any number of learners."""

    __slots__ = ("plain", "prepared")

    def __init__(self, facts: CourseFacts) -> None:
        self.prepared = PreparedCourse(facts)
        self.plain = plain.plain_course(self.prepared)


def prepare(facts: CourseFacts) -> Course:
    """Prepare a course's facts once, for `decide` with each of its learners."""
    return Course(facts)


def decide(
    organization_id: UUID, zone: str, course: Course, learner: LearnerFacts, doing: DoingFacts, now: datetime
) -> Decision:
    """What `learner` owes for `course`, as timelines, and which certificates they hold.

    `zone` is the company's IANA time zone. `now` only limits what depends on the clock (renewals that opened); facts
    count regardless of their moment. Pure: the same facts in any order give the same answer.
    """
    if course.plain is not None:
        decision = plain.decide(organization_id, zone, course.plain, learner, doing)
        if decision is not None:
            return decision
    return decide_by_story(organization_id, zone, course, learner, doing, now)


def decide_by_story(
    organization_id: UUID, zone: str, course: Course, learner: LearnerFacts, doing: DoingFacts, now: datetime
) -> Decision:
    """The same answer, always by the general decider, without the shortcut."""
    return Story(organization_id, zone, course.prepared, learner, doing, now).decide()
