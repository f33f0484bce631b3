"""Timelines of one person's records of one policy, by docs/rules.md#policies.

A record belongs to a person, a policy, the last version that is not editorial, and a cycle. The key of a cycle is the
receipt after which the person is asked again, all zeros for the first cycle. At any moment the person has at most one
record, that of the current cycle.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

from compliance.rules.absences import NOT_AWAY, Away, away_at, turning_points
from compliance.rules.company_days import (
    FIRST_INSTANT,
    LAST_INSTANT,
    add_months,
    day_of,
    end_of_day,
    end_of_day_after,
    start_of_day,
)
from compliance.rules.policies.coverage import Covering, coverings
from compliance.rules.policies.decisions import RecordContent, RecordTimeline
from compliance.rules.policies.facts import PolicyFacts, PolicyVersion, ReceiptFacts, Signer
from compliance.rules.reckoning import NO_DEADLINE, CountedFrom, Reckoning
from compliance.rules.timeline import Timeline, Version, append_version
from compliance.rules.vocabulary import ChangeKind, Door, DueBasis

NO_RECEIPT = UUID(int=0)
"""The key of the first cycle, in which the person has not been asked before."""

GRACE_DAYS = 30
"""Company days that a person who is asked again gets if the share's fixed deadline has passed."""

_DOOR_RANK = {Door.EMPLOYEE: 0, Door.PARTNER: 1, Door.CUSTOMER: 2}


class _Cycle(NamedTuple):
    """One cycle. `asked_again_at` is None if the person was not asked before; `due` is set once it is frozen."""

    key: UUID
    asked_again_at: datetime | None
    settled_by: ReceiptFacts | None = None
    frozen: bool = False
    due_at: datetime | None = None


_FIRST_CYCLE = _Cycle(NO_RECEIPT, None)


def policy_record_id(
    organization_id: UUID, learner_profile_id: UUID, course_id: UUID, asking_release_id: UUID, cycle: UUID
) -> UUID:
    """Return the record's id; `asking_release_id`: the last version not editorial; `cycle`: the cycle's key."""
    return uuid5(organization_id, f"policy-record/{learner_profile_id}/{course_id}/{asking_release_id}/{cycle}")


def renewal_opens_at(zone: str, signed_at: datetime, renew_months: int) -> datetime | None:
    """Return when a receipt must be renewed: the start of the company day `renew_months` later; None for never."""
    if renew_months == 0:
        return None
    return start_of_day(zone, add_months(day_of(zone, signed_at), renew_months))


def decide(
    organization_id: UUID,
    zone: str,
    policy: PolicyFacts,
    signer: Signer,
    receipts: Iterable[ReceiptFacts],
    now: datetime,
) -> tuple[RecordTimeline, ...]:
    """Return the timelines of the person's records of the policy, in the order in which they began.

    `zone` is the company's IANA zone. Renewals open up to `now`; the one that opens next is `next_change_at`.
    """
    return Fold(organization_id, zone, policy, signer, tuple(receipts), now).run()


class Fold:
    """Goes through the moments at which a fact takes effect, and keeps the state at each."""

    def __init__(
        self,
        organization_id: UUID,
        zone: str,
        policy: PolicyFacts,
        signer: Signer,
        receipts: tuple[ReceiptFacts, ...],
        now: datetime,
    ) -> None:
        self.organization_id = organization_id
        self.zone = zone
        self.policy = policy
        self.signer = signer
        self.now = now
        self.versions = sorted(policy.versions, key=lambda each: (each.published_at, each.version))
        self.receipts = sorted(receipts, key=lambda each: (each.signed_at, each.receipt_id))
        self.published = 0
        self.current: PolicyVersion | None = None
        self.asking: PolicyVersion | None = None
        self.counting_releases: set[UUID] = set()
        self.cycle = _FIRST_CYCLE
        self.lapsed: _Cycle | None = None
        self.entries: dict[UUID, datetime] = {}
        self.away: tuple[Away, ...] = NOT_AWAY
        self.written: dict[UUID, list[Version[RecordContent]]] = {}
        self.current_record: UUID | None = None

    def run(self) -> tuple[RecordTimeline, ...]:
        """Go through all moments, and return the timelines."""
        moments = self._moments()
        position = 0
        moment = FIRST_INSTANT
        while True:
            opening = self._opening_of(self.cycle)
            if opening is not None:
                # A receipt that waited for its version's publication may need renewal before it counts.
                opening = max(opening, moment)
            coming = moments[position] if position < len(moments) else None
            if opening is not None and opening <= self.now and (coming is None or opening < coming):
                moment = opening
            elif coming is not None:
                moment = coming
                position += 1
            else:
                break
            self._publish(moment)
            self._open_renewal(moment)
            self._count_receipts(moment)
            self._write(moment)
        upcoming = self._opening_of(self.cycle) if self.current_record is not None else None
        return tuple(
            Timeline(record_id, tuple(versions), upcoming if record_id == self.current_record else None)
            for record_id, versions in self.written.items()
            if versions
        )

    def _moments(self) -> list[datetime]:
        """Return the moments, from the first publication on, at which a fact takes effect."""
        if not self.versions:
            return []
        found = {version.published_at for version in self.versions}
        found.update(receipt.signed_at for receipt in self.receipts)
        for share in self.policy.shares:
            found.update(step.at for step in share.steps)
            if share.ended_at is not None:
                found.add(share.ended_at)
        learner = self.signer.learner
        for start, end in (
            *((each.joined_at, each.left_at) for each in learner.employments),
            *((each.from_at, each.until) for each in learner.memberships),
            *((each.from_at, each.until) for each in self.signer.contacts),
        ):
            found.add(start)
            if end is not None:
                found.add(end)
        if learner.erased_at is not None:
            found.add(learner.erased_at)
        found |= turning_points(learner.absences)
        first = self.versions[0].published_at
        return sorted(moment for moment in found if moment >= first)

    def _publish(self, moment: datetime) -> None:
        while self.published < len(self.versions) and self.versions[self.published].published_at <= moment:
            version = self.versions[self.published]
            self.published += 1
            self.current = version
            if version.change_kind is not ChangeKind.EDITORIAL or self.asking is None:
                self.asking = version
                self.counting_releases = set()
                asked_again = version.change_kind is ChangeKind.ASK_AGAIN
                self.cycle = _Cycle(NO_RECEIPT, version.published_at) if asked_again else _FIRST_CYCLE
                self.lapsed = None
            self.counting_releases.add(version.course_release_id)
        self._take_back_renewal(moment)

    def _take_back_renewal(self, moment: datetime) -> None:
        """Return to the previous cycle if the version that is current now does not require a renewal yet."""
        if self.lapsed is None or self.cycle.settled_by is not None:
            return
        opening = self._opening_of(self.lapsed)
        if opening is None or opening > moment:
            self.cycle, self.lapsed = self.lapsed, None

    def _opening_of(self, cycle: _Cycle) -> datetime | None:
        if cycle.settled_by is None or self.current is None:
            return None
        return renewal_opens_at(self.zone, cycle.settled_by.signed_at, self.current.renew_months)

    def _open_renewal(self, moment: datetime) -> None:
        opening = self._opening_of(self.cycle)
        if opening is not None and opening <= moment and opening <= self.now and self.cycle.settled_by is not None:
            self.lapsed = self.cycle
            self.cycle = _Cycle(self.cycle.settled_by.receipt_id, moment)

    def _count_receipts(self, moment: datetime) -> None:
        """Settle the current cycle by the earliest receipt that has arrived and counts."""
        waiting: list[ReceiptFacts] = []
        for receipt in self.receipts:
            if receipt.signed_at > moment or receipt.course_release_id not in self.counting_releases:
                waiting.append(receipt)
            elif self.cycle.settled_by is None:
                self.cycle = self.cycle._replace(settled_by=receipt)
        self.receipts = waiting

    def _write(self, moment: datetime) -> None:
        self.away = away_at(self.signer.learner.absences, moment)
        covering = coverings(self.policy.shares, self.current, self.signer, moment) if self.current is not None else {}
        self.entries = {share_id: self.entries.get(share_id, moment) for share_id in covering}
        content = self._content(covering) if covering else None
        if self.current_record is not None and (content is None or content.record_id != self.current_record):
            append_version(self.written[self.current_record], moment, None)
        self.current_record = None
        if content is not None:
            append_version(self.written.setdefault(content.record_id, []), moment, content)
            self.current_record = content.record_id

    def _content(self, covering: dict[UUID, Covering]) -> RecordContent:
        current, asking = self.current, self.asking
        assert current is not None
        assert asking is not None
        due_at, share_id, door = self._strictest(covering)
        receipt = self.cycle.settled_by
        if receipt is not None:
            if not self.cycle.frozen:
                self.cycle = self.cycle._replace(frozen=True, due_at=due_at)
            due_at, share_id, door = self.cycle.due_at, receipt.share_id, receipt.door
        profile = self.signer.learner.learner_profile_id
        return RecordContent(
            record_id=policy_record_id(
                self.organization_id, profile, self.policy.course_id, asking.course_release_id, self.cycle.key
            ),
            course_id=self.policy.course_id,
            course_release_id=current.course_release_id,
            policy_title=current.policy_title,
            version=current.version,
            learner_profile_id=profile,
            door=door,
            assignment_id=share_id,
            due_at=due_at,
            signed_at=receipt.signed_at if receipt is not None else None,
            receipt_id=receipt.receipt_id if receipt is not None else None,
            act=receipt.act if receipt is not None else None,
        )

    def _strictest(self, covering: dict[UUID, Covering]) -> tuple[datetime | None, UUID, Door]:
        """Return deadline, share and door of the covering share with the earliest deadline, then the lowest id."""
        return min(
            (
                (self.reckon(each).excused_at, share_id, min(each.doors, key=_DOOR_RANK.__getitem__))
                for share_id, each in covering.items()
            ),
            key=lambda found: (found[0] or LAST_INSTANT, found[1]),
        )

    def reckon(self, covering: Covering) -> Reckoning:
        """Return the share's deadline, moved to when the current version takes effect, and out of absences."""
        reckoned = self._deadline(covering)
        if reckoned.due_at is None:
            return reckoned
        if self.current is not None and self.current.effective_on is not None:
            effective_at = end_of_day(self.zone, self.current.effective_on)
            if effective_at > reckoned.due_at:
                reckoned = Reckoning(reckoned.basis, effective_at, CountedFrom.EFFECTIVE)
        return reckoned.excused(self.zone, self.away)

    def _deadline(self, covering: Covering) -> Reckoning:
        deadline = covering.step.deadline
        asked_again_at = self.cycle.asked_again_at
        if deadline.basis is DueBasis.DAYS_AFTER_ADDED and deadline.days is not None:
            added, counted_from = self.entries[covering.share.share_id], CountedFrom.ADDED
            if asked_again_at is not None and asked_again_at > added:
                added, counted_from = asked_again_at, CountedFrom.ASKED_AGAIN
            due_at = end_of_day_after(self.zone, added, deadline.days)
            return Reckoning(deadline.basis, due_at, counted_from, added, deadline.days)
        if deadline.basis is not DueBasis.SHARE_DEADLINE or deadline.due_at is None:
            return NO_DEADLINE
        if asked_again_at is not None and deadline.due_at <= asked_again_at:
            due_at = end_of_day_after(self.zone, asked_again_at, GRACE_DAYS)
            return Reckoning(deadline.basis, due_at, CountedFrom.ASKED_AGAIN, asked_again_at, GRACE_DAYS)
        return Reckoning(deadline.basis, deadline.due_at, CountedFrom.SHARE)
