"""A plain reading of docs/rules.md#people: where people stand, and what can be told of them.

standing(told, learner, moment) -> where a person stands: stay, suspension, doors, teams
accepts(told, line) -> whether what was told leaves room for one fact more about people
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby, permutations
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.facts.lines.kinds import FactLine
from tests.oracle.told import Told

ABOUT_PEOPLE = (
    kinds.EmployeeJoined, kinds.EmployeeLeft, kinds.EmployeeSuspended, kinds.EmployeeResumed,
    kinds.ContactJoined, kinds.ContactLeft, kinds.TeamJoined, kinds.TeamLeft, kinds.PersonErased,
)  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """Where a person stands. `companies`: by the door of a partner or customer, where they come from."""

    stay: kinds.EmployeeJoined | None = None
    suspended: bool = False
    companies: dict[str, str] = field(default_factory=dict)
    teams: frozenset[UUID] = frozenset()
    invitations: dict[UUID | None, str] = field(default_factory=dict)
    erased: bool = False

    @property
    def doors(self) -> tuple[str, ...]:
        """The doors through which they are reached, in the order of the rules. In practice one is no employee."""
        employed = self.stay is not None and not self.stay.staff_practice
        here = () if self.erased else (*self.companies, *(["employee"] if employed else []))
        return tuple(door for door in ("employee", "partner", "customer") if door in here)


def after(told: Told, standing: Standing, line: FactLine) -> Standing | None:
    """Where a person stands after one fact; None where it is impossible."""
    person_id = standing.stay.person_id if standing.stay else None
    match line:
        case kinds.PersonErased():
            return replace(standing, erased=True)
        case kinds.EmployeeJoined(invitation_id=invitation) if standing.stay is None:
            if standing.invitations.get(invitation) in ("accepted", "revoked"):
                return None
            known = standing.invitations | ({invitation: "accepted"} if invitation else {})
            together = standing.teams.union(teams_brought(told, line))
            return replace(standing, stay=line, suspended=False, invitations=known, teams=together)
        case kinds.EmployeeLeft() if line.person_id == person_id:
            return replace(standing, stay=None, suspended=False)
        case kinds.EmployeeSuspended() if line.person_id == person_id and not standing.suspended:
            return replace(standing, suspended=True)
        case kinds.EmployeeResumed() if line.person_id == person_id and standing.suspended:
            return replace(standing, suspended=False)
        case kinds.ContactJoined(door=door, company=company) if door not in standing.companies:
            return replace(standing, companies=standing.companies | {door: company})
        case kinds.ContactLeft(door=door) if door in standing.companies:
            left = {other: company for other, company in standing.companies.items() if other != door}
            return replace(standing, companies=left)
        case kinds.TeamJoined(team_id=team) if team not in standing.teams:
            return replace(standing, teams=standing.teams | {team})
        case kinds.TeamLeft(team_id=team) if team in standing.teams:
            return replace(standing, teams=standing.teams - {team})
        case kinds.PersonInvited(invitation_id=invitation):
            return replace(standing, invitations={invitation: "pending"} | standing.invitations)
        case kinds.InvitationRevoked(invitation_id=invitation) if standing.invitations.get(invitation) == "pending":
            return replace(standing, invitations=standing.invitations | {invitation: "revoked"})
    return None


def teams_brought(told: Told, line: kinds.EmployeeJoined) -> tuple[UUID, ...]:
    """The teams that a joining names, else those of its invitation."""
    if line.team_ids is None and line.invitation_id is not None:
        return told.of(kinds.PersonInvited, invitation_id=line.invitation_id)[0].team_ids or ()
    return line.team_ids or ()


def story(told: Told, facts: Sequence[FactLine]) -> list[tuple[datetime, Standing]] | None:
    """Where a person stands from each moment on; None where the facts cannot all be true.

    Facts of one moment are taken in whichever order makes them possible; of several orders, what ends comes first.
    """
    found, standing = [], Standing()
    for moment, together in groupby(sorted(facts, key=lambda line: line.at), key=lambda line: line.at):
        reached = next(_ways(told, standing, list(together)), None)
        if reached is None:
            return None
        standing = reached
        found.append((moment, standing))
    return found


def _ways(told: Told, standing: Standing, together: list[FactLine]) -> Iterator[Standing]:
    """Where the facts of one moment may lead, leavings coming as early as they can."""
    leavings = (kinds.EmployeeLeft, kinds.ContactLeft, kinds.TeamLeft)
    for order in permutations(sorted(together, key=lambda line: not isinstance(line, leavings))):
        reached: Standing | None = standing
        for line in order:
            reached = reached and after(told, reached, line)
        if reached is not None:
            yield reached


def facts_about(facts: Sequence[FactLine], learner: UUID) -> list[FactLine]:
    """What can exclude each other: all about a person, and about the invitations that they accepted."""
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


def accepts(told: Told, line: FactLine) -> bool:
    """Whether the facts leave room for one more about people. An erasure is refused the second time only."""
    learner = learner_of(told, line)
    if learner is None:
        own = [each for each in told.facts if getattr(each, "invitation_id", None) == line.invitation_id]  # type: ignore[attr-defined]
        taker = next((each.learner_profile_id for each in own if isinstance(each, kinds.EmployeeJoined)), None)
        return story(told, [*(own if taker is None else facts_about(told.facts, taker)), line]) is not None
    if erased_at(told, learner) is not None:
        return False
    if isinstance(line, kinds.PersonErased | kinds.PersonChanged):
        return True
    invitation = line.invitation_id if isinstance(line, kinds.EmployeeJoined) else None
    if invitation is not None and told.of(kinds.EmployeeJoined, invitation_id=invitation):
        return False
    return story(told, facts_about([*told.facts, line], learner)) is not None


def learner_of(told: Told, line: FactLine) -> UUID | None:
    """Whom a fact is about; nobody known, where it is about an invitation."""
    if hasattr(line, "learner_profile_id"):
        learner: UUID = line.learner_profile_id
        return learner
    stays = told.of(kinds.EmployeeJoined, person_id=getattr(line, "person_id", None))
    return stays[0].learner_profile_id if stays else None


def standing(told: Told, learner: UUID, moment: datetime) -> Standing:
    """Where a person stands at a moment."""
    known = told.once(("standing", learner), lambda: story(told, facts_about(told.facts, learner)))
    assert known is not None, "what was accepted can all be true"
    return next((each for at, each in reversed(known) if at <= moment), Standing())


def erased_at(told: Told, learner: UUID) -> datetime | None:
    """When a person was erased."""
    return next((line.at for line in told.of(kinds.PersonErased, learner_profile_id=learner)), None)
