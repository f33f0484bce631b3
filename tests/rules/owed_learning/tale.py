"""Builds the facts of one learner and one course, for worked examples. Moments are days after 1 January 2024, UTC."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from compliance.rules.absences import Absence
from compliance.rules.owed_learning import identity
from compliance.rules.owed_learning.decide import decide, prepare
from compliance.rules.owed_learning.decisions import CertificateContent, Decision, RecordContent
from compliance.rules.owed_learning.facts import (
    AttendanceMark,
    CertificateCorrection,
    CertificateEdition,
    CertificateRevocation,
    Completion,
    CourseFacts,
    Deadline,
    DoingFacts,
    Employment,
    LearnerFacts,
    Membership,
    ObligationChange,
    Release,
    SessionAttendance,
    Share,
    ShareStep,
)
from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from compliance.rules.vocabulary import (
    Attendance,
    CertificateKind,
    Door,
    DueBasis,
    LiveSessionFormat,
    MarkedBy,
    ObligationChangeKind,
    Requirement,
    WaiverReasonCode,
)

DAY_ZERO = datetime(2024, 1, 1, tzinfo=UTC)
ORGANIZATION = UUID("0a0a0a0a-0000-4000-8000-000000000001")
NO_DEADLINE = Deadline()
MICROSECOND = timedelta(microseconds=1)


def named(name: str) -> UUID:
    """The identifier for a name."""
    return uuid5(ORGANIZATION, name)


COURSE, LEARNER, ADMIN, TRAINER = named("course"), named("learner"), named("admin"), named("trainer")


def day(number: float) -> datetime:
    """The moment `number` days after day zero."""
    return DAY_ZERO + timedelta(days=number)


def end_of(number: int) -> datetime:
    """The last microsecond of a UTC day."""
    return day(number + 1) - MICROSECOND


def due_on(number: float) -> Deadline:
    """A fixed deadline."""
    return Deadline(DueBasis.SHARE_DEADLINE, due_at=day(number))


def due_within(days: int) -> Deadline:
    """Days after being added."""
    return Deadline(DueBasis.DAYS_AFTER_ADDED, days=days)


class Tale:
    """Collects facts; every method adds one and returns the object, so that an example reads as one sentence."""

    def __init__(self, zone: str = "UTC") -> None:
        self.zone = zone
        self.releases: dict[str, Release] = {}
        self.steps: dict[str, list[ShareStep]] = {}
        self.lesson_of: dict[str, UUID | None] = {}
        self.ends: dict[str, datetime] = {}
        self.editions: list[CertificateEdition] = []
        self.employments: list[Employment] = []
        self.memberships: list[Membership] = []
        self.erased_at: datetime | None = None
        self.absences: dict[str, Absence] = {}
        self.completions: dict[str, Completion] = {}
        self.changes: list[ObligationChange] = []
        self.sessions: dict[str, SessionAttendance] = {}
        self.revocations: list[CertificateRevocation] = []
        self.corrections: list[CertificateCorrection] = []

    def published(self, at: float, name: str = "one", *, retake: bool = False) -> "Tale":
        self.releases[name] = Release(named(name), len(self.releases) + 1, day(at), retake=retake)
        return self

    def withdrawn(self, at: float, name: str = "one") -> "Tale":
        self.releases[name] = self.releases[name]._replace(withdrawn_at=day(at))
        return self

    def shared(
        self,
        at: float,
        name: str = "share",
        deadline: Deadline = NO_DEADLINE,
        *,
        required: bool = True,
        team: str | None = None,
        with_learner: bool = False,
        doors: tuple[Door, ...] = (Door.EMPLOYEE,),
        lesson: str | None = None,
    ) -> "Tale":
        """Shares the course, or changes the share if it exists."""
        self.steps.setdefault(name, []).append(
            ShareStep(
                at=day(at),
                doors=frozenset(doors),
                requirement=Requirement.REQUIRED if required else Requirement.OPTIONAL,
                deadline=deadline,
                everyone=team is None and not with_learner,
                team_ids=frozenset([named(team)] if team else []),
                learner_profile_ids=frozenset([LEARNER] if with_learner else []),
            )
        )
        self.lesson_of[name] = named(lesson) if lesson else None
        return self

    def unshared(self, at: float, name: str = "share") -> "Tale":
        self.ends[name] = day(at)
        return self

    def joined(self, at: float, left: float | None = None, *, staff_practice: bool = False) -> "Tale":
        self.employments.append(
            Employment(named(f"person {at}"), day(at), None if left is None else day(left), staff_practice)
        )
        return self

    def in_team(self, team: str, at: float, until: float | None = None) -> "Tale":
        self.memberships.append(Membership(named(team), day(at), None if until is None else day(until)))
        return self

    def erased(self, at: float) -> "Tale":
        self.erased_at = day(at)
        return self

    def away(self, at: float, first: int, last: int, name: str = "away") -> "Tale":
        """Records at `at` that the learner is away from one day to another."""
        self.absences[name] = Absence(named(name), day(at), day(first).date(), day(last).date())
        return self

    def there_after_all(self, at: float, name: str = "away") -> "Tale":
        self.absences[name] = self.absences[name]._replace(voided_at=day(at))
        return self

    def certified(
        self,
        months: int | None = None,
        renew: int | None = None,
        *,
        at: float = -1000,
        kind: CertificateKind = CertificateKind.COMPLETION,
    ) -> "Tale":
        self.editions.append(CertificateEdition(day(at), "Certificate", kind, months, renew))
        return self

    def completed(self, at: float, release: str = "one", *, name: str = "c", assessed: bool = False) -> "Tale":
        self.completions[name] = Completion(named(name), day(at), named(release), None, assessed)
        return self

    def lesson_completed(self, at: float, lesson: str, *, name: str = "c") -> "Tale":
        self.completions[name] = Completion(named(name), day(at), None, named(lesson))
        return self

    def voided(self, at: float, name: str = "c") -> "Tale":
        self.completions[name] = self.completions[name]._replace(voided_at=day(at), voided_by=ADMIN)
        return self

    def waived(self, at: float, number: int = 1) -> "Tale":
        return self._changed(number, at, ObligationChangeKind.WAIVE, reason_code=WaiverReasonCode.MEDICAL)

    def reinstated(self, at: float, number: int = 2) -> "Tale":
        return self._changed(number, at, ObligationChangeKind.REINSTATE)

    def deadline_set(self, at: float, due: float | None, number: int = 3) -> "Tale":
        due_at = None if due is None else day(due)
        return self._changed(number, at, ObligationChangeKind.SET_DEADLINE, due_at=due_at)

    def _changed(self, number: int, at: float, change: ObligationChangeKind, **fields: Any) -> "Tale":
        self.changes.append(ObligationChange(number, day(at), change, actor_id=ADMIN, **fields))
        return self

    def attended(self, at: float, how: Attendance, *, by: MarkedBy = MarkedBy.TRAINER, name: str = "live") -> "Tale":
        session = self.sessions.get(name) or SessionAttendance(
            named(name), named("one"), LiveSessionFormat.ON_SITE, day(at - 1), day(at - 0.9), 90, TRAINER
        )
        mark = AttendanceMark(day(at), how, by)
        self.sessions[name] = session._replace(marks=(*session.marks, mark))
        return self

    def revoked(self, at: float, certificate: UUID) -> "Tale":
        self.revocations.append(CertificateRevocation(certificate, day(at), ADMIN))
        return self

    def corrected(self, at: float, certificate: UUID, by: str) -> "Tale":
        self.corrections.append(CertificateCorrection(named(by), certificate, day(at), ADMIN))
        return self

    # Results

    @property
    def facts(self) -> tuple[CourseFacts, LearnerFacts, DoingFacts]:
        shares = tuple(
            Share(named(name), tuple(steps), self.ends.get(name), self.lesson_of[name])
            for name, steps in self.steps.items()
        )
        return (
            CourseFacts(COURSE, tuple(self.releases.values()), shares, tuple(self.editions)),
            LearnerFacts(
                LEARNER,
                tuple(self.employments),
                tuple(self.memberships),
                self.erased_at,
                tuple(self.absences.values()),
            ),
            DoingFacts(
                tuple(self.completions.values()),
                tuple(self.changes),
                tuple(self.sessions.values()),
                tuple(self.revocations),
                tuple(self.corrections),
            ),
        )

    def decision(self, now: float = 10_000) -> Decision:
        course, learner, doing = self.facts
        return decide(ORGANIZATION, self.zone, prepare(course), learner, doing, day(now))

    def rows(self, at: float, now: float = 10_000) -> list[dict[str, Any]]:
        """The training records at a moment, including ended ones, with outcome and days late, in order of beginning."""
        found = []
        for timeline in self.decision(now).records:
            content = in_force(timeline.versions, day(at))
            if isinstance(content, RecordContent):
                found.append(readable(content, day(at)))
        return found

    def row(self, at: float, now: float = 10_000) -> dict[str, Any]:
        """The only training record at a moment."""
        (row,) = self.rows(at, now)
        return row

    def certificates(self, at: float, now: float = 10_000) -> list[dict[str, Any]]:
        """The certificates at a moment, with their status at that moment."""
        found = []
        for timeline in self.decision(now).certificates:
            content = in_force(timeline.versions, day(at))
            if isinstance(content, CertificateContent):
                status = certificate_status(content.status, content.valid_until, day(at))
                found.append({**content._asdict(), "status": status.value})
        return found


def in_force(versions: Any, moment: datetime) -> Any:
    """The content in force at a moment."""
    content = None
    for version in versions:
        if version.valid_from <= moment:
            content = version.content
    return content


def readable(content: RecordContent, moment: datetime) -> dict[str, Any]:
    """A content with what depends on the clock, and the release by the identifier of its name."""
    outcome, days_late = outcome_at(
        moment,
        requirement_before_end=content.requirement_before_end,
        assigned_at=content.assigned_at,
        due_at=content.due_at,
        completed_at=content.completed_at,
        ended_at=content.ended_at,
        waived_at=content.waived_at,
    )
    return {**content._asdict(), "outcome": outcome.value, "days_late": days_late}


def earned(name: str = "c") -> UUID:
    """The certificate that the completion of this name earns."""
    return identity.certificate_id(ORGANIZATION, named(name))
