"""A plain implementation of docs/rules.md#people: the status of people, and which facts about them are possible.

status(recorded, learner, moment) -> the status of a person: stay, suspension, doors, teams
accepts(recorded, line) -> whether one more fact about people is possible after those recorded
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby, permutations
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.facts.lines.kinds import FactLine
from tests.oracle.recorded import Recorded

ABOUT_PEOPLE = (
    kinds.EmployeeJoined, kinds.EmployeeLeft, kinds.EmployeeSuspended, kinds.EmployeeResumed,
    kinds.ContactJoined, kinds.ContactLeft, kinds.TeamJoined, kinds.TeamLeft, kinds.PersonErased,
)  # fmt: skip


@dataclass(frozen=True)
class Status:
    """The status of a person. `companies`: by the door of a partner or customer, where they come from."""

    stay: kinds.EmployeeJoined | None = None
    suspended: bool = False
    companies: dict[str, str] = field(default_factory=dict)
    teams: frozenset[UUID] = frozenset()
    invitations: dict[UUID | None, str] = field(default_factory=dict)
    erased: bool = False

    @property
    def doors(self) -> tuple[str, ...]:
        """The doors open to them, in the order of the rules. In practice a partner or customer is no employee."""
        employed = self.stay is not None and not self.stay.staff_practice
        here = () if self.erased else (*self.companies, *(["employee"] if employed else []))
        return tuple(door for door in ("employee", "partner", "customer") if door in here)


def after(recorded: Recorded, status: Status, line: FactLine) -> Status | None:
    """The status of a person after one fact; None where the fact is impossible."""
    person_id = status.stay.person_id if status.stay else None
    match line:
        case kinds.PersonErased():
            return replace(status, erased=True)
        case kinds.EmployeeJoined(invitation_id=invitation) if status.stay is None:
            if status.invitations.get(invitation) in ("accepted", "revoked"):
                return None
            known = status.invitations | ({invitation: "accepted"} if invitation else {})
            together = status.teams.union(teams_brought(recorded, line))
            return replace(status, stay=line, suspended=False, invitations=known, teams=together)
        case kinds.EmployeeLeft() if line.person_id == person_id:
            return replace(status, stay=None, suspended=False)
        case kinds.EmployeeSuspended() if line.person_id == person_id and not status.suspended:
            return replace(status, suspended=True)
        case kinds.EmployeeResumed() if line.person_id == person_id and status.suspended:
            return replace(status, suspended=False)
        case kinds.ContactJoined(door=door, company=company) if door not in status.companies:
            return replace(status, companies=status.companies | {door: company})
        case kinds.ContactLeft(door=door) if door in status.companies:
            left = {other: company for other, company in status.companies.items() if other != door}
            return replace(status, companies=left)
        case kinds.TeamJoined(team_id=team) if team not in status.teams:
            return replace(status, teams=status.teams | {team})
        case kinds.TeamLeft(team_id=team) if team in status.teams:
            return replace(status, teams=status.teams - {team})
        case kinds.PersonInvited(invitation_id=invitation):
            return replace(status, invitations={invitation: "pending"} | status.invitations)
        case kinds.InvitationRevoked(invitation_id=invitation) if status.invitations.get(invitation) == "pending":
            return replace(status, invitations=status.invitations | {invitation: "revoked"})
    return None


def teams_brought(recorded: Recorded, line: kinds.EmployeeJoined) -> tuple[UUID, ...]:
    """The teams that a joining names, else those of its invitation."""
    if line.team_ids is None and line.invitation_id is not None:
        return recorded.of(kinds.PersonInvited, invitation_id=line.invitation_id)[0].team_ids or ()
    return line.team_ids or ()


def story(recorded: Recorded, facts: Sequence[FactLine]) -> list[tuple[datetime, Status]] | None:
    """The status of a person from each moment on; None where the facts cannot all be true.

    Facts of one moment are applied in whichever order makes them possible; of several orders, what ends comes first.
    """
    found, status = [], Status()
    for moment, together in groupby(sorted(facts, key=lambda line: line.at), key=lambda line: line.at):
        reached = next(_ways(recorded, status, list(together)), None)
        if reached is None:
            return None
        status = reached
        found.append((moment, status))
    return found


def _ways(recorded: Recorded, status: Status, together: list[FactLine]) -> Iterator[Status]:
    """The possible results of the facts of one moment, departures as early as possible."""
    leavings = (kinds.EmployeeLeft, kinds.ContactLeft, kinds.TeamLeft)
    for order in permutations(sorted(together, key=lambda line: not isinstance(line, leavings))):
        reached: Status | None = status
        for line in order:
            reached = reached and after(recorded, reached, line)
        if reached is not None:
            yield reached


def facts_about(facts: Sequence[FactLine], learner: UUID) -> list[FactLine]:
    """The facts that can exclude each other: all about a person, and about the invitations that they accepted."""
    stays = [line for line in facts if isinstance(line, kinds.EmployeeJoined) and line.learner_profile_id == learner]
    persons, invitations = {stay.person_id for stay in stays}, {stay.invitation_id for stay in stays} - {None}
    return [
        line
        for line in facts
        if (isinstance(line, ABOUT_PEOPLE) and getattr(line, "learner_profile_id", None) == learner)
        or (not isinstance(line, kinds.EmployeeJoined) and getattr(line, "person_id", None) in persons)
        or (
            isinstance(line, kinds.PersonInvited | kinds.InvitationRevoked) and line.invitation_id in invitations
        )
    ]  # fmt: skip


def accepts(recorded: Recorded, line: FactLine) -> bool:
    """Whether one more fact about people is possible after those recorded. Of erasures only a second one is refused."""
    learner = learner_of(recorded, line)
    if learner is None:
        own = [each for each in recorded.facts if getattr(each, "invitation_id", None) == line.invitation_id]  # type: ignore[attr-defined]
        taker = next((each.learner_profile_id for each in own if isinstance(each, kinds.EmployeeJoined)), None)
        return story(recorded, [*(own if taker is None else facts_about(recorded.facts, taker)), line]) is not None
    if erased_at(recorded, learner) is not None:
        return False
    if isinstance(line, kinds.PersonErased | kinds.PersonChanged):
        return True
    invitation = line.invitation_id if isinstance(line, kinds.EmployeeJoined) else None
    if invitation is not None and recorded.of(kinds.EmployeeJoined, invitation_id=invitation):
        return False
    return story(recorded, facts_about([*recorded.facts, line], learner)) is not None


def learner_of(recorded: Recorded, line: FactLine) -> UUID | None:
    """The person that a fact is about; None where it is about an invitation."""
    if hasattr(line, "learner_profile_id"):
        learner: UUID = line.learner_profile_id
        return learner
    stays = recorded.of(kinds.EmployeeJoined, person_id=getattr(line, "person_id", None))
    return stays[0].learner_profile_id if stays else None


def status(recorded: Recorded, learner: UUID, moment: datetime) -> Status:
    """The status of a person at a moment."""
    known = recorded.once(("standing", learner), lambda: story(recorded, facts_about(recorded.facts, learner)))
    assert known is not None, "what was accepted can all be true"
    return next((each for at, each in reversed(known) if at <= moment), Status())


def erased_at(recorded: Recorded, learner: UUID) -> datetime | None:
    """When a person was erased."""
    return next((line.at for line in recorded.of(kinds.PersonErased, learner_profile_id=learner)), None)
