"""Which fact a company accepts next: docs/facts-file.md#what-is-refused, for the facts of random companies."""

from typing import Any
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.facts.lines.kinds import FactLine
from tests.oracle import receipts, status
from tests.oracle.recorded import Recorded

JOININGS = kinds.EmployeeJoined | kinds.ContactJoined
IDENTIFIERS: dict[str, Any] = {
    "team_id": kinds.TeamCreated,
    "person_id": kinds.EmployeeJoined,
    "invitation_id": kinds.PersonInvited,
    "learner_profile_id": JOININGS,
    "course_id": kinds.CourseCreated | kinds.PolicyPublished,
    "course_release_id": kinds.ReleasePublished | kinds.PolicyPublished,
    "absence_id": kinds.AbsenceRecorded,
    "share_id": kinds.CourseShared | kinds.PolicyShared,
}
"""The kinds of fact that introduce each identifier."""


def accepts(recorded: Recorded, line: FactLine) -> bool:
    """Whether one more fact is recorded."""
    return knows(recorded, line) and _possible(recorded, line)


def knows(recorded: Recorded, line: FactLine) -> bool:
    """Whether everything that a fact refers to is known."""
    named: list[tuple[str, UUID]] = []
    for name, origins in IDENTIFIERS.items():
        value = getattr(line, name, None)
        if value is not None and not isinstance(line, origins):
            named.append((name, value))
    teams: tuple[UUID, ...] = getattr(line, "team_ids", None) or ()
    learners: tuple[UUID, ...] = ()
    audience = getattr(line, "audience", None)
    if audience is not None:
        teams, learners = audience.team_ids or (), audience.learner_profile_ids or ()
    named += [("team_id", team) for team in teams] + [("learner_profile_id", learner) for learner in learners]
    return all(
        any(isinstance(fact, IDENTIFIERS[name]) and getattr(fact, name) == value for fact in recorded.facts)
        for name, value in named
    )


def _possible(recorded: Recorded, line: FactLine) -> bool:
    match line:
        case kinds.PolicyPublished():
            return receipts.may_publish(recorded, line)
        case kinds.PolicySigned():
            return receipts.may_sign(recorded, line)
        case kinds.ShareChanged() | kinds.ShareEnded():
            opened = recorded.of(kinds.PolicyShared, share_id=line.share_id)[0].at
            ended = isinstance(line, kinds.ShareEnded) and recorded.of(kinds.ShareEnded, share_id=line.share_id)
            return line.at >= opened and not ended
        case kinds.AbsenceVoided():
            absence = recorded.of(kinds.AbsenceRecorded, absence_id=line.absence_id)[0]
            void = recorded.of(kinds.AbsenceVoided, absence_id=line.absence_id)
            erased = status.erased_at(recorded, absence.learner_profile_id) is not None
            return line.at >= absence.at and not void and not erased
        case kinds.CourseCompleted() | kinds.AbsenceRecorded():
            return status.erased_at(recorded, line.learner_profile_id) is None
        case kinds.TeamCreated() | kinds.CourseCreated() | kinds.ReleasePublished():
            return True
        case kinds.CourseShared() | kinds.PolicyShared() | kinds.PersonInvited():
            return True
    return status.accepts(recorded, line)
