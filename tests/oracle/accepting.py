"""What a company lets itself be told next: docs/facts-file.md#what-is-refused, for the facts of random companies."""

from typing import Any
from uuid import UUID

from compliance.facts import lines
from compliance.facts.lines import FactLine
from tests.oracle import receipts, standing
from tests.oracle.told import Told

JOININGS = lines.EmployeeJoined | lines.ContactJoined
IDENTIFIERS: dict[str, Any] = {
    "team_id": lines.TeamCreated,
    "person_id": lines.EmployeeJoined,
    "invitation_id": lines.PersonInvited,
    "learner_profile_id": JOININGS,
    "course_id": lines.CourseCreated | lines.PolicyPublished,
    "course_release_id": lines.ReleasePublished | lines.PolicyPublished,
    "absence_id": lines.AbsenceRecorded,
    "share_id": lines.CourseShared | lines.PolicyShared,
}
"""Which facts make an identifier known."""


def accepts(told: Told, line: FactLine) -> bool:
    """Whether one fact more is recorded."""
    return knows(told, line) and _possible(told, line)


def knows(told: Told, line: FactLine) -> bool:
    """Whether all that a fact refers to is known."""
    named: list[tuple[str, UUID]] = []
    for name, kinds in IDENTIFIERS.items():
        value = getattr(line, name, None)
        if value is not None and not isinstance(line, kinds):
            named.append((name, value))
    teams: tuple[UUID, ...] = getattr(line, "team_ids", None) or ()
    learners: tuple[UUID, ...] = ()
    audience = getattr(line, "audience", None)
    if audience is not None:
        teams, learners = audience.team_ids or (), audience.learner_profile_ids or ()
    named += [("team_id", team) for team in teams] + [("learner_profile_id", learner) for learner in learners]
    return all(
        any(isinstance(fact, IDENTIFIERS[name]) and getattr(fact, name) == value for fact in told.facts)
        for name, value in named
    )


def _possible(told: Told, line: FactLine) -> bool:
    match line:
        case lines.PolicyPublished():
            return receipts.may_publish(told, line)
        case lines.PolicySigned():
            return receipts.may_sign(told, line)
        case lines.ShareChanged() | lines.ShareEnded():
            opened = told.of(lines.PolicyShared, share_id=line.share_id)[0].at
            ended = isinstance(line, lines.ShareEnded) and told.of(lines.ShareEnded, share_id=line.share_id)
            return line.at >= opened and not ended
        case lines.AbsenceVoided():
            absence = told.of(lines.AbsenceRecorded, absence_id=line.absence_id)[0]
            void = told.of(lines.AbsenceVoided, absence_id=line.absence_id)
            erased = standing.erased_at(told, absence.learner_profile_id) is not None
            return line.at >= absence.at and not void and not erased
        case lines.CourseCompleted() | lines.AbsenceRecorded():
            return standing.erased_at(told, line.learner_profile_id) is None
        case lines.TeamCreated() | lines.CourseCreated() | lines.ReleasePublished():
            return True
        case lines.CourseShared() | lines.PolicyShared() | lines.PersonInvited():
            return True
    return standing.accepts(told, line)
