"""What a provisioned company should hold, by a plain implementation of how SCIM becomes facts, without a database.

A User is an employee and a Group a team. Inactive means left, or suspended, as the source is set; active again is a new
stay, in the same teams. Removing a User is leaving, and only the source that removed them no longer sees them; a User
that is created again has the same identifier and a new stay. Removing a Group removes everybody from the team.
"""

from dataclasses import dataclass, field

Rows = list[tuple[str, str, tuple[str, ...]]]


@dataclass(eq=False)
class Source:
    """A client, and what inactive means for it."""

    name: str
    suspends: bool


@dataclass(eq=False)
class Person:
    """A known person: `stays` holds for each stay whether it has ended."""

    identifier: str
    user_name: str
    name: str | None
    work_email: str | None = None
    stays: list[bool] = field(default_factory=list)
    suspended: bool = False
    has: set[Source] = field(default_factory=set)
    removed: set[Source] = field(default_factory=set)

    @property
    def present(self) -> bool:
        return bool(self.stays) and not self.stays[-1]

    @property
    def active(self) -> bool:
        return self.present and not self.suspended

    def seen_by(self, source: Source) -> bool:
        return self.present or (source in self.has and source not in self.removed)

    def join(self) -> None:
        self.stays.append(False)
        self.suspended = False

    def leave(self) -> None:
        self.stays[-1] = True
        self.suspended = False

    def keep(self, source: Source) -> None:
        self.has.add(source)
        self.removed.discard(source)


@dataclass(eq=False)
class Team:
    """A team; `touched` counts each change of its name and each removal, by source."""

    identifier: str
    name: str
    members: set[Person] = field(default_factory=set)
    removed: set[Source] = field(default_factory=set)
    touched: dict[Source | None, int] = field(default_factory=dict)


class World:
    """Everybody and every team of one company."""

    def __init__(self) -> None:
        self.people: list[Person] = []
        self.teams: list[Team] = []
        self.time = 0

    def users(self, source: Source) -> list[Person]:
        return [each for each in self.people if each.seen_by(source)]

    def groups(self, source: Source) -> list[Team]:
        return [each for each in self.teams if source not in each.removed]

    def named(self, user_name: str) -> Person | None:
        return next((each for each in self.people if each.user_name == user_name), None)

    def create_user(self, source: Source, user_name: str) -> tuple[int, Person | None]:
        """The status of the answer, and the person who returns: None for somebody new."""
        known = self.named(user_name)
        if known is not None and known.seen_by(source):
            return 409, known
        return 201, known

    def set_active(self, source: Source, person: Person, active: bool) -> None:
        if active and not person.active:
            if person.present:
                person.suspended = False
            else:
                person.join()
        elif not active and person.active:
            if source.suspends:
                person.suspended = True
            else:
                person.leave()

    def remove_user(self, source: Source, person: Person) -> None:
        if person.present:
            person.leave()
        person.has.add(source)
        person.removed.add(source)

    def group_named(self, source: Source, name: str, but: Team | None = None) -> Team | None:
        return next((each for each in self.groups(source) if each.name == name and each is not but), None)

    def coming_back(self, source: Source, name: str) -> Team | None:
        gone = [each for each in self.teams if source in each.removed and each.name == name]
        return max(gone, key=lambda each: max(each.touched[None], each.touched[source]), default=None)

    def touch(self, team: Team, source: Source | None) -> None:
        self.time += 1
        team.touched[source] = self.time

    def rows(self) -> Rows:
        """The present register of people: who, in which state, in which teams, for each stay."""
        found: Rows = []
        for person in self.people:
            teams = tuple(sorted(each.identifier for each in self.teams if person in each.members))
            for ended in person.stays:
                state = "ended" if ended else "suspended" if person.suspended else "active"
                found.append((person.identifier, state, teams))
        return sorted(found)
