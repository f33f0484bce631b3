"""Short ways to build one policy's facts in tests: days of 2024 in Oslo, one person, identifiers by letter."""

from datetime import UTC, date, datetime
from uuid import UUID, uuid5

from compliance.rules.company_days import end_of_day, start_of_day
from compliance.rules.owed_learning.facts import Deadline, Employment, LearnerFacts, Membership, Share, ShareStep
from compliance.rules.people.facts import ContactStay
from compliance.rules.policies.decide import decide
from compliance.rules.policies.decisions import RecordContent, RecordTimeline
from compliance.rules.policies.facts import PolicyFacts, PolicyVersion, ReceiptFacts, Signer
from compliance.rules.policies.signing import record_at
from compliance.rules.policies.state import state_at
from compliance.rules.vocabulary import ChangeKind, Door, DueBasis, ReceiptAct, Requirement

ZONE = "Europe/Oslo"
ORGANIZATION = UUID("0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ident(name: str) -> UUID:
    return uuid5(ORGANIZATION, name)


PERSON, POLICY = ident("person"), ident("policy")
EVERY_DOOR = frozenset(Door)
EMPLOYEE_DOOR = frozenset({Door.EMPLOYEE})


def at(text: str) -> datetime:
    """`2024-03-01` is noon UTC of that day; a complete instant is itself."""
    return datetime.fromisoformat(text if "T" in text else f"{text}T12:00:00+00:00")


def day_end(text: str) -> datetime:
    return end_of_day(ZONE, at(text).date())


def day_start(text: str) -> datetime:
    return start_of_day(ZONE, at(text).date())


def version(
    number: int,
    published: str,
    kind: ChangeKind = ChangeKind.EDITORIAL,
    *,
    renew: int = 0,
    doors: frozenset[Door] = EVERY_DOOR,
    effective: str | None = None,
) -> PolicyVersion:
    chosen = ChangeKind.FIRST if number == 1 else kind
    effective_on = date.fromisoformat(effective) if effective else None
    return PolicyVersion(
        ident(f"v{number}"), number, f"Title {number}", chosen, renew, doors, at(published), effective_on
    )


FIXED, DAYS = DueBasis.SHARE_DEADLINE, DueBasis.DAYS_AFTER_ADDED


def step(
    moment: str,
    *,
    due: str | None = None,
    days: int | None = None,
    doors: frozenset[Door] = EMPLOYEE_DOOR,
    teams: frozenset[UUID] | None = None,
    people: frozenset[UUID] | None = None,
) -> ShareStep:
    deadline = Deadline()
    if due is not None:
        deadline = Deadline(FIXED, due_at=day_end(due))
    elif days is not None:
        deadline = Deadline(DAYS, days=days)
    everyone = teams is None and people is None
    return ShareStep(
        at(moment), doors, Requirement.REQUIRED, deadline, everyone, teams or frozenset(), people or frozenset()
    )


def share(name: str, *steps: ShareStep, ended: str | None = None) -> Share:
    return Share(UUID(int=ord(name)), steps, at(ended) if ended else None)


def employee(*stays: tuple[str, str | None], contacts: tuple[ContactStay, ...] = (), **more: object) -> Signer:
    employments = tuple(
        Employment(ident(f"stay {number}"), at(joined), at(left) if left else None)
        for number, (joined, left) in enumerate(stays)
    )
    return Signer(LearnerFacts(PERSON, employments, **more), contacts)  # type: ignore[arg-type]


def member(team: str, joined: str, left: str | None = None) -> Membership:
    return Membership(ident(team), at(joined), at(left) if left else None)


def receipt(name: str, number: int, signed: str, share_name: str = "a", door: Door = Door.EMPLOYEE) -> ReceiptFacts:
    return ReceiptFacts(
        ident(name), ident(f"v{number}"), UUID(int=ord(share_name)), door, ReceiptAct.SIGNED, at(signed)
    )


class Story:
    """The rule's decision about a policy, a person and their receipts."""

    def __init__(
        self,
        versions: list[PolicyVersion],
        shares: list[Share],
        signer: Signer,
        receipts: list[ReceiptFacts] | None = None,
        now: datetime = NOW,
    ) -> None:
        self.timelines: tuple[RecordTimeline, ...] = decide(
            ORGANIZATION, ZONE, PolicyFacts(POLICY, tuple(versions), tuple(shares)), signer, receipts or [], now
        )

    def row(self, moment: str | datetime) -> RecordContent | None:
        return record_at(self.timelines, at(moment) if isinstance(moment, str) else moment)

    def shows(self, moment: str | datetime) -> tuple[str, datetime | None, int] | None:
        """State, deadline and version at a moment; None if there is no row."""
        found = self.row(moment)
        if found is None:
            return None
        when = at(moment) if isinstance(moment, str) else moment
        return state_at(found.receipt_id, found.due_at, when).value, found.due_at, found.version

    def next_changes(self) -> list[datetime]:
        return [each.next_change_at for each in self.timelines if each.next_change_at is not None]
