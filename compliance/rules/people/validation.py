"""Which facts about people the rules refuse, and why.

All facts about one profile, and about the invitations that led to it, are validated together, each at its `at`:
recorded facts and new ones. The order in which they are given makes no difference. A recorded fact is never refused: a
new fact that would make a recorded one impossible is refused instead.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import Enum, StrEnum
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from compliance.rules.vocabulary import Door


class PersonFactKind(StrEnum):
    """The kinds of fact that are validated here, named as in the facts file."""

    PERSON_INVITED = "person_invited"
    INVITATION_REVOKED = "invitation_revoked"
    EMPLOYEE_SUSPENDED = "employee_suspended"
    EMPLOYEE_RESUMED = "employee_resumed"
    EMPLOYEE_LEFT = "employee_left"
    EMPLOYEE_JOINED = "employee_joined"
    CONTACT_LEFT = "contact_left"
    CONTACT_JOINED = "contact_joined"
    TEAM_LEFT = "team_left"
    TEAM_JOINED = "team_joined"
    PERSON_ERASED = "person_erased"


class PersonFact(NamedTuple):
    """One fact, with the identifiers that its kind has; the others are None. `recorded`: it is already stored.

    The teams of an `employee_joined` (its own, or those of the invitation) are facts of kind `team_joined` here, with
    the `fact_id` of the joining and `with_joining`: a person who is in such a team already remains in it, since
    memberships outlast leaving.
    """

    fact_id: UUID
    kind: PersonFactKind
    at: datetime
    recorded: bool = False
    person_id: UUID | None = None
    invitation_id: UUID | None = None
    team_id: UUID | None = None
    door: Door | None = None
    with_joining: bool = False


class PersonRefusalCode(Enum):
    """The refusals, each with one plain sentence without personal data."""

    ALREADY_INVITED = "The invitation exists already."
    NOT_INVITED = "The invitation does not exist at that moment."
    ALREADY_REVOKED = "The invitation is revoked already."
    INVITATION_ACCEPTED = "The invitation has been accepted already."
    INVITATION_REVOKED = "The invitation was revoked before; nobody can join by it."
    PERSON_ID_USED = "The person_id belongs to an earlier stay; who comes back gets a new one."
    OVERLAPPING_EMPLOYMENTS = "The person is an employee at that moment already."
    NOT_EMPLOYED = "The person is no employee at that moment."
    ALREADY_LEFT = "The employee has left already."
    ALREADY_SUSPENDED = "The employee is suspended already."
    NOT_SUSPENDED = "The employee is not suspended at that moment."
    ALREADY_CONTACT = "The person is a contact through that door already."
    NOT_CONTACT = "The person is no contact through that door at that moment."
    ALREADY_IN_TEAM = "The person is in the team already."
    NOT_IN_TEAM = "The person is not in the team at that moment."
    ALREADY_ERASED = "The person has been erased already."
    ERASED = "The person was erased; nothing more is recorded about them."


class PersonRefusal(NamedTuple):
    """A refused fact."""

    fact_id: UUID
    code: PersonRefusalCode

    @property
    def sentence(self) -> str:
        """One plain sentence without personal data."""
        return self.code.value


# At one moment leaving comes before joining, so that leaving and returning at once does not overlap. Suspending and
# resuming come before leaving, because neither is possible afterwards.
_RANK = {kind: rank for rank, kind in enumerate(PersonFactKind)}


def validate(facts: Iterable[PersonFact]) -> list[PersonRefusal]:
    """Return the refused facts of one profile (or of one invitation that nobody accepted)."""
    facts = list(facts)
    leavings = {(each.person_id, each.at) for each in facts if each.kind is PersonFactKind.EMPLOYEE_LEFT}
    # A `team_joined` that repeats a team of an `employee_joined` of the same moment goes first. A stay that ends as it
    # begins goes before one that lasts.
    waiting = sorted(
        facts,
        key=lambda each: (
            each.at, _RANK[each.kind], each.with_joining, (each.person_id, each.at) not in leavings,
            not each.recorded, each.fact_id,
        ),
    )  # fmt: skip
    erased = any(each.kind is PersonFactKind.PERSON_ERASED and each.recorded for each in waiting)
    if erased:
        refused = []
        for each in waiting:
            if not each.recorded:
                again = each.kind is PersonFactKind.PERSON_ERASED
                code = PersonRefusalCode.ALREADY_ERASED if again else PersonRefusalCode.ERASED
                refused.append(PersonRefusal(each.fact_id, code))
        return refused
    # A fact that contradicts a recorded one is left out, and all others are validated again as if it had not been
    # given: what was impossible only because of it is possible then.
    culprits: list[PersonRefusal] = []
    while True:
        impossible, culprit = _refusals(waiting)
        if culprit is None:
            return culprits + impossible
        culprits.append(culprit)
        waiting = [each for each in waiting if each.fact_id != culprit.fact_id]


def _refusals(facts: list[PersonFact]) -> tuple[list[PersonRefusal], PersonRefusal | None]:
    """Return the new facts that are impossible, up to one that makes a recorded fact impossible, and that one."""
    state = _State()
    refused: dict[UUID, PersonRefusal] = {}
    latest_new: dict[object, PersonFact] = {}
    for _, together in groupby(facts, key=lambda each: each.at):
        remaining = list(together)
        joining = {each.fact_id for each in remaining if each.kind is PersonFactKind.EMPLOYEE_JOINED}
        while remaining:
            # Facts of the same moment are applied in any order that makes them possible; the teams of a joining come
            # after it, and are refused with it.
            fact = next(
                (
                    each
                    for each in remaining
                    if not (each.with_joining and each.fact_id in joining) and state.refusal(each) is None
                ),
                None,
            )
            if fact is None:
                for each in remaining:
                    code = state.refusal(each)
                    if code is not None and not each.recorded:
                        refused.setdefault(each.fact_id, PersonRefusal(each.fact_id, code))
                remaining = [each for each in remaining if each.recorded]
                if not remaining:
                    break
                # An earlier new fact made this recorded one impossible. Only an erasure may precede recorded facts.
                fact = remaining[0]
                code = state.refusal(fact)
                culprits = [latest_new[subject] for subject in _subjects(fact) if subject in latest_new]
                if culprits and code is not None and code is not PersonRefusalCode.ERASED:
                    culprit = max(culprits, key=lambda each: each.at)
                    return list(refused.values()), PersonRefusal(culprit.fact_id, code)
            remaining.remove(fact)
            state.apply(fact)
            if fact.kind is PersonFactKind.EMPLOYEE_JOINED:
                joining.discard(fact.fact_id)
            if not fact.recorded:
                latest_new.update(dict.fromkeys(_subjects(fact), fact))
    return list(refused.values()), None


def _subjects(fact: PersonFact) -> tuple[object, ...]:
    """Return what a fact is about: it can make later facts about the same subjects impossible."""
    if fact.team_id is not None:
        return (fact.team_id,)
    if fact.door is not None:
        return (fact.door,)
    if fact.kind in (PersonFactKind.PERSON_INVITED, PersonFactKind.INVITATION_REVOKED):
        return (fact.invitation_id,)
    return ("employment", fact.invitation_id) if fact.invitation_id is not None else ("employment",)


class _State:
    """The state after the facts so far."""

    def __init__(self) -> None:
        self.invited: set[UUID | None] = set()
        self.revoked: set[UUID | None] = set()
        self.accepted: set[UUID | None] = set()
        self.stays: set[UUID | None] = set()
        self.employed: UUID | None = None
        self.suspended = False
        self.doors: set[Door | None] = set()
        self.teams: set[UUID | None] = set()
        self.erased = False

    def refusal(self, fact: PersonFact) -> PersonRefusalCode | None:
        """Return why `fact` is impossible in this state; None if it is possible."""
        if self.erased:
            again = fact.kind is PersonFactKind.PERSON_ERASED
            return PersonRefusalCode.ALREADY_ERASED if again else PersonRefusalCode.ERASED
        match fact.kind:
            case PersonFactKind.PERSON_INVITED:
                return PersonRefusalCode.ALREADY_INVITED if fact.invitation_id in self.invited else None
            case PersonFactKind.INVITATION_REVOKED:
                return self._revoking(fact.invitation_id)
            case PersonFactKind.EMPLOYEE_JOINED:
                return self._joining(fact)
            case PersonFactKind.EMPLOYEE_LEFT:
                return self._unless_employed(fact.person_id)
            case PersonFactKind.EMPLOYEE_SUSPENDED:
                already = PersonRefusalCode.ALREADY_SUSPENDED if self.suspended else None
                return self._unless_employed(fact.person_id) or already
            case PersonFactKind.EMPLOYEE_RESUMED:
                active = None if self.suspended else PersonRefusalCode.NOT_SUSPENDED
                return self._unless_employed(fact.person_id) or active
            case PersonFactKind.CONTACT_JOINED:
                return PersonRefusalCode.ALREADY_CONTACT if fact.door in self.doors else None
            case PersonFactKind.CONTACT_LEFT:
                return None if fact.door in self.doors else PersonRefusalCode.NOT_CONTACT
            case PersonFactKind.TEAM_JOINED:
                twice = fact.team_id in self.teams and not fact.with_joining
                return PersonRefusalCode.ALREADY_IN_TEAM if twice else None
            case PersonFactKind.TEAM_LEFT:
                return None if fact.team_id in self.teams else PersonRefusalCode.NOT_IN_TEAM
            case PersonFactKind.PERSON_ERASED:
                return None

    def apply(self, fact: PersonFact) -> None:
        """Change the state by `fact`."""
        match fact.kind:
            case PersonFactKind.PERSON_INVITED:
                self.invited.add(fact.invitation_id)
            case PersonFactKind.INVITATION_REVOKED:
                self.revoked.add(fact.invitation_id)
            case PersonFactKind.EMPLOYEE_JOINED:
                self.employed, self.suspended = fact.person_id, False
                self.stays.add(fact.person_id)
                if fact.invitation_id is not None:
                    self.accepted.add(fact.invitation_id)
            case PersonFactKind.EMPLOYEE_LEFT:
                self.employed, self.suspended = None, False
            case PersonFactKind.EMPLOYEE_SUSPENDED:
                self.suspended = True
            case PersonFactKind.EMPLOYEE_RESUMED:
                self.suspended = False
            case PersonFactKind.CONTACT_JOINED:
                self.doors.add(fact.door)
            case PersonFactKind.CONTACT_LEFT:
                self.doors.discard(fact.door)
            case PersonFactKind.TEAM_JOINED:
                self.teams.add(fact.team_id)
            case PersonFactKind.TEAM_LEFT:
                self.teams.discard(fact.team_id)
            case PersonFactKind.PERSON_ERASED:
                self.erased = True

    def _revoking(self, invitation_id: UUID | None) -> PersonRefusalCode | None:
        if invitation_id in self.accepted:
            return PersonRefusalCode.INVITATION_ACCEPTED
        if invitation_id not in self.invited:
            return PersonRefusalCode.NOT_INVITED
        return PersonRefusalCode.ALREADY_REVOKED if invitation_id in self.revoked else None

    def _joining(self, fact: PersonFact) -> PersonRefusalCode | None:
        if fact.person_id in self.stays:
            return PersonRefusalCode.PERSON_ID_USED
        if self.employed is not None:
            return PersonRefusalCode.OVERLAPPING_EMPLOYMENTS
        # Joining may take effect before the invitation that it names, and after the invitation expired.
        if fact.invitation_id in self.revoked:
            return PersonRefusalCode.INVITATION_REVOKED
        return PersonRefusalCode.INVITATION_ACCEPTED if fact.invitation_id in self.accepted else None

    def _unless_employed(self, person_id: UUID | None) -> PersonRefusalCode | None:
        if self.employed == person_id:
            return None
        return PersonRefusalCode.ALREADY_LEFT if person_id in self.stays else PersonRefusalCode.NOT_EMPLOYED
