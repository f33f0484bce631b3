"""A plan as facts: lines as in a facts file, each with the row that it comes from."""

import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.lines.kinds import (
    FactLine,
    PersonChanged,
    TeamCreated,
)
from compliance.provisioning.spreadsheets.plan import Plan, Step, TeamRef
from compliance.provisioning.stays import ComingIn, GoingOut, Joining, Leaving

KINDS = frozenset(each.kind() for each in (TeamCreated, Joining, Leaving, PersonChanged, ComingIn, GoingOut))
"""The kinds of fact that a spreadsheet of people becomes."""


class PlannedFact(NamedTuple):
    """A fact and the row that states it; null where no single row states it."""

    row: int | None
    line: FactLine


class Facts(NamedTuple):
    """The facts of a plan, the employee numbers to store with them, and the teams that the file names."""

    lines: list[PlannedFact]
    numbers: list[tuple[uuid.UUID, str]]
    teams: set[uuid.UUID]


def facts_of(plan: Plan, at: datetime, new_id: Callable[[], uuid.UUID] = uuid.uuid4) -> Facts:
    """The facts that carry out `plan` at `at`."""
    made = {key: new_id() for key in plan.new_teams}
    lines = [
        PlannedFact(None, TeamCreated(fact_id=new_id(), at=at, team_id=made[key], name=name))
        for key, name in plan.new_teams.items()
    ]
    profiles: dict[int, uuid.UUID] = {}
    for step in plan.steps:
        profile_id = profiles[step.line] = step.person.learner_profile_id if step.person else new_id()
        lines += [PlannedFact(step.line, line) for line in _of_step(step, profile_id, made, at, new_id)]
    lines += [
        PlannedFact(None, Leaving(fact_id=new_id(), at=at, person_id=person.person_id))
        for person in plan.leaves
        if person.person_id is not None
    ]
    numbers = [
        (person.learner_profile_id if person else profiles[line], number)
        for line, (person, number) in plan.numbers.items()
    ]
    return Facts(lines, numbers, plan.named_teams | set(made.values()))


def _of_step(
    step: Step, profile_id: uuid.UUID, made: dict[str, uuid.UUID], at: datetime, new_id: Callable[[], uuid.UUID]
) -> Iterator[FactLine]:
    def team_id(ref: TeamRef) -> uuid.UUID:
        return ref.team_id or made[ref.key]

    entered = tuple(team_id(ref) for ref in (*step.enters, *step.stays_in))
    if step.joins:
        yield Joining(
            fact_id=new_id(),
            at=at,
            person_id=new_id(),
            learner_profile_id=profile_id,
            person_name=step.name or None,
            account_email=step.email or None,
            invitation_id=step.invitation.invitation_id if step.invitation else None,
            team_ids=entered or None,
            role_ids=step.roles,
        )
    details: dict[str, Any] = {name: difference.after for name, difference in step.details.items()}
    roles = None if step.joins else step.roles
    if details or roles is not None:
        yield PersonChanged(fact_id=new_id(), at=at, learner_profile_id=profile_id, role_ids=roles, **details)
    for ref in step.leaves:
        yield GoingOut(fact_id=new_id(), at=at, team_id=team_id(ref), learner_profile_id=profile_id)
    if not step.joins:
        for ref in step.enters:
            yield ComingIn(fact_id=new_id(), at=at, team_id=team_id(ref), learner_profile_id=profile_id)
