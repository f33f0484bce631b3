"""Planning: compares the rows of a spreadsheet with the state of the company. Pure and deterministic.

A person is found by their employee number, else by one of their addresses. Employed people come first, because an
address may have passed on to somebody else. A row that cannot be decided is wrong; nothing is guessed. A wrong row
still names its person, so that nobody leaves because of it.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date

from compliance.provisioning.spreadsheets.known import Known, KnownPerson
from compliance.provisioning.spreadsheets.lines import Stated, Wrong, WrongCode
from compliance.provisioning.spreadsheets.plan import Difference, Plan, Step, TeamRef
from compliance.provisioning.spreadsheets.text import address_key, clean, name_key, number_key


def plan(
    rows: Iterable[Stated],
    known: Known,
    *,
    today: date,
    leavers: bool = False,
    refused: Mapping[int, str] | None = None,
) -> Plan:
    """What `rows` change in the company. `today` is the company's day; with `leavers`, whoever is in no row leaves.

    `refused`: rows that the rules refused when they were being recorded, with the reason.
    """
    planning = _Planning(known, today, refused or {})
    for stated in rows:
        planning.take(stated)
    return planning.finish(leavers)


class _WrongRow(Exception):
    """Ends the planning of one row."""

    def __init__(self, code: WrongCode, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class _Planning:
    def __init__(self, known: Known, today: date, refused: Mapping[int, str]) -> None:
        self._known, self._today, self._refused = known, today, refused
        self._plan = Plan(employed=known.employed)
        self._lines_of_addresses: dict[str, int] = {}
        self._lines_of_numbers: dict[str, int] = {}
        self._lines_of_people: dict[uuid.UUID, int] = {}
        self._mentioned: set[uuid.UUID] = set()
        self._gone: set[uuid.UUID] = set()
        self._here: set[uuid.UUID] = set()  # whom a wrong row states to be in the company
        self._waiting: list[tuple[Step, tuple[TeamRef, ...]]] = []

    def take(self, stated: Stated) -> None:
        """Plans one row, or records what is wrong with it."""
        try:
            self._take(stated)
        except _WrongRow as wrong:
            self._plan.wrong.append(Wrong(stated.line, wrong.code, wrong.reason))
            self._mention(stated)

    def finish(self, leavers: bool) -> Plan:
        """Plans what depends on all rows: the teams that people leave, and who leaves the company."""
        plan = self._plan
        governed = self._known.file_teams | plan.named_teams
        for step, wanted in self._waiting:
            self._settle(step, wanted, governed)
        self._gone -= self._here
        plan.gone = len(self._gone)
        if leavers:
            plan.leaves = [
                person
                for person in self._known.people.values()
                if person.employed
                and (person.learner_profile_id in self._gone or person.learner_profile_id not in self._mentioned)
            ]
            plan.leaves.sort(key=lambda person: (name_key(person.person_name or ""), person.learner_profile_id))
            plan.unchanged -= sum(person.learner_profile_id in self._gone for person in plan.leaves)
        return plan

    def _take(self, stated: Stated) -> None:
        self._once(stated)
        if stated.code is not None:
            raise _WrongRow(stated.code, stated.reason)
        person = self._find(stated)
        if person is not None:
            before = self._lines_of_people.setdefault(person.learner_profile_id, stated.line)
            self._mentioned.add(person.learner_profile_id)
            if before != stated.line:
                raise _WrongRow(WrongCode.PERSON_TWICE, f"This person is in row {before} already.")
            if person.person_id is not None and person.staff_practice:
                raise _WrongRow(
                    WrongCode.STAFF_PRACTICE, "This is an account with which staff try things out, not an employee."
                )
        if stated.line in self._refused:
            raise _WrongRow(WrongCode.RULE, self._refused[stated.line])
        employed = person is not None and person.employed
        if self._has_left(stated):
            if person is not None and employed:
                self._gone.add(person.learner_profile_id)
            self._plan.unchanged += 1
            return
        if not employed and stated.first_day is not None and stated.first_day > self._today:
            self._plan.starting_later += 1
            self._plan.unchanged += 1
            return
        if not employed and not stated.name and not (person and person.person_name):
            raise _WrongRow(WrongCode.NAME_MISSING, "The name is missing: this person is new to the company.")
        step = self._step(stated, person)
        wanted = self._teams(stated.teams)
        self._waiting.append((step, wanted))
        if stated.number and not (
            person and person.employee_number and number_key(person.employee_number) == number_key(stated.number)
        ):
            self._plan.numbers[stated.line] = (person, stated.number)

    def _has_left(self, stated: Stated) -> bool:
        """Whether the row states that the person is no longer in the company."""
        return stated.gone or (stated.last_day is not None and stated.last_day < self._today)

    def _once(self, stated: Stated) -> None:
        """Refuses the second row with the same address or number, also where the first is wrong."""
        if stated.email:
            before = self._lines_of_addresses.setdefault(address_key(stated.email), stated.line)
            if before != stated.line:
                raise _WrongRow(
                    WrongCode.ADDRESS_TWICE, f"The same e-mail address is in row {before} already. Keep one of the two."
                )
        if stated.number:
            before = self._lines_of_numbers.setdefault(number_key(stated.number), stated.line)
            if before != stated.line:
                raise _WrongRow(
                    WrongCode.NUMBER_TWICE,
                    f"The same employee number is in row {before} already. Keep one of the two.",
                )

    def _find(self, stated: Stated) -> KnownPerson | None:
        numbered = self._known.by_number.get(number_key(stated.number)) if stated.number else None
        addressed = self._known.by_address.get(address_key(stated.email), []) if stated.email else []
        if numbered is not None:
            others = [each for each in addressed if each.employed and each != numbered]
            if others and numbered not in addressed:
                raise _WrongRow(
                    WrongCode.TWO_PEOPLE,
                    "The employee number belongs to one person of the company, and the e-mail address to another.",
                )
            return numbered
        found = [each for each in addressed if each.employed] or addressed
        if len(found) > 1:
            raise _WrongRow(
                WrongCode.SEVERAL_PEOPLE,
                "Several people of the company have this e-mail address. Give one of them another, or add their"
                " employee numbers.",
            )
        person = found[0] if found else None
        if person and stated.number and person.employee_number and not person.employed:
            raise _WrongRow(
                WrongCode.SOMEBODY_BEFORE,
                "The e-mail address belonged to somebody who has left, under another employee number. Give the new"
                " person another address, or correct the number if it is the same person.",
            )
        return person

    def _mention(self, stated: Stated) -> None:
        """Records whom a wrong row may mean: by number, by address, or only by name."""
        found: list[KnownPerson] = []
        if stated.email:
            found += self._known.by_address.get(address_key(stated.email), [])
        if stated.number and (numbered := self._known.by_number.get(number_key(stated.number))):
            found.append(numbered)
        if not self._has_left(stated):
            self._here.update(person.learner_profile_id for person in found)
        if not found and stated.name:
            found = self._known.by_name.get(name_key(stated.name), [])
        if not found:
            self._plan.unfound += 1
        self._mentioned.update(person.learner_profile_id for person in found)

    def _step(self, stated: Stated, person: KnownPerson | None) -> Step:
        """What the row changes about the person, without their teams."""
        roles, before = stated.roles, frozenset[str]()
        if person is not None and roles is not None:
            before = self._known.roles.get(person.learner_profile_id, frozenset())
            if before == set(roles):
                roles = None
        if person is None or not person.employed:
            return self._joining(stated, person, roles, before)
        details: dict[str, Difference] = {}
        if stated.name and stated.name != clean(person.person_name or ""):
            details["person_name"] = Difference(person.person_name, stated.name)
        if stated.email and not person.has_address(stated.email):
            same = person.account_email is None or (
                person.work_email is not None and address_key(person.account_email) == address_key(person.work_email)
            )
            if person.work_email is not None:
                details["work_email"] = Difference(person.work_email, stated.email)
            if person.work_email is None or same:
                details["account_email"] = Difference(person.account_email, stated.email)
        return Step(stated.line, person, stated.name, stated.email, details=details, roles=roles, roles_before=before)

    def _joining(
        self, stated: Stated, person: KnownPerson | None, roles: tuple[str, ...] | None, before: frozenset[str]
    ) -> Step:
        """The joining of somebody new, or of somebody who returns, which is a new stay of the same person.

        It accepts an open invitation to the address. The address is that of the account and also the work address.
        """
        invitation = self._known.invited.get(address_key(stated.email)) if stated.email else None
        work_email = person.work_email if person else None
        details: dict[str, Difference] = {}
        new = work_email is None or address_key(work_email) != address_key(stated.email)
        if stated.email and invitation is None and new:
            details["work_email"] = Difference(work_email, stated.email)
        return Step(
            stated.line, person, stated.name, stated.email, joins=True, invitation=invitation, details=details,
            roles=roles, roles_before=before,
        )  # fmt: skip

    def _teams(self, names: Iterable[str]) -> tuple[TeamRef, ...]:
        """The teams with these names. Those that the company does not have yet will be made."""
        refs = tuple(self._team(name) for name in names)  # all names first: a wrong row makes no team
        for ref in refs:
            if ref.team_id is None:
                self._plan.new_teams.setdefault(ref.key, ref.name)
            else:
                self._plan.named_teams.add(ref.team_id)
        return refs

    def _team(self, name: str) -> TeamRef:
        key = name_key(name)
        found = self._known.teams_by_name.get(key, [])
        if len(found) > 1:
            found = [team_id for team_id in found if self._known.teams[team_id] == name] or found
        if len(found) > 1:
            raise _WrongRow(
                WrongCode.SEVERAL_TEAMS, "The company has several teams of this name. Rename one of them first."
            )
        return TeamRef(key, self._known.teams[found[0]] if found else name, found[0] if found else None)

    def _settle(self, step: Step, wanted: tuple[TeamRef, ...], governed: frozenset[uuid.UUID] | set[uuid.UUID]) -> None:
        """Completes a step with its teams. A row without a team changes none."""
        here = self._known.memberships.get(step.person.learner_profile_id, frozenset()) if step.person else frozenset()
        if wanted:
            named = {ref.team_id for ref in wanted}
            left = [self._ref(team_id) for team_id in here if team_id in governed and team_id not in named]
            step = replace(
                step,
                enters=tuple(ref for ref in wanted if ref.team_id not in here),
                leaves=tuple(sorted(left, key=lambda ref: (ref.key, str(ref.team_id)))),
                stays_in=tuple(ref for ref in wanted if ref.team_id in here),
            )
        if step.joins or step.changes or step.moves:
            self._plan.steps.append(step)
        else:
            self._plan.unchanged += 1

    def _ref(self, team_id: uuid.UUID) -> TeamRef:
        name = self._known.teams[team_id]
        return TeamRef(name_key(name), name, team_id)
