"""Explains why a training record is due when it is: the reckoning of its deadline, as the decider makes it."""

from datetime import datetime
from uuid import UUID

from compliance.rules.owed_learning.decide import Course
from compliance.rules.owed_learning.facts import DoingFacts, LearnerFacts
from compliance.rules.owed_learning.story import Story
from compliance.rules.reckoning import CountedFrom, Reckoning
from compliance.rules.vocabulary import ObligationChangeKind


def reckonings(
    organization_id: UUID, zone: str, course: Course, learner: LearnerFacts, doing: DoingFacts, moment: datetime
) -> dict[UUID, Reckoning]:
    """The reckoning of each record of this learner and course at `moment`, by record_id."""
    story = _Reckoned(organization_id, zone, course, learner, doing, moment)
    story.decide()
    return {record_id: _dated(found, doing, moment) for record_id, found in story.found.items()}


class _Reckoned(Story):
    """The general decider, extended to keep the reckonings of its records up to its moment."""

    def __init__(
        self,
        organization_id: UUID,
        zone: str,
        course: Course,
        learner: LearnerFacts,
        doing: DoingFacts,
        moment: datetime,
    ) -> None:
        super().__init__(organization_id, zone, course.prepared, learner, doing, moment)
        self.found: dict[UUID, Reckoning] = {}

    def _write(self, moment: datetime) -> None:
        super()._write(moment)
        if moment <= self.now:
            self.found.update((record.record_id, record.reckoning) for record in self.records)


def _dated(found: Reckoning, doing: DoingFacts, moment: datetime) -> Reckoning:
    """Add to a personal deadline the moment at which it was set."""
    if found.counted_from is not CountedFrom.PERSONAL:
        return found
    changes = (
        change.at
        for change in doing.changes
        if change.change == ObligationChangeKind.SET_DEADLINE and change.due_at == found.due_at and change.at <= moment
    )
    return found._replace(counted_at=max(changes, default=None))
