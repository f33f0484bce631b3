"""A plain, slow implementation of docs/rules.md, to compare the decider with. They share only the tuples of facts.

For a moment it ignores every fact that takes effect later, then walks through all earlier moments and asks, at each,
simple questions about the state. It is not optimised, except that answers to equal questions are cached.

    training_records(facts, learner, course, moment) -> rows, ended ones included, with outcome and days_late
    certificates(facts, learner, course, moment) -> rows with their status
    refused(facts, learner, course, moment) -> ids of the obligation changes that are refused

A voided completion is ignored from its voiding on: the walk is then made without it. A record that existed until the
voiding and does not exist without the completion ends at the voiding.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from math import ceil
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from compliance.rules.absences import Absence
from compliance.rules.owed_learning.facts import CourseFacts, DoingFacts, LearnerFacts, Share, ShareStep

TICK = timedelta(microseconds=1)
Row = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """All facts recorded of a company."""

    organization_id: UUID
    zone: str
    courses: dict[UUID, CourseFacts]
    learners: dict[UUID, LearnerFacts]
    doings: dict[tuple[UUID, UUID], DoingFacts] = field(default_factory=dict)
    now: datetime = datetime(9000, 1, 1, tzinfo=UTC)


def training_records(facts: Facts, learner: UUID, course: UUID, moment: datetime) -> list[Row]:
    """Every record that exists at `moment`, by record_id."""
    return sorted(_world(facts, learner, course, moment).rows(moment), key=lambda row: row["record_id"])


def certificates(facts: Facts, learner: UUID, course: UUID, moment: datetime) -> list[Row]:
    """Every certificate issued by `moment`, by certificate_id."""
    return sorted(_world(facts, learner, course, moment).certificates(moment), key=lambda row: row["certificate_id"])


def refused(facts: Facts, learner: UUID, course: UUID, moment: datetime) -> set[int | UUID]:
    """What the rules refuse by `moment`: obligation change ids, and certificate ids of corrections and revocations."""
    return _world(facts, learner, course, moment).refused(moment)


def everything(
    facts: Facts, learner: UUID, course: UUID, moment: datetime
) -> tuple[list[Row], list[Row], set[int | UUID]]:
    """Records, certificates and refusals at `moment`, for a third of the work of asking for each."""
    world = _world(facts, learner, course, moment)
    return (
        sorted(world.rows(moment), key=lambda row: row["record_id"]),
        sorted(world.certificates(moment), key=lambda row: row["certificate_id"]),
        world.refused(moment),
    )


def edges(facts: Facts, learner: UUID, course: UUID) -> list[datetime]:
    """Every moment at which something changes, as known today: facts, renewals, ends of certificates, deadlines."""
    world = World(
        facts.organization_id,
        facts.zone,
        facts.courses[course],
        facts.learners[learner],
        facts.doings.get((learner, course), DoingFacts()),
        facts.now,
    )
    found = {*world.all_moments(), *(world.valid_until(deed) for deed in world.deeds)}
    for row in training_records(facts, learner, course, facts.now):
        found |= {row["assigned_at"], row["due_at"], row["ended_at"]}
    return sorted(moment for moment in found if moment is not None)


def _world(facts: Facts, learner: UUID, course: UUID, moment: datetime) -> "World":
    facts = known_by(facts, moment)
    doing = facts.doings.get((learner, course), DoingFacts())
    return World(facts.organization_id, facts.zone, facts.courses[course], facts.learners[learner], doing, facts.now)


# --- company days, by reading a wall clock


@lru_cache(maxsize=100_000)
def last_tick_of(zone: str, day: date) -> datetime:
    """One microsecond before the wall clock first shows a later date."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=16)
    for step in (timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)):
        while (moment + step).astimezone(ZoneInfo(zone)).date() <= day:
            moment += step
    return moment + timedelta(seconds=1) - TICK


@lru_cache(maxsize=100_000)
def wall_date(zone: str, moment: datetime) -> date:
    """The company's day that contains a moment."""
    day = moment.astimezone(ZoneInfo(zone)).date() - timedelta(days=2)
    while last_tick_of(zone, day) < moment:
        day += timedelta(days=1)
    return day


def days_after(zone: str, moment: datetime, days: int) -> datetime:
    """The end of the company's day `days` days later."""
    return last_tick_of(zone, wall_date(zone, moment) + timedelta(days=days))


def excused(zone: str, due_at: datetime, absences: list[Absence]) -> datetime:
    """A deadline that falls on a day of absence, moved after it, and after the next one that it then falls into."""
    away = {
        each.first_day + timedelta(days=number)
        for each in absences
        for number in range((each.last_day - each.first_day).days + 1)
    }
    moved, day = due_at, wall_date(zone, due_at)
    while day in away:
        first = last = day
        while first - timedelta(days=1) in away:
            first -= timedelta(days=1)
        while last + timedelta(days=1) in away:
            last += timedelta(days=1)
        away -= {first + timedelta(days=number) for number in range((last - first).days + 1)}
        day = last + (day - first)
        moved = last_tick_of(zone, day)
    return moved


def months_later(day: date, months: int) -> date:
    """The same day of the month, or the month's last."""
    year, month = day.year + (day.month - 1 + months) // 12, (day.month - 1 + months) % 12 + 1
    for number in range(day.day, 0, -1):
        try:
            return date(year, month, number)
        except ValueError:
            continue
    raise AssertionError("every month has a first day")


# --- completions


@dataclass(frozen=True)
class Deed:
    """A completion: a receipt, or a session's attendance that became full."""

    receipt: UUID
    completed_at: datetime
    at: datetime  # from when it counts: not before its release is published
    release: UUID | None
    lesson: UUID | None
    assessed: bool
    voided_at: datetime | None = None
    voided_by: UUID | None = None
    lowered_at: datetime | None = None
    lowered_by: UUID | None = None
    session: Any = None


@dataclass
class Rec:
    """A record during a walk."""

    kind: str  # "release", "renewal", "lesson"
    what: UUID  # the release, the root certificate, the lesson
    id: UUID
    began: datetime
    first_began: datetime
    release: UUID | None = None
    deed: Deed | None = None
    source: Deed | None = None  # of a renewal: the deed whose certificate it renews
    frozen: bool = False
    requirement: str = "optional"
    assigned_at: datetime | None = None
    due: tuple[datetime | None, str] = (None, "none")
    plain_due: tuple[datetime | None, str] = (None, "none")
    shares: tuple[UUID, ...] = ()
    doors: tuple[str, ...] = ()
    ended_at: datetime | None = None
    reason: str | None = None
    override: datetime | None = None
    waiver: tuple[Any, Any, Any] = (None, None, None)
    change: int | None = None
    floor: datetime | None = None
    was_live: bool = False

    @property
    def undone(self) -> bool:
        return self.ended_at is None and self.deed is None


class World:
    """One learner, one course."""

    def __init__(
        self,
        organization: UUID,
        zone: str,
        course: CourseFacts,
        learner: LearnerFacts,
        doing: DoingFacts,
        now: datetime,
    ) -> None:
        self.organization, self.zone, self.course, self.learner, self.now = organization, zone, course, learner, now
        self.doing = doing
        self.releases = sorted(course.releases, key=lambda r: (r.published_at, r.version, r.course_release_id))
        self.order = [release.course_release_id for release in self.releases]
        self.deeds = sorted(
            map(self._published, self._deeds()), key=lambda deed: (deed.at, deed.completed_at, deed.receipt)
        )
        self.changes = sorted(doing.changes, key=lambda change: (change.at, change.obligation_change_id))
        self.lessons = sorted({share.lesson_release_id for share in course.shares if share.lesson_release_id})
        self._walks: dict[Any, Any] = {}
        self._moments: list[datetime] = []
        self._covering: dict[tuple[datetime, UUID | None], list[Share]] = {}

    def _published(self, deed: Deed) -> Deed:
        if deed.release not in self.order:
            return deed
        return replace(deed, at=max(deed.at, self.releases[self.order.index(deed.release)].published_at))

    def _deeds(self) -> Iterator[Deed]:
        for receipt in self.doing.completions:
            yield Deed(
                receipt.completion_receipt_id,
                receipt.at,
                receipt.at,
                receipt.course_release_id,
                receipt.lesson_release_id,
                receipt.assessed,
                receipt.voided_at,
                receipt.voided_by,
            )
        for session in self.doing.attendances:
            marks = sorted(session.marks)
            rises = 0
            for number, mark in enumerate(marks):
                if mark.attended != "full" or (number and marks[number - 1].attended == "full"):
                    continue
                rises += 1
                lower = next((later for later in marks[number:] if later.attended != "full"), None)
                name = f"attendance/{session.live_session_id}/{self.learner.learner_profile_id}"
                yield Deed(
                    uuid5(self.organization, name if rises == 1 else f"{name}/{rises}"),
                    mark.at,
                    mark.at,
                    session.course_release_id,
                    None,
                    False,
                    lowered_at=lower.at if lower else None,
                    lowered_by=session.trainer_profile_id if lower and lower.marked_by == "trainer" else None,
                    session=session,
                )

    # --- simple questions about a moment

    def erased(self, m: datetime) -> bool:
        return self.learner.erased_at is not None and self.learner.erased_at <= m

    def employed(self, m: datetime) -> bool:
        return not self.erased(m) and any(
            job.joined_at <= m and (job.left_at is None or m < job.left_at) and not job.staff_practice
            for job in self.learner.employments
        )

    def excused(self, due: tuple[datetime | None, str], m: datetime) -> tuple[datetime | None, str]:
        """A deadline and its basis, after the absences that are known at `m`."""
        counting = [
            each for each in self.learner.absences if each.at <= m and not (each.voided_at and each.voided_at <= m)
        ]
        moved = due[0] and excused(self.zone, due[0], counting)
        return due if moved == due[0] else (moved, "override")

    def says(self, share: Share, m: datetime) -> ShareStep | None:
        if share.ended_at is not None and share.ended_at <= m:
            return None
        steps = [step for step in share.steps if step.at <= m]
        return max(steps, key=lambda step: step.at) if steps else None

    def covers(self, share: Share, m: datetime) -> bool:
        step = self.says(share, m)
        if step is None or not self.employed(m) or "employee" not in step.doors:
            return False
        teams = {
            stay.team_id
            for stay in self.learner.memberships
            if stay.from_at <= m and (stay.until is None or m < stay.until)
        }
        listed = self.learner.learner_profile_id in step.learner_profile_ids
        return step.everyone or listed or bool(teams & step.team_ids)

    def covering(self, m: datetime, lesson: UUID | None) -> list[Share]:
        if (m, lesson) not in self._covering:
            self._covering[m, lesson] = sorted(
                (share for share in self.course.shares if share.lesson_release_id == lesson and self.covers(share, m)),
                key=lambda share: share.share_id,
            )
        return self._covering[m, lesson]

    def current(self, m: datetime) -> UUID | None:
        published = [release for release in self.releases if release.published_at <= m]
        if not published:
            return None
        newest = published[-1]
        return None if newest.withdrawn_at is not None and newest.withdrawn_at <= m else newest.course_release_id

    def covered(self, m: datetime, lesson: UUID | None) -> bool:
        return bool(self.covering(m, lesson)) and (lesson is not None or self.current(m) is not None)

    def required(self, m: datetime, lesson: UUID | None) -> bool:
        return self.covered(m, lesson) and any(
            self.says(share, m).requirement == "required"
            for share in self.covering(m, lesson)  # type: ignore[union-attr]
        )

    def moments(self, until: datetime) -> list[datetime]:
        """Every moment, up to `until`, at which something may change."""
        if not self._moments:
            self._moments = self.all_moments()
        return self._moments[: bisect_right(self._moments, until)]

    def all_moments(self) -> list[datetime]:
        """Every moment at which something may change, by all facts."""
        found: set[datetime | None] = set()
        for release in self.releases:
            found |= {release.published_at, release.withdrawn_at}
        for share in self.course.shares:
            found |= {step.at for step in share.steps} | {share.ended_at}
        for job in self.learner.employments:
            found |= {job.joined_at, job.left_at}
        for stay in self.learner.memberships:
            found |= {stay.from_at, stay.until}
        found.add(self.learner.erased_at)
        for absence in self.learner.absences:
            found |= {absence.at, absence.voided_at}
        for deed in self.deeds:
            found |= {deed.at, deed.voided_at, deed.lowered_at, self.opens(deed)}
        found |= {change.at for change in self.changes}
        found |= {fact.at for fact in self.doing.revocations} | {fact.at for fact in self.doing.corrections}
        return sorted(m for m in found if m is not None)

    def since(self, m: datetime, holds: Any) -> datetime:
        """The start of the unbroken period in which something that holds at `m` has held."""
        start = m
        for earlier in reversed(self.moments(m)):
            if not holds(earlier):
                break
            start = earlier
        return start

    # --- certificates

    def edition(self, deed: Deed) -> Any:
        editions = [edition for edition in self.course.editions if edition.at <= deed.at]
        return max(editions, key=lambda edition: edition.at) if editions else None

    def last_day(self, deed: Deed) -> date | None:
        edition = self.edition(deed)
        if edition is None or edition.valid_months is None:
            return None
        return months_later(wall_date(self.zone, deed.completed_at), edition.valid_months)

    def valid_until(self, deed: Deed) -> datetime | None:
        day = self.last_day(deed)
        return None if day is None else last_tick_of(self.zone, day)

    def opens(self, deed: Deed) -> datetime | None:
        """When the clock opens the renewal of a deed's certificate; None if it does not, or has not yet."""
        day, edition = self.last_day(deed), self.edition(deed)
        if day is None or edition.renew_days_before is None:
            return None
        at = max(deed.at, last_tick_of(self.zone, day - timedelta(days=edition.renew_days_before)))
        return at if at <= self.now else None

    def could_earn(self, deed: Deed) -> bool:
        edition = self.edition(deed)
        return deed.release in self.order and edition is not None and (edition.kind == "completion" or deed.assessed)

    def root(self, deed: Deed) -> UUID:
        return uuid5(self.organization, f"certificate/{deed.receipt}")

    def links(self, deed: Deed, m: datetime) -> list[tuple[UUID, datetime | None, UUID | None]]:
        """The certificate and its corrections, in order, as known at `m`."""
        chain: list[tuple[UUID, datetime | None, UUID | None]] = [(self.root(deed), None, None)]
        for fact in self.accepted_certificate_facts(m):
            if hasattr(fact, "supersedes_id") and fact.supersedes_id == chain[-1][0]:
                chain.append((fact.certificate_id, fact.at, fact.actor_id))
        return chain

    def revocation(self, deed: Deed, certificate: UUID, m: datetime) -> tuple[datetime, UUID | None] | None:
        events: list[tuple[datetime, UUID | None]] = [
            (fact.at, fact.actor_id)
            for fact in self.accepted_certificate_facts(m)
            if not hasattr(fact, "supersedes_id") and fact.certificate_id == certificate
        ]
        if deed.voided_at is not None:
            events.append((deed.voided_at, deed.voided_by))
        if deed.lowered_at is not None:
            events.append((deed.lowered_at, deed.lowered_by))
        events = [event for event in events if event[0] <= m]
        return min(events, key=lambda event: event[0], default=None)

    def tip(self, deed: Deed, m: datetime) -> UUID:
        return self.links(deed, m)[-1][0]

    def lost(self, deed: Deed, m: datetime) -> bool:
        end = self.valid_until(deed)
        return (end is not None and end < m) or self.revocation(deed, self.tip(deed, m), m) is not None

    def accepted_certificate_facts(self, m: datetime) -> list[Any]:
        return [fact for fact, fine in self.decided_certificate_facts(m) if fine]

    def decided_certificate_facts(self, m: datetime) -> list[tuple[Any, bool]]:
        """The corrections, then the revocations of each moment, each with whether it is accepted.

        First those whose certificate exists; those whose certificate does not exist in the end are refused.
        """
        decided: list[tuple[Any, bool]] = []
        facts: list[Any] = [*self.doing.corrections, *self.doing.revocations]
        for at in sorted({fact.at for fact in facts if fact.at <= m}):
            waiting = sorted(
                (fact for fact in facts if fact.at == at),
                key=lambda fact: (not hasattr(fact, "supersedes_id"), fact.certificate_id, fact.actor_id),
            )
            while waiting:
                answers = [(fact, self.acceptable(fact, decided)) for fact in waiting]
                fact, fine = next((answer for answer in answers if answer[1] is not None), answers[0])
                waiting.remove(fact)
                decided.append((fact, bool(fine)))
        return decided

    def acceptable(self, fact: Any, decided: list[tuple[Any, bool]]) -> bool | None:
        """Whether a correction or revocation is accepted after those decided before; None: no such certificate."""
        by_id: dict[UUID, tuple[str, Deed]] = {}
        for deed in self.deeds:
            if deed.at <= fact.at and self.issued_at(deed, fact.at) is not None:
                by_id[self.root(deed)] = ("valid", deed)
        for earlier, fine in decided:
            if fine and hasattr(earlier, "supersedes_id"):
                deed = by_id[earlier.supersedes_id][1]
                by_id[earlier.supersedes_id] = ("replaced", deed)
                by_id[earlier.certificate_id] = ("valid", deed)
            elif fine:
                by_id[earlier.certificate_id] = ("revoked", by_id[earlier.certificate_id][1])
        correction = hasattr(fact, "supersedes_id")
        target = fact.supersedes_id if correction else fact.certificate_id
        if target not in by_id:
            return None
        state, deed = by_id[target]
        if any(when is not None and when <= fact.at for when in (deed.voided_at, deed.lowered_at)):
            return False
        return state == "valid" or (state == "replaced" and not correction)

    def issued_at(self, deed: Deed, m: datetime) -> datetime | None:
        """When, by `m`, the deed's certificate was issued: when a walk first saw it earned."""
        for when in [deed.at, *(v for v in self._void_moments(m) if v > deed.at)]:
            if when <= m and deed in self.walk(when).earned:
                return when
        return None

    # --- the walk

    def _void_moments(self, m: datetime) -> list[datetime]:
        return sorted({deed.voided_at for deed in self.deeds if deed.voided_at is not None and deed.voided_at <= m})

    def walk(self, until: datetime) -> "Walk":
        """The state at `until`, without every completion voided by then."""
        last = max((m for m in self.moments(until)), default=until)
        key = ("walk", last)
        if key not in self._walks:
            Walk(self, last, key)
        return self._walks[key]  # type: ignore[no-any-return]

    def refused(self, m: datetime) -> set[int | UUID]:
        """The identifiers of what is refused by a moment."""
        found: set[int | UUID] = {
            change.obligation_change_id
            for change in self.changes
            if change.at <= m and change.obligation_change_id in self.walk(change.at).refused
        }
        return found | {fact.certificate_id for fact, fine in self.decided_certificate_facts(m) if not fine}

    # --- answers

    def records_at(self, m: datetime) -> dict[UUID, Row]:
        """The stored fields of every record that exists at `m`."""
        walk = self.walk(m)
        voids = self._void_moments(m)
        rows = {}
        if not voids:
            return {rec.id: self.stored(rec, m) for rec in walk.records}
        last = voids[-1]
        before = self.records_at(last - TICK)
        for rec in walk.records:
            row = self.stored(rec, m)
            if rec.ended_at is not None and rec.ended_at <= last:
                # The record does not exist without what was voided, so it ends with the voiding at the latest.
                earlier = before.get(rec.id)
                if earlier is None:
                    continue
                if earlier["ended_at"] is None:
                    row["ended_at"] = last
                else:
                    row["ended_at"], row["ended_reason"] = earlier["ended_at"], earlier["ended_reason"]
                    row["requirement"] = self.requirement(row["ended_reason"], "")
                if rec.deed is None:
                    for name in ("assigned_at", "due_at", "due_basis", "share_ids", "doors", "requirement_before_end"):
                        row[name] = earlier[name]
            rows[rec.id] = row
        return rows

    @staticmethod
    def requirement(reason: str | None, otherwise: str) -> str:
        if reason is None:
            return otherwise
        return "superseded" if reason == "release_superseded" else "no_longer_required"

    def stored(self, rec: Rec, m: datetime) -> Row:
        deed = rec.deed
        return {
            "record_id": rec.id,
            "learner_profile_id": self.learner.learner_profile_id,
            "course_id": self.course.course_id,
            "course_release_id": rec.release,
            "lesson_release_id": rec.what if rec.kind == "lesson" else None,
            "renews_certificate_id": self.tip(rec.source, m) if rec.source else None,
            "requirement": self.requirement(rec.reason, rec.requirement),
            "requirement_before_end": rec.requirement,
            "assigned_at": rec.assigned_at,
            "due_at": rec.due[0],
            "due_time_zone": self.zone,
            "due_basis": rec.due[1],
            "completed_at": deed.completed_at if deed else None,
            "completion_receipt_id": deed.receipt if deed else None,
            "ended_at": rec.ended_at,
            "ended_reason": rec.reason,
            "waived_at": rec.waiver[0],
            "waiver_actor_id": rec.waiver[1],
            "waiver_reason_code": rec.waiver[2],
            "share_ids": rec.shares,
            "doors": rec.doors,
            "certificate_id": self.tip(deed, m) if deed and self.issued_at(deed, m) else None,
            "obligation_change_id": rec.change,
        }

    def rows(self, m: datetime) -> list[Row]:
        """The records at a moment, with the fields that depend on the clock."""
        found = []
        for row in self.records_at(m).values():
            outcome, late = outcome_of(row, m)
            found.append({**row, "outcome": outcome, "days_late": late})
        return found

    def certificates(self, m: datetime) -> list[Row]:
        """The certificates at a moment, of a person who is or was an employee by then."""
        found: list[Row] = []
        if not any(job.joined_at <= m for job in self.learner.employments):
            return found
        for deed in self.deeds:
            issued = self.issued_at(deed, m) if deed.at <= m else None
            if issued is None:
                continue
            edition, links, session = self.edition(deed), self.links(deed, m), deed.session
            release = next(release for release in self.releases if release.course_release_id == deed.release)
            end = self.valid_until(deed)
            for number, (certificate, at, _) in enumerate(links):
                gone = self.revocation(deed, certificate, m)
                if gone:
                    gone = (max(gone[0], at or issued), gone[1])
                successor = links[number + 1] if number + 1 < len(links) else None
                if gone:
                    status, changed = "revoked", gone
                elif successor:
                    status, changed = "replaced", (successor[1], successor[2])  # type: ignore[assignment]
                else:
                    status, changed = ("expired" if end is not None and end < m else "valid"), (None, None)  # type: ignore[assignment]
                marks = sorted(mark for mark in session.marks if mark.at <= m) if session else []
                found.append(
                    {
                        "certificate_id": certificate,
                        "learner_profile_id": self.learner.learner_profile_id,
                        "course_id": self.course.course_id,
                        "course_release_id": deed.release,
                        "course_release_version": release.version,
                        "certificate_title": edition.title,
                        "kind": edition.kind,
                        "earned_at": deed.completed_at,
                        "issued_at": at or issued,
                        "valid_until": end,
                        "status": status,
                        "changed_at": changed[0],
                        "changed_by": changed[1],
                        "supersedes_id": links[number - 1][0] if number else None,
                        "renews_id": self.walk(issued).renews.get(deed),
                        "live_session_id": session.live_session_id if session else None,
                        "live_session_format": session.format if session else None,
                        "live_session_starts_at": session.starts_at if session else None,
                        "live_session_ends_at": session.ends_at if session else None,
                        "live_session_minutes": session.minutes if session else None,
                        "live_session_marked_by": marks[-1].marked_by if marks else None,
                        "trainer_profile_id": session.trainer_profile_id if session else None,
                    }
                )
        return found


def outcome_of(row: Row, m: datetime) -> tuple[str, int | None]:
    """The table of docs/rules.md#outcomes, read from the top."""

    def late(since: datetime) -> int:
        return ceil((since - row["due_at"]) / timedelta(days=1))

    completed, due, ended = row["completed_at"], row["due_at"], row["ended_at"]
    if completed is not None and completed < row["assigned_at"]:
        return "completed_before_requirement", None
    if completed is not None and (due is None or completed <= due):
        return "completed_on_time", None
    if completed is not None:
        return "completed_late", late(completed)
    if row["waived_at"] is not None:
        return "waived", None
    if row["requirement_before_end"] == "optional":
        return ("optional_not_done", None) if ended is None else ("excused", None)
    if ended is not None:
        return ("missed", late(ended)) if due is not None and ended > due else ("excused", None)
    return ("overdue", late(m)) if due is not None and m > due else ("not_due_yet", None)


class Walk:
    """One walk from the beginning to `until`, without the completions voided by then."""

    def __init__(self, world: World, until: datetime, key: Any) -> None:
        world._walks[key] = self  # at its last moment a walk asks what it has seen itself so far
        self.world = world
        self.until = until
        self.deeds = [deed for deed in world.deeds if deed.voided_at is None or deed.voided_at > until]
        self.records: list[Rec] = []
        self.earned: set[Deed] = set()
        self.renews: dict[Deed, UUID] = {}
        self.refused: set[int] = set()
        self.done_with: set[Deed] = set()
        # Certificates that earlier walks saw issued exist, whatever this walk would issue.
        voids = world._void_moments(until)
        self.had = world.walk(voids[-1] - TICK).everything_earned() if voids else set()
        for m in world.moments(until):
            self.go(m)

    def everything_earned(self) -> set[Deed]:
        return self.earned | self.had

    def go(self, m: datetime) -> None:
        superseded = self.end(m)
        for lesson in [None, *self.world.lessons]:
            if self.world.covered(m, lesson):
                self.begin(m, lesson, superseded if lesson is None else None)
        self.renew(m)
        for change in self.world.changes:
            if change.at == m:
                self.change(change, m)
        for deed in self.deeds:
            if deed.at == m:
                self.complete(deed, m)
        self.renew(m)
        for rec in self.records:
            if rec.ended_at is None:
                self.terms(rec, m)

    @staticmethod
    def lesson(rec: Rec) -> UUID | None:
        return rec.what if rec.kind == "lesson" else None

    def end(self, m: datetime) -> Rec | None:
        world, superseded = self.world, None
        for rec in self.records:
            lesson = self.lesson(rec)
            if rec.ended_at is not None:
                if rec.deed and rec.reason == "person_left" and world.employed(m):
                    rec.ended_at = rec.reason = None
                continue
            if world.erased(m):
                reason = "source_removed"
            elif not world.employed(m):
                reason = "person_left"
            elif rec.deed:
                continue
            elif not world.covering(m, lesson):
                before = [s for s in world.course.shares if s.share_id in rec.shares]
                reason = "share_ended" if all(s.ended_at and s.ended_at <= m for s in before) else "audience_changed"
            elif not world.covered(m, lesson):
                reason = "course_withdrawn"
            elif rec.kind == "release" and rec.what != world.current(m):
                reason, superseded = "release_superseded", rec
            else:
                continue
            rec.ended_at, rec.reason = m, reason
        return superseded

    def place(self, release: UUID | None) -> int:
        return self.world.order.index(release) if release in self.world.order else -1

    def last_retake(self, release: UUID) -> int:
        """The position of the last retake up to a release; that of the first release if there was none."""
        places = [n for n in range(self.place(release) + 1) if self.world.releases[n].retake]
        return max(places, default=0)

    def settles(self, deed: Deed, m: datetime, lesson: UUID | None) -> bool:
        """Whether a deed would settle what is currently owed at `m`."""
        if lesson is not None:
            return deed.lesson == lesson
        current = self.world.current(m)
        if current is None or deed.release not in self.world.order:
            return False
        return self.last_retake(current) <= self.place(deed.release) <= self.place(current)

    def has_certificate(self, deed: Deed) -> bool:
        return deed in self.earned or deed in self.had

    def earlier(self, rec: Rec, m: datetime, since: datetime | None = None) -> Deed | None:
        for deed in self.deeds:
            if deed.at < m and self.settles(deed, m, self.lesson(rec)) and (since is None or deed.at >= since):
                if self.has_certificate(deed) and self.world.lost(deed, m):
                    continue
                return deed
        return None

    def begin(self, m: datetime, lesson: UUID | None, superseded: Rec | None) -> None:
        world = self.world
        current = lesson or world.current(m)
        assert current is not None
        kind = "lesson" if lesson else "release"
        done = [rec for rec in self.records if rec.kind == kind and rec.deed and rec.ended_at is None]
        floor = None
        if lesson is None:
            retake = self.last_retake(current)
            if any(retake <= self.place(rec.what) <= self.place(current) for rec in done):
                return
            if any(self.place(rec.what) < retake for rec in done):
                floor = world.releases[retake].published_at
        elif any(rec.what == lesson for rec in done):
            return
        rec = next((rec for rec in self.records if rec.kind == kind and rec.what == current), None)
        if rec is None:
            name = f"{world.learner.learner_profile_id}/{world.course.course_id}/{current}"
            rec = Rec(kind, current, uuid5(world.organization, name), m, m, None if lesson else current, floor=floor)
            if superseded is not None:
                rec.override, rec.waiver, rec.change = superseded.override, superseded.waiver, superseded.change
                rec.floor = superseded.floor
            self.records.append(rec)
        elif rec.ended_at is not None:
            rec.began, rec.ended_at, rec.reason = m, None, None
        else:
            return
        rec.deed = self.earlier(rec, m)

    def renew(self, m: datetime) -> None:
        world = self.world
        if not world.covered(m, None):
            return
        held = [
            deed
            for deed in self.deeds
            if deed.at <= m and self.has_certificate(deed) and world.valid_until(deed) is not None
        ]
        # A deed at this very moment that is not done yet has not earned anything yet.
        held = [deed for deed in held if deed.at < m or deed in self.earned]
        if not held:
            return
        newest = held[-1]
        rec = next((rec for rec in self.records if rec.source == newest), None)
        if rec is not None:
            if rec.ended_at is not None and rec.deed is None:
                rec.began, rec.ended_at, rec.reason = m, None, None
                rec.deed = self.earlier(rec, m, since=rec.first_began)
            return
        opens = world.opens(newest)
        clock = opens is not None and opens <= m
        if newest in self.done_with or not (clock or world.revocation(newest, world.tip(newest, m), m)):
            return
        if any(r.kind == "release" and r.undone and world.lost(newest, r.began) for r in self.records):
            self.done_with.add(newest)
            return
        root = world.root(newest)
        self.records.append(
            Rec("renewal", root, uuid5(world.organization, f"renewal/{root}"), m, m, world.current(m), source=newest)
        )

    def change(self, change: Any, m: datetime) -> None:
        number = change.obligation_change_id
        if m < self.until and number in self.world.walk(m).refused:
            return
        kinds = {"release": 0, "renewal": 1, "lesson": 2}

        def rank(rec: Rec) -> tuple[int, int, float, str]:
            newest_first = -self.place(rec.what) if rec.kind == "release" else 0
            latest_first = -rec.first_began.timestamp() if rec.kind == "renewal" else 0.0
            return kinds[rec.kind], newest_first, latest_first, str(rec.id if rec.kind == "renewal" else rec.what)

        live = sorted((rec for rec in self.records if rec.ended_at is None), key=rank)
        undone = [rec for rec in live if rec.undone]
        rec = (undone or live or [None])[0]
        if rec is None or (change.change == "waive" and rec.deed):
            self.refused.add(number)
        elif change.change == "waive":
            rec.waiver, rec.change = (m, change.actor_id, change.reason_code), number
        elif change.change == "reinstate":
            if rec.waiver[0] is not None:
                rec.waiver, rec.change = (None, None, None), number
        elif not rec.frozen and (change.due_at is not None or rec.override is not None):
            rec.override, rec.change = change.due_at, number

    def complete(self, deed: Deed, m: datetime) -> None:
        world = self.world
        completed = [rec for rec in self.records if rec.undone and self.settles(deed, m, self.lesson(rec))]
        for rec in completed:
            rec.deed = deed
        if not world.could_earn(deed):
            return
        good = [d for d in self.deeds if d.at <= m and d in self.earned and not world.lost(d, m)]
        useful = self.settles(deed, m, None) and not good
        if deed in self.had or not world.covered(m, None) or completed or useful:
            self.earned.add(deed)
            for rec in completed:
                if rec.source:
                    self.renews[deed] = world.tip(rec.source, m)

    def terms(self, rec: Rec, m: datetime) -> None:
        world, lesson = self.world, self.lesson(rec)
        if world.covered(m, lesson):
            shares = world.covering(m, lesson)
            rec.shares = tuple(share.share_id for share in shares)
            rec.doors = tuple(sorted({door for share in shares for door in world.says(share, m).doors}))  # type: ignore[union-attr]
            if not rec.frozen:
                required = world.required(m, lesson)
                rec.requirement = "required" if required else "optional"
                just_now = rec.deed is not None and (rec.deed.at == m or rec.began == m)
                if rec.deed is None or required or just_now:
                    start = world.since(m, lambda earlier: world.covered(earlier, lesson))
                    wanted = [e for e in [*world.moments(m), m] if e >= start and world.required(e, lesson)]
                    rec.assigned_at = max(rec.began, wanted[0]) if wanted else rec.began
                if rec.source is not None:
                    if rec.deed is None or just_now:
                        rec.release = world.current(m)
                    gone = world.revocation(rec.source, world.tip(rec.source, m), m)
                    ends = [world.valid_until(rec.source)] + ([days_after(world.zone, gone[0], 30)] if gone else [])
                    rec.plain_due = world.excused((min(end for end in ends if end is not None), "renewal"), m)
                else:
                    rec.plain_due = self.share_due(rec, m, shares)
        if not rec.frozen:
            rec.due = rec.plain_due if rec.override is None else world.excused((rec.override, "override"), m)
            rec.frozen = rec.deed is not None and rec.requirement == "required"

    def share_due(self, rec: Rec, m: datetime, shares: list[Share]) -> tuple[datetime | None, str]:
        world, lesson, deadlines = self.world, self.lesson(rec), []
        for share in shares:
            step = world.says(share, m)
            assert step is not None
            if step.requirement != "required":
                continue
            if step.deadline.basis == "share_deadline":
                if rec.floor is None or step.deadline.due_at >= rec.floor:  # type: ignore[operator]
                    deadlines.append((step.deadline.due_at, "share_deadline"))
            elif step.deadline.basis == "days_after_added":
                from_when = [world.since(m, lambda earlier, share=share: world.covers(share, earlier))]
                from_when.append(
                    world.since(
                        m,
                        lambda earlier, share=share: (
                            (then := world.says(share, earlier)) is not None and then.requirement == "required"
                        ),
                    )
                )
                if lesson is None:
                    from_when.append(world.since(m, lambda earlier: world.current(earlier) is not None))
                if rec.floor is not None:
                    from_when.append(rec.floor)
                due = days_after(world.zone, max(from_when), step.deadline.days)  # type: ignore[arg-type]
                deadlines.append((due, "days_after_added"))
        first_ones = ("share_deadline", "days_after_added", "override")
        excused = [world.excused(due, m) for due in deadlines]
        return min(excused, key=lambda due: (due[0], first_ones.index(due[1])), default=(None, "none"))


def known_by(facts: Facts, moment: datetime) -> Facts:
    """The same company without facts that take effect after `moment`. (A voiding is its own fact.)"""

    def upto(at: datetime | None) -> datetime | None:
        return at if at is not None and at <= moment else None

    def course(recorded: CourseFacts) -> CourseFacts:
        shares = (
            share._replace(
                steps=tuple(step for step in share.steps if step.at <= moment), ended_at=upto(share.ended_at)
            )
            for share in recorded.shares
        )
        return recorded._replace(
            releases=tuple(
                release._replace(withdrawn_at=upto(release.withdrawn_at))
                for release in recorded.releases
                if release.published_at <= moment
            ),
            shares=tuple(share for share in shares if share.steps),
            editions=tuple(edition for edition in recorded.editions if edition.at <= moment),
        )

    def learner(recorded: LearnerFacts) -> LearnerFacts:
        return recorded._replace(
            employments=tuple(
                job._replace(left_at=upto(job.left_at)) for job in recorded.employments if job.joined_at <= moment
            ),
            memberships=tuple(
                stay._replace(until=upto(stay.until)) for stay in recorded.memberships if stay.from_at <= moment
            ),
            erased_at=upto(recorded.erased_at),
            absences=tuple(
                absence._replace(voided_at=upto(absence.voided_at))
                for absence in recorded.absences
                if absence.at <= moment
            ),
        )

    def doing(recorded: DoingFacts) -> DoingFacts:
        return DoingFacts(
            completions=tuple(
                done._replace(
                    voided_at=upto(done.voided_at), voided_by=done.voided_by if upto(done.voided_at) else None
                )
                for done in recorded.completions
                if done.at <= moment
            ),
            changes=tuple(change for change in recorded.changes if change.at <= moment),
            attendances=tuple(
                session._replace(marks=tuple(mark for mark in session.marks if mark.at <= moment))
                for session in recorded.attendances
            ),
            revocations=tuple(fact for fact in recorded.revocations if fact.at <= moment),
            corrections=tuple(fact for fact in recorded.corrections if fact.at <= moment),
        )

    return replace(
        facts,
        courses={key: course(recorded) for key, recorded in facts.courses.items()},
        learners={key: learner(recorded) for key, recorded in facts.learners.items()},
        doings={key: doing(recorded) for key, recorded in facts.doings.items()},
    )
