"""Random stories of a company, seeded: its people, invitations, policies, shares and signatures, out of order.

Moments lie on a coarse grid so that they collide, at the edges of company days, and at moments when something is asked
again or expires. The weeks of each story have a change of the clock in its zone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from random import Random
from typing import Any
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.rules.vocabulary import AbsenceReasonCode, ChangeKind, Door, PolicyAct, Requirement
from tests.oracle.accepting import accepts
from tests.oracle.owed_learning import TICK, last_tick_of, months_later, wall_date
from tests.oracle.recorded import Recorded
from tests.oracle.shares import covering, published

ODD_DAYS = {
    "UTC": date(2024, 2, 29),
    "Europe/London": date(2024, 3, 31),  # 23 hours
    "Africa/Cairo": date(2023, 4, 28),  # began at one o'clock
    "America/Havana": date(2023, 11, 5),  # midnight came twice
    "Asia/Kathmandu": date(2023, 10, 31),
    "Pacific/Apia": date(2011, 12, 30),  # did not exist
}
"""A special day in each zone, which stories use often; they begin some weeks before it."""

SPAN = 150
"""Days. Signatures are asked for again after a month or two, so that several cycles fit."""

DOORS = (Door.EMPLOYEE, Door.PARTNER, Door.CUSTOMER)


@dataclass(frozen=True)
class Story:
    """A zone, the moments up to which facts are captured, and the facts that are recorded before each, in order."""

    seed: int
    organization_id: UUID
    zone: str
    chapters: list[tuple[datetime, list[kinds.FactLine]]]


def story(seed: int) -> Story:
    """The story of a seed."""
    return _Teller(seed).story()


class _Teller:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(seed)
        self.zone, self.odd_day = self.chance.choice(list(ODD_DAYS.items()))
        begins = self.odd_day - timedelta(days=38)
        self.start = datetime(begins.year, begins.month, begins.day, 9, tzinfo=UTC)
        self.end = self.start + timedelta(days=SPAN)
        self.moments: list[datetime] = []
        self.facts: list[kinds.FactLine] = []
        self.organization_id = self.name()
        self.teams = [self.name(), self.name()]
        self.learners = [self.name() for _ in range(4)]

    def name(self) -> UUID:
        return UUID(int=self.chance.getrandbits(128), version=4)

    def likely(self, probability: float) -> bool:
        return self.chance.random() < probability

    def moment(self, earliest: datetime | None = None, days: int = SPAN) -> datetime:
        """A moment after another: of the grid, one that was used before, an edge of a day, or any."""
        low = earliest or self.start
        high = min(low + timedelta(days=days), self.end)
        again = [at for at in self.moments if low <= at <= high]
        kind = self.chance.random()
        if again and kind < 0.4:
            return self.chance.choice(again)
        at = low + timedelta(days=self.chance.randint(1, max(1, 2 * (high - low).days)) / 2)
        if kind > 0.8:
            at = last_tick_of(self.zone, wall_date(self.zone, at)) + self.chance.choice((0, 0, 1, 2)) * TICK
        elif kind > 0.7:
            at = low + self.chance.random() * (high - low)
        self.moments.append(at)
        return at

    def tell(self, kind: type[kinds.FactLine], at: datetime, **fields: Any) -> None:
        if at <= self.end:
            self.facts.append(kind(fact_id=self.name(), at=at, **fields))

    def some(self, things: Iterable[Any], least: int = 1) -> tuple[Any, ...]:
        pool = list(things)
        return tuple(self.chance.sample(pool, self.chance.randint(least, len(pool))))

    def story(self) -> Story:
        for team in self.teams:
            self.tell(kinds.TeamCreated, self.start, team_id=team, name="Team")
        for learner in self.learners:
            self.person(learner)
        for _ in range(self.chance.randint(0, 2)):
            self.invitation()  # which nobody accepts
        self.course()
        policies = [self.name(), self.name()]
        for policy in policies:
            self.policy(policy)
        for learner in self.learners:
            self.absences(learner)
        recorded = Recorded(self.organization_id, self.zone)
        for line in sorted(self.facts, key=lambda each: each.at):
            if accepts(recorded, line):
                recorded.add(line)
        for policy in policies:
            openings = [at for learner in self.learners for at in self.signatures(recorded, policy, learner)]
            self.publish_after(recorded, policy, openings)
        middle = self.start + timedelta(days=self.chance.randint(50, 120))
        chapters: dict[datetime, list[tuple[datetime, kinds.FactLine]]] = {middle: [], self.end: []}
        for line in self.facts:
            delay = timedelta(days=self.chance.expovariate(1 / 20)) if self.likely(0.25) else timedelta(0)
            chapters[middle if line.at + delay <= middle else self.end].append((line.at + delay, line))
        return Story(
            self.seed, self.organization_id, self.zone,
            [(until, [line for _, line in sorted(facts, key=itemgetter(0))]) for until, facts in chapters.items()],
        )  # fmt: skip

    # --- people

    def invitation(self, address: str | None = None) -> tuple[UUID, datetime]:
        invitation, at = self.name(), self.moment(days=60)
        address = address or f"{invitation.hex[:6]}@work.example"
        self.tell(
            kinds.PersonInvited, at, invitation_id=invitation, work_email=address,
            person_name=self.chance.choice([None, "Ina"]), team_ids=self.chance.choice([None, self.some(self.teams)]),
            expires_at=self.chance.choice([None, self.moment(at, 40)]),
        )  # fmt: skip
        if self.likely(0.3):
            self.tell(kinds.InvitationRevoked, self.moment(at, 60), invitation_id=invitation)
        return invitation, at

    def person(self, learner: UUID) -> None:
        kind = self.chance.random()
        if kind < 0.8:
            self.employee(learner)
        if kind > 0.6:
            self.contact(learner)
        for team in self.teams:
            at = self.start
            for _ in range(self.chance.choice([0, 1, 1, 2])):
                at = self.moment(at, 60)
                self.tell(kinds.TeamJoined, at, team_id=team, learner_profile_id=learner)
                if self.likely(0.5):
                    at = self.moment(at + TICK, 60)
                    self.tell(kinds.TeamLeft, at, team_id=team, learner_profile_id=learner)
        for _ in range(self.chance.choice([0, 0, 1])):
            self.tell(
                kinds.PersonChanged, self.moment(), learner_profile_id=learner, person_name="Renamed",
                work_email=self.chance.choice([None, "changed@work.example"]),
            )  # fmt: skip
        if self.likely(0.3):
            self.invitation(f"{learner.hex[:6]}@example.org")  # which nobody accepts
        if self.likely(0.2):
            self.tell(kinds.PersonErased, self.moment(self.start + timedelta(days=60)), learner_profile_id=learner)

    def employee(self, learner: UUID) -> None:
        at = self.start
        for _ in range(self.chance.choice([1, 1, 2, 3])):
            invitation = None
            if self.likely(0.4):
                invitation, at = self.invitation()
            person, at = self.name(), self.moment(at, 20)
            self.tell(
                kinds.EmployeeJoined, at, person_id=person, learner_profile_id=learner, invitation_id=invitation,
                person_name=self.chance.choice([None, "Ana", "Bo"]), staff_practice=self.likely(0.1),
                account_email=self.chance.choice([None, f"{learner.hex[:6]}@example.org"]),
                team_ids=self.chance.choice([None, None, (), self.some(self.teams)]),
            )  # fmt: skip
            for _ in range(self.chance.choice([0, 0, 1, 1, 2])):
                at = self.moment(at, 30)
                self.tell(kinds.EmployeeSuspended, at, person_id=person)
                if self.likely(0.6):
                    at = self.moment(at, 20)
                    self.tell(kinds.EmployeeResumed, at, person_id=person)
            if self.likely(0.5):
                at = self.moment(at, 90)
                self.tell(kinds.EmployeeLeft, at, person_id=person)
            if self.likely(0.1):  # often impossible
                stray = self.chance.choice((kinds.EmployeeSuspended, kinds.EmployeeResumed, kinds.EmployeeLeft))
                self.tell(stray, self.moment(), person_id=person)

    def contact(self, learner: UUID) -> None:
        at, door = self.start, self.chance.choice(DOORS[1:])
        for company in self.some(("Atlas", "Borea")):
            at = self.moment(at + TICK, 40)
            self.tell(
                kinds.ContactJoined, at, learner_profile_id=learner, door=door, company=company,
                person_name=self.chance.choice([None, "Kai"]),
            )  # fmt: skip
            if self.likely(0.6):
                at = self.moment(at + TICK, 50)
                self.tell(kinds.ContactLeft, at, learner_profile_id=learner, door=door)

    def absences(self, learner: UUID) -> None:
        """Weeks of absence, some adjacent; a few are recorded when they are over, a few voided."""
        for _ in range(self.chance.choice([0, 0, 1, 2])):
            at = self.moment()
            first = wall_date(self.zone, self.moment()) - timedelta(days=self.chance.choice([0, 0, 7, 30]))
            absence, last = self.name(), first + timedelta(days=self.chance.choice([0, 4, 13, 45]))
            self.tell(
                kinds.AbsenceRecorded, at, absence_id=absence, learner_profile_id=learner,
                **{"from": first, "to": last, "reason_code": AbsenceReasonCode.LEAVE},
            )  # fmt: skip
            if self.likely(0.3):
                self.tell(kinds.AbsenceVoided, self.moment(at - timedelta(days=2), 40), absence_id=absence)

    # --- shares

    def course(self) -> None:
        course, release, at = self.name(), self.name(), self.moment(days=20)
        self.tell(kinds.CourseCreated, at, course_id=course, title="Course")
        self.tell(
            kinds.ReleasePublished, at, course_id=course, course_release_id=release, version=1, lessons=()
        )  # fmt: skip
        self.tell(
            kinds.CourseShared, self.moment(at, 20), share_id=self.name(), course_id=course, doors=(Door.EMPLOYEE,),
            audience=self.audience(), requirement=self.chance.choice((Requirement.REQUIRED, Requirement.OPTIONAL)),
            deadline=kinds.NoDeadline(),
        )  # fmt: skip
        for learner in self.some(self.learners, 0):
            self.tell(
                kinds.CourseCompleted, self.moment(at), completion_receipt_id=self.name(), learner_profile_id=learner,
                course_release_id=release,
            )  # fmt: skip

    def policy(self, policy: UUID) -> None:
        at = self.start
        for number in range(1, self.chance.choice([1, 2, 3]) + 1):
            at = self.moment(at, 15 if number == 1 else 50)
            self.publish(policy, number, at)
        for _ in range(self.chance.choice([1, 2, 2, 3])):
            self.share(policy)

    def publish(self, policy: UUID, number: int, at: datetime) -> None:
        soon = wall_date(self.zone, at) + timedelta(days=self.chance.choice([-10, 0, 5, 20]))
        odd = self.odd_day - timedelta(days=self.chance.choice([0, 1]))
        changes = [ChangeKind.ASK_AGAIN, ChangeKind.EDITORIAL, ChangeKind.EDITORIAL]
        self.tell(
            kinds.PolicyPublished, at, course_id=policy, version=number, course_release_id=self.name(),
            act=self.chance.choice(list(PolicyAct)), doors=self.doors(), statement=f"I have  read version\n{number}.",
            effective_on=self.chance.choice([None, soon, soon, odd, odd]),
            renew_months=self.chance.choice([0, 1, 1, 1, 2]),
            change_kind=ChangeKind.FIRST if number == 1 else self.chance.choice(changes),
            html=f"<h1>Policy {number}</h1>\n<p>Lock the door {number} times.</p>\n",
        )  # fmt: skip

    def publish_after(self, recorded: Recorded, policy: UUID, openings: list[datetime]) -> None:
        """Often publishes one more version when renewals may be open, which may close some and open others."""
        out = recorded.of(kinds.PolicyPublished, course_id=policy)
        late = [at for at in openings if out and at > out[-1].at]
        if late and self.likely(0.8):
            self.publish(policy, len(out) + 1, self.moment(self.chance.choice(late), 10))

    def signatures(self, recorded: Recorded, policy: UUID, learner: UUID) -> Iterator[datetime]:
        """Signs now and then, mostly where the person is asked to, often as or just before they are asked again.

        Yields when each signature may be asked for again.
        """
        versions = recorded.of(kinds.PolicyPublished, course_id=policy)
        shares = recorded.of(kinds.PolicyShared, course_id=policy)
        at = versions[0].at if versions else self.end
        for _ in range(self.chance.choice([0, 2, 3, 4, 6])):
            at = self.moment(at, 30)
            out = published(recorded, policy, at)
            if not (out and shares):
                return
            version = out[-1] if self.likely(0.85) else self.chance.choice(out)
            ways = [(way.share_id, way.door) for way in covering(recorded, policy, learner, at)]
            if not ways and self.likely(0.8):
                continue
            if not ways or self.likely(0.1):  # mostly refused
                ways = [(share.share_id, self.chance.choice(DOORS)) for share in shares]
            share, door = self.chance.choice(ways)
            self.tell(
                kinds.PolicySigned, at, receipt_id=self.name(), share_id=share, learner_profile_id=learner,
                door=Door(door), course_release_id=version.course_release_id,
                signature=kinds.Signature(typed="Ana Reis") if version.act == PolicyAct.SIGN else None,
                sign_in_methods=self.chance.choice([None, "password,totp"]),
            )  # fmt: skip
            day = months_later(wall_date(self.zone, at), version.renew_months or 1)
            opens = last_tick_of(self.zone, day - timedelta(days=1)) + TICK
            self.moments += [opens - TICK, opens]
            yield opens
            at = self.chance.choice((at, opens - 2 * TICK, opens - TICK, opens))

    def share(self, policy: UUID) -> None:
        share, at = self.name(), self.moment(days=20)
        self.tell(
            kinds.PolicyShared, at, share_id=share, course_id=policy, doors=self.doors(), audience=self.audience(),
            deadline=self.deadline(),
        )  # fmt: skip
        changed: set[datetime] = {at}
        for _ in range(self.chance.choice([0, 0, 1, 2])):
            change = self.moment(at, 60)
            if change not in changed:
                terms = {"doors": self.doors(), "audience": self.audience(), "deadline": self.deadline()}
                self.tell(
                    kinds.ShareChanged, change, share_id=share, **{name: terms[name] for name in self.some(terms)}
                )
                changed.add(change)
        for _ in range(self.chance.choice([0, 0, 0, 1, 2])):  # the second time it is refused
            self.tell(kinds.ShareEnded, self.moment(at), share_id=share)

    def doors(self) -> tuple[Door, ...]:
        return DOORS if self.likely(0.7) else self.some(DOORS)

    def audience(self) -> kinds.Audience:
        kind = self.chance.random()
        if kind < 0.65:
            return kinds.Audience(everyone=True)
        if kind < 0.85:
            return kinds.Audience(team_ids=self.some(self.teams))
        return kinds.Audience(learner_profile_ids=self.some(self.learners))

    def deadline(self) -> kinds.Deadline:
        kind = self.chance.random()
        if kind < 0.4:
            return kinds.DaysAfterAdded(days=self.chance.randint(0, 30))
        return kinds.FixedDeadline(due_at=self.moment()) if kind < 0.8 else kinds.NoDeadline()
