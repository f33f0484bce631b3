"""Random stories of one learner and one course, seeded: all kinds of fact, on a coarse grid so that moments collide."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID, uuid5

from compliance.rules.absences import Absence
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
from tests.oracle.owed_learning import TICK, Facts
from tests.oracle.owed_learning import edges as edges_of

ORGANIZATION = UUID("0b0b0b0b-0000-4000-8000-000000000002")
COURSE, LEARNER = uuid5(ORGANIZATION, "course"), uuid5(ORGANIZATION, "learner")
ZONES = ("UTC", "Europe/London", "Africa/Cairo", "America/Havana", "Asia/Kathmandu", "Pacific/Apia")
START = datetime(2023, 9, 1, tzinfo=UTC)
SPAN = 120
"""Days. Certificates last a month or two, so that several cycles fit."""


def story(seed: int, *, plain: bool = False, crowded: bool = False) -> Facts:
    """The story of a seed. A plain one has a single share and release and no administrators.

    In a crowded one most things happen at the moment of something else.
    """
    chance = Random(seed)
    named = _Names(chance)
    recorded: list[datetime] = []

    def moment(low: float = 0, high: float = SPAN) -> datetime:
        again = [at for at in recorded if timedelta(days=low) <= at - START <= timedelta(days=high)]
        if crowded and again and chance.random() < 0.7:
            return chance.choice(again)
        days = chance.randint(int(low * 2), int(high * 2)) / 2
        if chance.random() < 0.15:
            days = chance.uniform(low, high)
        recorded.append(START + timedelta(days=days))
        return recorded[-1]

    def after(earlier: datetime, longest: int = 60) -> datetime:
        again = [at for at in recorded if timedelta(0) <= at - earlier <= timedelta(days=longest)]
        if crowded and again and chance.random() < 0.7:
            return chance.choice(again)
        recorded.append(earlier + timedelta(days=chance.randint(0, longest * 2) / 2))
        return recorded[-1]

    def maybe(earlier: datetime, probability: float, longest: int = 60) -> datetime | None:
        return after(earlier, longest) if chance.random() < probability else None

    teams = [named("team") for _ in range(2)]
    lesson = named("lesson")

    def step(at: datetime) -> ShareStep:
        doors = {Door.EMPLOYEE} if chance.random() < 0.95 else set()
        doors |= {Door.PARTNER} if chance.random() < 0.2 or not doors else set()
        kind = chance.random()
        if kind < 0.4:
            deadline = Deadline(DueBasis.SHARE_DEADLINE, due_at=moment())
        elif kind < 0.8:
            deadline = Deadline(DueBasis.DAYS_AFTER_ADDED, days=chance.randint(0, 40))
        else:
            deadline = Deadline()
        audience = chance.random()
        return ShareStep(
            at=at,
            doors=frozenset(doors),
            requirement=Requirement.REQUIRED if chance.random() < 0.75 else Requirement.OPTIONAL,
            deadline=deadline,
            everyone=audience < 0.55,
            team_ids=frozenset(chance.sample(teams, chance.randint(1, 2))) if 0.55 <= audience < 0.85 else frozenset(),
            learner_profile_ids=frozenset([LEARNER]) if audience >= 0.85 else frozenset(),
        )

    releases = []
    for number in range(1 if plain else chance.choice([0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4])):
        at = moment(0, 20) if not number else moment(0, SPAN)
        withdrawn_at = None if plain else maybe(at, 0.15)
        releases.append(Release(named("release"), number + 1, at, withdrawn_at, retake=chance.random() < 0.35))

    shares = []
    for _ in range(1 if plain else chance.choice([0, 1, 1, 1, 2, 2, 2, 3, 3])):
        ats = sorted({moment(0, 50) for _ in range(1 if plain else chance.choice([1, 1, 2, 3]))})
        lesson_id = lesson if not plain and chance.random() < 0.12 else None
        shares.append(
            Share(named("share"), tuple(step(at) for at in ats), maybe(ats[-1], 0.3), lesson_release_id=lesson_id)
        )

    editions: list[CertificateEdition] = []
    for _ in range(0 if plain else chance.choice([0, 1, 1, 1, 1, 2])):
        months = chance.choice([None, 1, 1, 2])
        editions.append(
            CertificateEdition(
                moment(-5, 15),
                f"Edition {len(editions)}",
                CertificateKind.COMPLETION if chance.random() < 0.85 else CertificateKind.ASSESSED,
                months,
                chance.choice([None, 7, 10, 20, 45]) if months else None,
            )
        )
    editions = list({edition.at: edition for edition in editions}.values())

    employments = []
    joined = moment(-10, 30)
    for _ in range(chance.choice([0, 1, 1, 1, 1, 1, 2, 2, 2, 3])):
        left = maybe(joined, 0.4, 80)
        employments.append(Employment(named("person"), joined, left, staff_practice=chance.random() < 0.08))
        if left is None:
            break
        joined = after(left, 20)

    memberships = []
    for team in teams:
        joined = moment(-10, 40)
        for _ in range(chance.choice([0, 1, 1, 2])):
            until = maybe(joined, 0.5, 50)
            memberships.append(Membership(team, joined, until))
            if until is None:
                break
            joined = after(until, 20)

    completions = []
    for _ in range(chance.choice([0, 1, 1]) if plain else chance.choice([0, 1, 1, 2, 3, 4, 5])):
        at = moment(-5)
        voided_at = None if plain else maybe(at, 0.25, 40)
        of_lesson = not plain and chance.random() < 0.12
        if not of_lesson and not releases:
            continue
        completions.append(
            Completion(
                named("receipt"),
                at,
                None if of_lesson else chance.choice(releases).course_release_id,
                lesson if of_lesson else None,
                assessed=chance.random() < 0.5,
                voided_at=voided_at,
                voided_by=named("admin") if voided_at else None,
            )
        )

    attendances = []
    for _ in range(1 if not plain and releases and chance.random() < 0.25 else 0):
        starts = moment()
        ats = sorted({after(starts, 30) for _ in range(chance.randint(1, 3))})
        session_id = named("session")
        attendances.append(
            SessionAttendance(
                session_id,
                chance.choice(releases).course_release_id,
                LiveSessionFormat.ONLINE,
                starts,
                starts + timedelta(hours=1),
                60,
                named("trainer"),
                tuple(
                    AttendanceMark(
                        at,
                        chance.choice([Attendance.FULL, Attendance.FULL, Attendance.PARTIAL, Attendance.ABSENT]),
                        chance.choice(list(MarkedBy)),
                    )
                    for at in ats
                ),
            )
        )

    changes = []
    for number in range(0 if plain else chance.choice([0, 0, 1, 2, 3])):
        kind = chance.choice([*ObligationChangeKind, ObligationChangeKind.WAIVE])
        due_at = moment() if kind == ObligationChangeKind.SET_DEADLINE and chance.random() < 0.7 else None
        reason = chance.choice(list(WaiverReasonCode)) if kind == ObligationChangeKind.WAIVE else None
        changes.append(ObligationChange(number + 1, moment(10), kind, reason, due_at, named("admin")))

    receipts = [done.completion_receipt_id for done in completions]
    receipts += [uuid5(ORGANIZATION, f"attendance/{session.live_session_id}/{LEARNER}") for session in attendances]
    certificates = [uuid5(ORGANIZATION, f"certificate/{receipt}") for receipt in receipts]
    corrections, revocations = [], []
    if editions and certificates:
        for _ in range(chance.choice([0, 0, 1, 2])):
            target = chance.choice(certificates)
            correction = CertificateCorrection(named("corrected"), target, moment(10), named("admin"))
            corrections.append(correction)
            certificates.append(correction.certificate_id)
        for _ in range(chance.choice([0, 0, 1, 2])):
            revocations.append(CertificateRevocation(chance.choice(certificates), moment(10), named("admin")))

    doing = DoingFacts(tuple(completions), tuple(changes), tuple(attendances), tuple(revocations), tuple(corrections))
    erased_at = moment(60) if chance.random() < 0.08 else None
    absences = () if plain else _absences(Random(f"absences of {seed}"), recorded if crowded else [])
    return Facts(
        ORGANIZATION,
        chance.choice(ZONES),
        {COURSE: CourseFacts(COURSE, tuple(releases), tuple(shares), tuple(editions))},
        {LEARNER: LearnerFacts(LEARNER, tuple(employments), tuple(memberships), erased_at, absences)},
        {(LEARNER, COURSE): doing},
        now=START + timedelta(days=chance.choice([40, 80, 200])),
    )


def at_edges(facts: Facts, seed: int) -> Facts:
    """The same story with completions made and voided at edges: where windows open or end, or something is due.

    Or one microsecond beside. What happens at an edge makes new edges, so it is done one by one.
    """
    chance = Random(seed)
    for number in range(len(facts.doings[LEARNER, COURSE].completions)):
        doing = facts.doings[LEARNER, COURSE]
        done = doing.completions[number]
        edges = [at + chance.choice((-TICK, *[TICK * 0] * 3, TICK)) for at in edges_of(facts, LEARNER, COURSE)]
        if chance.random() < 0.5 and edges:
            done = done._replace(at=chance.choice(edges))
        later = [at for at in edges if at >= done.at]
        voided_at = chance.choice(later) if later and chance.random() < 0.6 else None
        done = done._replace(voided_at=voided_at, voided_by=None if voided_at is None else COURSE)
        completions = (*doing.completions[:number], done, *doing.completions[number + 1 :])
        facts = replace(facts, doings={(LEARNER, COURSE): doing._replace(completions=completions)})
    return facts


def _absences(chance: Random, recorded: list[datetime]) -> tuple[Absence, ...]:
    """Some weeks of absence, with a random source of their own, so that the rest of a story is the same without them.

    They overlap, adjoin and follow one another; some were recorded later than they began, or voided.
    """
    found = []
    day = (START + timedelta(days=chance.randint(-10, 50))).date()
    for number in range(chance.choice([0, 1, 1, 2, 2, 3])):
        last = day + timedelta(days=chance.choice([0, 6, 20, 30, 45, 59]))
        at = START + timedelta(days=chance.randint(-10, SPAN) / 2)
        if recorded and chance.random() < 0.7:
            at = chance.choice(recorded)
        voided_at = at + timedelta(days=chance.randint(0, 80) / 2) if chance.random() < 0.25 else None
        found.append(Absence(UUID(int=number), at, day, last, voided_at))
        day = last + timedelta(days=chance.choice([-10, -1, 0, 1, 1, 2, 15]))
        day = max(day, date(2023, 1, 1))
    return tuple(found)


class _Names:
    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def __call__(self, _: str) -> UUID:
        return UUID(int=self.chance.getrandbits(128), version=4)
