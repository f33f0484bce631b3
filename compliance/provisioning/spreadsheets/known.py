"""The state of a company when a spreadsheet is planned: plain values, so that planning needs no database."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from compliance.provisioning.spreadsheets.text import address_key, name_key, number_key


class KnownPerson(NamedTuple):
    """A person of the company who was not erased; `person_id` of their present stay, if any."""

    learner_profile_id: uuid.UUID
    person_name: str | None
    account_email: str | None
    work_email: str | None
    person_id: uuid.UUID | None
    staff_practice: bool
    employee_number: str | None

    @property
    def employed(self) -> bool:
        """Whether the person is in the company now, and not only as a test person."""
        return self.person_id is not None and not self.staff_practice

    def has_address(self, address: str) -> bool:
        """Whether this is the address of their account or their work address."""
        key = address_key(address)
        return any(each is not None and address_key(each) == key for each in (self.account_email, self.work_email))


class OpenInvitation(NamedTuple):
    """An invitation that can still be accepted."""

    invitation_id: uuid.UUID
    work_email: str


@dataclass(frozen=True)
class Known:
    """The state of the company now. `file_teams`: the teams that earlier spreadsheets have named."""

    people: Mapping[uuid.UUID, KnownPerson] = field(default_factory=dict)
    teams: Mapping[uuid.UUID, str] = field(default_factory=dict)
    memberships: Mapping[uuid.UUID, frozenset[uuid.UUID]] = field(default_factory=dict)
    roles: Mapping[uuid.UUID, frozenset[str]] = field(default_factory=dict)
    invitations: Iterable[OpenInvitation] = ()
    file_teams: frozenset[uuid.UUID] = frozenset()

    @cached_property
    def by_address(self) -> dict[str, list[KnownPerson]]:
        """The people by each of their addresses."""
        found: dict[str, list[KnownPerson]] = defaultdict(list)
        for person in self.people.values():
            for key in {address_key(each) for each in (person.account_email, person.work_email) if each}:
                found[key].append(person)
        return found

    @cached_property
    def by_number(self) -> dict[str, KnownPerson]:
        """The people by their employee numbers."""
        return {number_key(each.employee_number): each for each in self.people.values() if each.employee_number}

    @cached_property
    def by_name(self) -> dict[str, list[KnownPerson]]:
        """The people by their names."""
        found: dict[str, list[KnownPerson]] = defaultdict(list)
        for person in self.people.values():
            if person.person_name:
                found[name_key(person.person_name)].append(person)
        return found

    @cached_property
    def teams_by_name(self) -> dict[str, list[uuid.UUID]]:
        """The identifiers of the teams of each name, by its `name_key`."""
        found: dict[str, list[uuid.UUID]] = defaultdict(list)
        for team_id, name in self.teams.items():
            found[name_key(name)].append(team_id)
        return found

    @cached_property
    def invited(self) -> dict[str, OpenInvitation]:
        """The newest open invitation to each address."""
        return {address_key(each.work_email): each for each in self.invitations}

    @cached_property
    def employed(self) -> int:
        """How many people are employed now."""
        return sum(person.employed for person in self.people.values())
