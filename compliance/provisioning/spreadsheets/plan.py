"""What a spreadsheet changes in a company: who joins, changes, moves and leaves, and which rows are wrong."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from compliance.provisioning.spreadsheets.known import KnownPerson, OpenInvitation
from compliance.provisioning.spreadsheets.lines import Wrong

MANY_LEAVE = 10
"""This many people may leave by a file without a confirmation, however small the company is."""


class TeamRef(NamedTuple):
    """A team by its name; `team_id` is null while the company has no team of that name."""

    key: str
    name: str
    team_id: uuid.UUID | None


class Difference(NamedTuple):
    """A detail of a person before and after; null where there was or is none."""

    before: str | None
    after: str | None


@dataclass(frozen=True)
class Step:
    """What a row changes about one person, who is null for somebody new.

    `details` are those of `person_changed`, or those that a joining cannot name itself.
    """

    line: int
    person: KnownPerson | None
    name: str | None
    email: str
    joins: bool = False
    invitation: OpenInvitation | None = None
    details: Mapping[str, Difference] = field(default_factory=dict)
    roles: tuple[str, ...] | None = None
    roles_before: frozenset[str] = frozenset()
    enters: tuple[TeamRef, ...] = ()
    leaves: tuple[TeamRef, ...] = ()
    stays_in: tuple[TeamRef, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether anything but the teams changes for somebody who is in the company."""
        return not self.joins and bool(self.details or self.roles is not None)

    @property
    def moves(self) -> bool:
        """Whether the teams of somebody who is in the company change."""
        return not self.joins and bool(self.enters or self.leaves)

    @property
    def displayed_name(self) -> str:
        """The person's name, as in the file where it names them."""
        return self.name or (self.person and self.person.person_name) or "(no name)"


@dataclass
class Plan:
    """What a spreadsheet would change. `numbers` are the employee numbers to keep, by line."""

    employed: int = 0
    steps: list[Step] = field(default_factory=list)
    leaves: list[KnownPerson] = field(default_factory=list)
    unchanged: int = 0
    wrong: list[Wrong] = field(default_factory=list)
    new_teams: dict[str, str] = field(default_factory=dict)
    named_teams: set[uuid.UUID] = field(default_factory=set)
    numbers: dict[int, tuple[KnownPerson | None, str]] = field(default_factory=dict)
    gone: int = 0
    starting_later: int = 0
    unfound: int = 0

    @property
    def joins(self) -> list[Step]:
        """Who joins the company, or comes back to it."""
        return [step for step in self.steps if step.joins]

    @property
    def changes(self) -> list[Step]:
        """Whose name, address or roles change."""
        return [step for step in self.steps if step.changes]

    @property
    def moves(self) -> list[Step]:
        """Whose teams change."""
        return [step for step in self.steps if step.moves]

    @property
    def ends_most(self) -> bool:
        """Whether so many would leave that the file is probably a wrong one."""
        return len(self.leaves) > MANY_LEAVE and len(self.leaves) * 2 > self.employed

    @property
    def counts(self) -> dict[str, int]:
        """How many people each kind of change is about."""
        return {
            "joins": len(self.joins),
            "changes": len(self.changes),
            "moves": len(self.moves),
            "leaves": len(self.leaves),
            "unchanged": self.unchanged,
        }

    def notes(self, leavers: bool) -> list[str]:
        """What a reader of the plan should know beyond its numbers, as sentences."""
        found = []
        if self.gone and not leavers:
            found.append(
                f"{_rows(self.gone)} of the file {_say(self.gone)} that the person has left. They are left as they are,"
                " because the file was not read for people who leave."
            )
        if self.starting_later:
            found.append(
                f"{_rows(self.starting_later)} {_say(self.starting_later)} that the person starts later: import the"
                " file again on that day."
            )
        if self.unfound and leavers:
            found.append(
                f"{_rows(self.unfound)} that {'is' if self.unfound == 1 else 'are'} wrong could not be matched to"
                " anybody: if an employee is meant, they would leave as if they were not in the file."
            )
        return found

    @property
    def fingerprint(self) -> str:
        """A digest that identifies the plan. It covers identifiers and rows, never names and addresses."""
        digest = sha256()
        for step in self.steps:
            refs = (step.enters, step.leaves)
            teams = [[str(ref.team_id or ref.key) for ref in sorted(each)] for each in refs]
            who = step.person and step.person.learner_profile_id
            invitation = step.invitation and step.invitation.invitation_id
            parts = (step.line, str(who), step.joins, str(invitation), sorted(step.details), step.roles is not None)
            digest.update(f"{parts} {teams}\n".encode())
        for leaving in sorted(str(person.person_id) for person in self.leaves):
            digest.update(f"{leaving}\n".encode())
        digest.update(f"{self.unchanged} {[(each.line, str(each.code)) for each in self.wrong]}".encode())
        return digest.hexdigest()


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _say(count: int) -> str:
    return "says" if count == 1 else "say"
