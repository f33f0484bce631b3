"""A plain implementation of docs/rules.md#policies: what everybody owes.

    records(recorded, moment, now) -> rows of what is owed, with `key`, which names a record as the rules do

The cycles of a person are listed from the first publication on, and read at the moment asked about.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from compliance.facts.lines import kinds
from compliance.rules.absences import Absence
from tests.oracle.owed_learning import TICK, days_after, excused, last_tick_of, months_later, wall_date
from tests.oracle.receipts import ACTS, ZEROS, names, signer, title, version_of, written
from tests.oracle.recorded import Receipt, Recorded, Row
from tests.oracle.shares import Coverage, covered_since, covering, moments, published
from tests.oracle.status import erased_at, status


@dataclass(frozen=True)
class Cycle:
    """What a person owes of a policy until it is asked for again.

    `asked`: the last version that is not editorial. `before`: the settled cycle after which a renewal opened this one.
    `kept`: the deadline of a settled cycle, from the moment on at which it is both settled and covered.
    """

    asked: kinds.PolicyPublished
    opened_at: datetime
    before: "Cycle | None" = None
    receipt: Receipt | None = None
    kept: tuple[datetime | None] | None = None


def records(recorded: Recorded, moment: datetime, now: datetime) -> list[Row]:
    """What everybody owes at a moment, when all until `now` is captured. `now` opens no renewal that comes later."""
    known = min(moment, now)
    learners = {line.learner_profile_id for line in recorded.of(kinds.EmployeeJoined, known)}
    learners |= {line.learner_profile_id for line in recorded.of(kinds.ContactJoined, known)}
    found = []
    for policy in {line.course_id for line in recorded.of(kinds.PolicyPublished, known)}:
        for learner in learners:
            covers = covering(recorded, policy, learner, known)
            if covers:
                cycle = next(each for at, each in reversed(tale(recorded, policy, learner)) if at <= known)
                found.append(_row(recorded, policy, learner, moment, known, covers, cycle))
    return found


def _row(
    recorded: Recorded,
    policy: UUID,
    learner: UUID,
    moment: datetime,
    known: datetime,
    covers: list[Coverage],
    cycle: Cycle,
) -> Row:
    current, receipt = published(recorded, policy, known)[-1], cycle.receipt
    due_at, share_id, door = deadline(recorded, policy, learner, known, covers, cycle)
    if receipt is not None:
        assert cycle.kept is not None
        due_at, share_id, door = cycle.kept[0], receipt.line.share_id, receipt.line.door
    company = receipt.signer_company if receipt else status(recorded, learner, known).companies.get(door)
    company = None if erased_at(recorded, learner) is not None else company
    after = cycle.before.receipt.line.receipt_id if cycle.before and cycle.before.receipt else ZEROS
    state = "signed" if receipt else "overdue" if due_at is not None and moment > due_at else "to_do"
    return {
        "key": (learner, policy, cycle.asked.course_release_id, after),
        "course_id": policy,
        "course_release_id": current.course_release_id,
        "policy_title": title(current),
        "version": current.version,
        "learner_profile_id": learner,
        **names(recorded, learner),
        "door": door,
        "company": company,
        "assignment_id": share_id,
        "state": state,
        "due_at": due_at,
        "signed_at": receipt and written(receipt.signed_at),
        "receipt_id": receipt and receipt.line.receipt_id,
        "act": receipt and ACTS[version_of(recorded, receipt.line).act],
    }


def tale(recorded: Recorded, policy: UUID, learner: UUID) -> list[tuple[datetime, Cycle]]:
    """The cycle of a person from each moment on, the first publication first."""
    return recorded.once(("tale", policy, learner), lambda: list(_tale(recorded, policy, learner)))


def _tale(recorded: Recorded, policy: UUID, learner: UUID) -> Iterator[tuple[datetime, Cycle]]:
    own = [each for each in recorded.chain if signer(recorded, each) == (learner, policy)]
    openings = {renewal(recorded, each, version) for each in own for version in recorded.of(kinds.PolicyPublished)}
    turns = {*moments(recorded), *(each.signed_at for each in own), *(each for each in openings if each is not None)}
    cycle: Cycle | None = None
    for moment in sorted(turns):
        versions = published(recorded, policy, moment)
        if not versions:
            continue
        current, asked = versions[-1], [line for line in versions if line.change_kind != "editorial"][-1]
        if cycle is None or cycle.asked != asked:
            cycle = Cycle(asked, moment)
        elif renewed(recorded, cycle.receipt, current, moment):
            cycle = Cycle(asked, moment, before=cycle)
        elif cycle.before and not cycle.receipt and not renewed(recorded, cycle.before.receipt, current, moment):
            cycle = cycle.before
        for receipt in own:
            counts = version_of(recorded, receipt.line).version >= asked.version
            if receipt.signed_at == moment and counts and cycle.receipt is None:
                cycle = replace(cycle, receipt=receipt)
        covers = covering(recorded, policy, learner, moment)
        if cycle.receipt and not cycle.kept and covers:
            cycle = replace(cycle, kept=deadline(recorded, policy, learner, moment, covers, cycle)[:1])
        yield moment, cycle


def renewed(recorded: Recorded, receipt: Receipt | None, version: kinds.PolicyPublished, moment: datetime) -> bool:
    """Whether a version asks again after a receipt, by a moment."""
    opens = receipt and renewal(recorded, receipt, version)
    return opens is not None and opens <= moment


def renewal(recorded: Recorded, receipt: Receipt, version: kinds.PolicyPublished) -> datetime | None:
    """When a version asks again after a receipt: at the start of the day, some months later."""
    if not version.renew_months:
        return None
    day = months_later(wall_date(recorded.zone, receipt.signed_at), version.renew_months)
    return last_tick_of(recorded.zone, day - timedelta(days=1)) + TICK


def deadline(
    recorded: Recorded, policy: UUID, learner: UUID, moment: datetime, covers: list[Coverage], cycle: Cycle
) -> tuple[datetime | None, UUID, str]:
    """The earliest deadline of the shares that cover a person, then the lowest identifier; and its share and door."""
    found = []
    away = absences(recorded, learner, moment)
    effective_on = published(recorded, policy, moment)[-1].effective_on
    asked_again = cycle.asked.change_kind != "first" or cycle.before is not None
    for share in covers:
        due_at, opened_at = None, cycle.opened_at
        if isinstance(share.deadline, kinds.DaysAfterAdded):
            added = max(opened_at, covered_since(recorded, policy, learner, share.share_id, moment))
            due_at = days_after(recorded.zone, added, share.deadline.days)
        elif isinstance(share.deadline, kinds.FixedDeadline):
            too_early = asked_again and share.deadline.due_at <= opened_at
            due_at = days_after(recorded.zone, opened_at, 30) if too_early else share.deadline.due_at
        if due_at is not None and effective_on is not None:
            due_at = max(due_at, last_tick_of(recorded.zone, effective_on))
        due_at = due_at and excused(recorded.zone, due_at, away)
        found.append((due_at is None, due_at, share.share_id, share.door))
    first = min(found, key=lambda each: (each[0], each[1] or moment, each[2]))
    return first[1], first[2], first[3]


def absences(recorded: Recorded, learner: UUID, moment: datetime) -> list[Absence]:
    """The absences of a person that count at a moment."""
    void = {line.absence_id for line in recorded.of(kinds.AbsenceVoided, moment)}
    return [
        Absence(line.absence_id, line.at, line.first_day, line.last_day)
        for line in recorded.of(kinds.AbsenceRecorded, moment, learner_profile_id=learner)
        if line.absence_id not in void
    ]
