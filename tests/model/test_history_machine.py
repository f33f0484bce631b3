"""Facts in any order, and pages read at any pin, compared with the oracle.

Each example is one company in a transaction that is rolled back. Facts are late, up to five minutes ahead of time, and
on so coarse a grid that moments collide; some are at the very edges of what is known. Captures happen in between, and
each leaves a pin. A page at (T, S) must agree with the oracle at T about the facts that were known at S, however much
has been captured since, and a repeated question about an old pin must get the same answer. The product and the oracle
must refuse the same facts.

MODEL_EXAMPLES sets the number of examples (the suite's few are the same in every run), MODEL_STEPS the steps of each.
docs/worked-examples.md describes what longer runs found; each difference found stays here as its steps.
"""

import os
import sys
import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from compliance.facts.errors import FactsError
from compliance.facts.lines import kinds
from compliance.facts.recording.recording import record
from compliance.history.actions import capture_all, sweep_company
from compliance.history.models import HistoryHead, HistoryRow
from compliance.history.text import instant
from compliance.history.verify import Verified, verify_history
from compliance.registers import training
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from compliance.rules.absences import Absence
from compliance.rules.owed_learning import facts as rules
from compliance.rules.vocabulary import (
    AbsenceReasonCode,
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
from compliance.tenancy import context
from tests.companies import make_company
from tests.oracle import owed_learning as oracle
from tests.registers.pulling import pull

pytestmark = pytest.mark.django_db

SPACE = uuid.UUID("0c0c0c0c-0000-4000-8000-000000000003")
"""The company's id, from which all other ids derive: the same in every run, so that examples can be repeated."""

ACTOR = uuid.uuid5(SPACE, "administrator")
TEAMS = (uuid.uuid5(SPACE, "team 1"), uuid.uuid5(SPACE, "team 2"))
BEGIN = datetime(2025, 3, 3, 9, tzinfo=UTC)
ZONES = ("Europe/London", "Africa/Cairo", "Asia/Kathmandu", "UTC")
STEP = timedelta(hours=12)

AHEAD = (timedelta(seconds=1), timedelta(minutes=2), timedelta(minutes=5))

ago = st.integers(0, 160) | st.sampled_from((5, 17, 40, 80)) | st.sampled_from((-1, -2, -3))
"""Half days; a few of them often, so that much happens at one moment. Below zero: ahead of time (`AHEAD`)."""

which = st.integers(0, 5)


@dataclass
class Ledger:
    """What was recorded of the company, kept by the test in its own way and turned into the oracle's facts."""

    zone: str
    releases: dict[uuid.UUID, list[rules.Release]] = field(default_factory=dict)
    editions: dict[uuid.UUID, list[rules.CertificateEdition]] = field(default_factory=dict)
    shares: dict[uuid.UUID, dict[str, Any]] = field(default_factory=dict)
    stays: dict[uuid.UUID, list[rules.Employment]] = field(default_factory=dict)
    teams: dict[tuple[uuid.UUID, uuid.UUID], list[rules.Membership]] = field(default_factory=dict)
    erased: dict[uuid.UUID, datetime] = field(default_factory=dict)
    absences: dict[uuid.UUID, tuple[uuid.UUID, Absence]] = field(default_factory=dict)
    completions: dict[uuid.UUID, tuple[uuid.UUID, uuid.UUID, rules.Completion]] = field(default_factory=dict)
    sessions: dict[uuid.UUID, tuple[uuid.UUID, rules.SessionAttendance]] = field(default_factory=dict)
    marks: dict[tuple[uuid.UUID, uuid.UUID], list[rules.AttendanceMark]] = field(default_factory=dict)
    changes: list[tuple[uuid.UUID, uuid.UUID, rules.ObligationChange]] = field(default_factory=list)
    revocations: list[tuple[uuid.UUID, uuid.UUID, rules.CertificateRevocation]] = field(default_factory=list)
    corrections: list[tuple[uuid.UUID, uuid.UUID, rules.CertificateCorrection]] = field(default_factory=list)

    def facts(self, now: datetime) -> oracle.Facts:
        courses = {
            course_id: rules.CourseFacts(
                course_id,
                tuple(releases),
                tuple(self._share(id_, share) for id_, share in self.shares.items() if share["course_id"] == course_id),
                tuple(self.editions[course_id]),
            )
            for course_id, releases in self.releases.items()
        }
        learners = {
            learner: rules.LearnerFacts(
                learner,
                tuple(stays),
                tuple(stay for team in TEAMS for stay in self.teams.get((learner, team), ())),
                self.erased.get(learner),
                tuple(absence for whose, absence in self.absences.values() if whose == learner),
            )
            for learner, stays in self.stays.items()
        }
        doings = {(learner, course): self._doing(learner, course) for learner in learners for course in courses}
        return oracle.Facts(SPACE, self.zone, courses, learners, doings, now)

    @staticmethod
    def _share(share_id: uuid.UUID, share: dict[str, Any]) -> rules.Share:
        steps: list[rules.ShareStep] = []
        terms: dict[str, Any] = {}
        for at, changed in sorted(share["steps"], key=lambda each: each[0]):
            terms |= changed
            steps.append(rules.ShareStep(at, **terms))
        return rules.Share(share_id, tuple(steps), share["ended_at"], share["lesson"])

    def _doing(self, learner: uuid.UUID, course: uuid.UUID) -> rules.DoingFacts:
        def own(entries: list[Any]) -> tuple[Any, ...]:
            return tuple(each[2] for each in entries if each[:2] == (learner, course))

        return rules.DoingFacts(
            own(list(self.completions.values())),
            own(self.changes),
            tuple(
                session._replace(marks=tuple(self.marks[id_, learner]))
                for id_, (of, session) in self.sessions.items()
                if of == course and (id_, learner) in self.marks
            ),
            own(self.revocations),
            own(self.corrections),
        )


class HistoryMachine(RuleBasedStateMachine):
    """One company; see the module."""

    def __init__(self) -> None:
        super().__init__()
        self.rolled_back = transaction.atomic()
        self.rolled_back.__enter__()
        self.now = BEGIN + 60 * STEP
        self.names = 0
        self.waiting: list[kinds.FactLine] | None = None
        self.recent: list[datetime] = []
        self.pins: list[tuple[Pin, oracle.Facts]] = []
        self.answers: list[tuple[Question, bool, list[Any]]] = []

    # --- recording

    def name(self, what: str) -> uuid.UUID:
        self.names += 1
        return uuid.uuid5(SPACE, f"{what} {self.names}")

    def tell(self, kind: type[kinds.FactLine], at: datetime, **fields: Any) -> bool:
        """Records one fact; returns whether it was accepted."""
        line = kind(fact_id=self.name("fact"), at=at, **fields)
        self.recent.append(at)
        if self.waiting is not None:
            self.waiting.append(line)
            return True
        try:
            record(SPACE, [line], now=self.now)
        except FactsError:
            return False
        return True

    def at(self, half_days_ago: int) -> datetime:
        """A moment of the grid, counted in half days however many minutes have passed."""
        return BEGIN + ((self.now - BEGIN) // STEP - half_days_ago) * STEP

    def when(self, half_days_ago: int) -> datetime:
        """When a fact takes effect: by now, or up to five minutes ahead."""
        return self.at(half_days_ago) if half_days_ago >= 0 else self.now + AHEAD[-half_days_ago - 1]

    @property
    def learners(self) -> list[uuid.UUID]:
        return list(self.ledger.stays)

    @property
    def courses(self) -> list[uuid.UUID]:
        return list(self.ledger.releases)

    def living(self, number: int) -> uuid.UUID:
        return self.learners[number % len(self.learners)]

    @initialize(
        zone=st.sampled_from(ZONES), days=st.integers(0, 20), everyone=st.booleans(),
        done=st.lists(st.tuples(which, which, st.integers(0, 90)), max_size=4),
    )  # fmt: skip
    def begin(self, zone: str, days: int, everyone: bool, done: list[tuple[int, int, int]]) -> None:
        """Two people, two courses and two shares, recorded together."""
        self.ledger = Ledger(zone)
        make_company("Model", zone, date(2024, 1, 1), at=BEGIN, organization_id=SPACE)
        self.waiting = []
        for team in TEAMS:
            self.tell(kinds.TeamCreated, BEGIN, team_id=team, name="Team")
        self.add_person(100, True)
        self.add_person(60, False)
        for kind, months, before in ((CertificateKind.COMPLETION, 1, 10), (CertificateKind.ASSESSED, None, None)):
            self._course(kind, months, before)
        self._share(0, 90, everyone, True, ("days", days), None)
        self._share(1, 80, True, True, ("fixed", 20), None)
        for learner, course, half_days in done:
            self.complete(learner, course, 0, half_days, True)
        record(SPACE, self.waiting, now=self.now)
        self.waiting = None

    def _course(self, kind: CertificateKind, months: int | None, before: int | None) -> None:
        course_id = self.name("course")
        at = self.at(115)
        certificate = kinds.Certificate(title="Able", kind=kind, valid_months=months, renew_days_before=before)
        assert self.tell(kinds.CourseCreated, at, course_id=course_id, title="Course", certificate=certificate)
        self.ledger.releases[course_id] = []
        self.ledger.editions[course_id] = [rules.CertificateEdition(at, "Able", kind, months, before)]
        self._publish(course_id, 110, False)

    @rule(half_days=ago, in_team=st.booleans())
    @precondition(lambda self: len(self.learners) < 3)
    def add_person(self, half_days: int, in_team: bool) -> None:
        learner, person, at = self.name("learner"), self.name("person"), self.when(half_days)
        teams = (TEAMS[0],) if in_team else None
        assert self.tell(
            kinds.EmployeeJoined, at, person_id=person, learner_profile_id=learner, person_name="Ana", team_ids=teams
        )
        self.ledger.stays[learner] = [rules.Employment(person, at)]
        if in_team:
            self.ledger.teams[learner, TEAMS[0]] = [rules.Membership(TEAMS[0], at)]

    @rule(number=which, half_days=ago)
    def leave(self, number: int, half_days: int) -> None:
        learner, at = self.living(number), self.when(half_days)
        stays = self.ledger.stays[learner]
        if at <= stays[-1].joined_at:
            return
        accepted = self.tell(kinds.EmployeeLeft, at, person_id=stays[-1].person_id)
        assert accepted == (stays[-1].left_at is None and learner not in self.ledger.erased)
        if accepted:
            stays[-1] = stays[-1]._replace(left_at=at)

    @rule(number=which, half_days=ago)
    def come_back(self, number: int, half_days: int) -> None:
        learner, person, at = self.living(number), self.name("person"), self.when(half_days)
        left_at = self.ledger.stays[learner][-1].left_at
        if left_at is not None and at < left_at:
            return
        accepted = self.tell(kinds.EmployeeJoined, at, person_id=person, learner_profile_id=learner)
        assert accepted == (left_at is not None and learner not in self.ledger.erased)
        if accepted:
            self.ledger.stays[learner].append(rules.Employment(person, at))

    @rule(number=which, team=st.sampled_from(TEAMS), half_days=ago)
    def change_team(self, number: int, team: uuid.UUID, half_days: int) -> None:
        learner, at = self.living(number), self.when(half_days)
        stays = self.ledger.teams.setdefault((learner, team), [])
        if (stays and at <= (stays[-1].until or stays[-1].from_at)) or learner in self.ledger.erased:
            return
        if stays and stays[-1].until is None:
            assert self.tell(kinds.TeamLeft, at, team_id=team, learner_profile_id=learner)
            stays[-1] = stays[-1]._replace(until=at)
        else:
            assert self.tell(kinds.TeamJoined, at, team_id=team, learner_profile_id=learner)
            stays.append(rules.Membership(team, at))

    @rule(number=which, half_days=ago, first=st.integers(-60, 60), days=st.sampled_from([0, 6, 20, 90]))
    def be_away(self, number: int, half_days: int, first: int, days: int) -> None:
        learner, at, absence_id = self.living(number), self.when(half_days), self.name("absence")
        first_day = self.at(first).date()
        absence = Absence(absence_id, at, first_day, first_day + timedelta(days=days))
        accepted = self.tell(
            kinds.AbsenceRecorded, at, absence_id=absence_id, learner_profile_id=learner,
            **{"from": first_day, "to": absence.last_day, "reason_code": AbsenceReasonCode.LEAVE},
        )  # fmt: skip
        assert accepted == (learner not in self.ledger.erased)
        if accepted:
            self.ledger.absences[absence_id] = (learner, absence)

    @rule(number=which, half_days=ago)
    @precondition(lambda self: self.ledger.absences)
    def be_there_after_all(self, number: int, half_days: int) -> None:
        absence_id = list(self.ledger.absences)[number % len(self.ledger.absences)]
        learner, absence = self.ledger.absences[absence_id]
        at = self.when(half_days)
        accepted = self.tell(kinds.AbsenceVoided, at, absence_id=absence_id)
        assert accepted == (absence.voided_at is None and at >= absence.at and learner not in self.ledger.erased)
        if accepted:
            self.ledger.absences[absence_id] = (learner, absence._replace(voided_at=at))

    @rule(number=which)
    @precondition(lambda self: self.names > 60 and not self.ledger.erased)
    def erase(self, number: int) -> None:
        learner = self.living(number)
        assert self.tell(kinds.PersonErased, self.now, learner_profile_id=learner)
        self.ledger.erased[learner] = self.now

    # --- courses and shares

    def _publish(self, course_id: uuid.UUID, half_days: int, retake: bool) -> None:
        releases = self.ledger.releases[course_id]
        release = rules.Release(self.name("release"), len(releases) + 1, self.when(half_days), None, retake)
        assert self.tell(
            kinds.ReleasePublished, release.published_at, course_id=course_id, version=release.version, lessons=(),
            course_release_id=release.course_release_id, retake=retake,
        )  # fmt: skip
        releases.append(release)

    @rule(number=which, half_days=ago, retake=st.booleans())
    @precondition(lambda self: sum(map(len, self.ledger.releases.values())) < 5)
    def publish(self, number: int, half_days: int, retake: bool) -> None:
        self._publish(self.courses[number % 2], half_days, retake)

    @rule(number=which, half_days=ago)
    def withdraw(self, number: int, half_days: int) -> None:
        releases, at = self.ledger.releases[self.courses[number % 2]], self.when(half_days)
        newest = releases[-1]
        if at < newest.published_at:
            return
        accepted = self.tell(kinds.ReleaseWithdrawn, at, course_release_id=newest.course_release_id)
        assert accepted == (newest.withdrawn_at is None)
        if accepted:
            releases[-1] = newest._replace(withdrawn_at=at)

    @rule(number=which, half_days=ago, months=st.sampled_from([None, 1, 2]), before=st.sampled_from([None, 5, 45]))
    def change_course(self, number: int, half_days: int, months: int | None, before: int | None) -> None:
        course_id, at = self.courses[number % 2], self.when(half_days)
        if any(edition.at == at for edition in self.ledger.editions[course_id]):
            return
        before = before if months else None
        kind = CertificateKind.COMPLETION
        certificate = kinds.Certificate(title="Able still", kind=kind, valid_months=months, renew_days_before=before)
        assert self.tell(kinds.CourseChanged, at, course_id=course_id, title="Course", certificate=certificate)
        self.ledger.editions[course_id].append(rules.CertificateEdition(at, "Able still", kind, months, before))

    def _terms(self, audience: int, required: bool, deadline: tuple[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The fields of a line, and the same as the rules take them."""
        requirement = Requirement.REQUIRED if required else Requirement.OPTIONAL
        basis, number = deadline
        line: dict[str, Any] = {"requirement": requirement}
        terms: dict[str, Any] = {"requirement": requirement, "everyone": False}
        terms |= {"team_ids": frozenset(), "learner_profile_ids": frozenset()}
        if audience == 0:
            line["audience"] = kinds.Audience(everyone=True)
            terms["everyone"] = True
        elif audience == 1:
            line["audience"] = kinds.Audience(team_ids=TEAMS[:1])
            terms["team_ids"] = frozenset(TEAMS[:1])
        else:
            chosen = self.learners[-1]
            line["audience"] = kinds.Audience(learner_profile_ids=(chosen,))
            terms["learner_profile_ids"] = frozenset([chosen])
        if basis == "fixed":
            line["deadline"] = kinds.FixedDeadline(due_at=self.at(number))
            terms["deadline"] = rules.Deadline(DueBasis.SHARE_DEADLINE, due_at=self.at(number))
        elif basis == "days":
            line["deadline"] = kinds.DaysAfterAdded(days=number)
            terms["deadline"] = rules.Deadline(DueBasis.DAYS_AFTER_ADDED, days=number)
        else:
            line["deadline"] = kinds.NoDeadline()
            terms["deadline"] = rules.Deadline()
        return line, terms

    def _share(
        self, number: int, half_days: int, everyone: bool, required: bool, deadline: tuple[str, int],
        lesson: uuid.UUID | None,
    ) -> None:  # fmt: skip
        share_id, at, course_id = self.name("share"), self.when(half_days), self.courses[number % 2]
        fields, terms = self._terms(0 if everyone else 1 + number % 2, required, deadline)
        doors = (Door.EMPLOYEE,) if number % 3 else (Door.EMPLOYEE, Door.PARTNER)
        terms["doors"] = frozenset(doors)
        common = {"share_id": share_id, "course_id": course_id, "doors": doors, **fields}
        if lesson is None:
            assert self.tell(kinds.CourseShared, at, **common)
        else:
            assert self.tell(
                kinds.LessonShared, at, lesson_release_id=lesson, title="Lesson", version=1, content_sha256="0" * 64,
                **common,
            )  # fmt: skip
        self.ledger.shares[share_id] = {
            "course_id": course_id, "lesson": lesson, "steps": [(at, terms)], "ended_at": None, "opened_at": at,
        }  # fmt: skip

    deadlines = st.one_of(
        st.just(("none", 0)),
        st.tuples(st.just("fixed"), st.integers(-60, 120)),
        st.tuples(st.just("days"), st.integers(0, 40)),
    )

    @rule(
        number=which, half_days=ago, everyone=st.booleans(), required=st.booleans(), deadline=deadlines,
        of_lesson=st.sampled_from([False, False, False, True]),
    )  # fmt: skip
    @precondition(lambda self: len(self.ledger.shares) < 5)
    def share(
        self, number: int, half_days: int, everyone: bool, required: bool, deadline: tuple[str, int], of_lesson: bool
    ) -> None:
        lesson = uuid.uuid5(SPACE, f"lesson {number % 2}") if of_lesson else None
        self._share(number, half_days, everyone, required, deadline, lesson)

    @rule(
        number=which, half_days=ago, audience=st.integers(0, 2), required=st.booleans(), deadline=deadlines,
        speaks_of=st.sampled_from([("audience",), ("requirement",), ("deadline",), ("audience", "deadline")]),
    )  # fmt: skip
    def change_share(
        self, number: int, half_days: int, audience: int, required: bool, deadline: tuple[str, int],
        speaks_of: tuple[str, ...],
    ) -> None:  # fmt: skip
        share_id = list(self.ledger.shares)[number % len(self.ledger.shares)]
        share, at = self.ledger.shares[share_id], self.when(half_days)
        if any(step_at == at for step_at, _ in share["steps"]):
            return
        fields, terms = self._terms(audience, required, deadline)
        names = {"audience": ("everyone", "team_ids", "learner_profile_ids")}
        kept = {name for spoken in speaks_of for name in names.get(spoken, (spoken,))}
        accepted = self.tell(
            kinds.ShareChanged, at, share_id=share_id, **{name: fields[name] for name in fields if name in speaks_of}
        )
        assert accepted == (at >= share["opened_at"])
        if accepted:
            share["steps"].append((at, {name: terms[name] for name in terms if name in kept}))

    @rule(number=which, half_days=ago)
    def end_share(self, number: int, half_days: int) -> None:
        share_id = list(self.ledger.shares)[number % len(self.ledger.shares)]
        share, at = self.ledger.shares[share_id], self.when(half_days)
        accepted = self.tell(kinds.ShareEnded, at, share_id=share_id)
        assert accepted == (share["ended_at"] is None and at >= share["opened_at"])
        if accepted:
            share["ended_at"] = at

    # --- learning

    @rule(number=which, course=which, release=which, half_days=ago, assessed=st.booleans())
    def complete(self, number: int, course: int, release: int, half_days: int, assessed: bool) -> None:
        learner, course_id, at = self.living(number), self.courses[course % 2], self.when(half_days)
        releases = self.ledger.releases[course_id]
        chosen = releases[release % len(releases)].course_release_id
        self._complete(learner, course_id, rules.Completion(self.name("receipt"), at, chosen, None, assessed))

    @rule(number=which, half_days=st.integers(0, 40))
    def complete_the_newest(self, number: int, half_days: int) -> None:
        """The ordinary case, so that there are certificates to renew, revoke and correct."""
        self.complete(number, number // 2, -1, half_days, True)

    @rule(number=which, half_days=ago)
    @precondition(lambda self: any(share["lesson"] for share in self.ledger.shares.values()))
    def complete_lesson(self, number: int, half_days: int) -> None:
        share = next(share for share in self.ledger.shares.values() if share["lesson"])
        receipt = rules.Completion(self.name("receipt"), self.when(half_days), None, share["lesson"])
        self._complete(self.living(number), share["course_id"], receipt)

    def _complete(self, learner: uuid.UUID, course_id: uuid.UUID, receipt: rules.Completion) -> None:
        accepted = self.tell(
            kinds.CourseCompleted, receipt.at, completion_receipt_id=receipt.completion_receipt_id,
            learner_profile_id=learner, course_release_id=receipt.course_release_id,
            lesson_release_id=receipt.lesson_release_id, assessed=receipt.assessed,
        )  # fmt: skip
        assert accepted == (learner not in self.ledger.erased)
        if accepted:
            self.ledger.completions[receipt.completion_receipt_id] = (learner, course_id, receipt)

    def _edge(self, learner: uuid.UUID, course_id: uuid.UUID, edge: int, tick: int) -> datetime:
        """A moment at which something changes, or beside it: a window opens or ends, something is due."""
        edges = [at for at in oracle.edges(self.ledger.facts(self.now), learner, course_id) if at < self.now]
        return (edges[-1 - edge % len(edges)] if edges else self.now) + tick * timedelta(microseconds=1)

    @rule(number=which, course=which, edge=st.integers(0, 40), tick=st.sampled_from((-1, 0, 0, 1)))
    def complete_at_an_edge(self, number: int, course: int, edge: int, tick: int) -> None:
        learner, course_id = self.living(number), self.courses[course % 2]
        at, chosen = self._edge(learner, course_id, edge, tick), self.ledger.releases[course_id][-1].course_release_id
        self._complete(learner, course_id, rules.Completion(self.name("receipt"), at, chosen, None, True))

    @rule(number=which, edge=st.integers(0, 40), tick=st.sampled_from((-1, 0, 0, 1)))
    @precondition(lambda self: self.ledger.completions)
    def void_at_an_edge(self, number: int, edge: int, tick: int) -> None:
        receipt_id = list(self.ledger.completions)[number % len(self.ledger.completions)]
        self._void(receipt_id, self._edge(*self.ledger.completions[receipt_id][:2], edge, tick))

    @rule(number=which, half_days=ago)
    @precondition(lambda self: self.ledger.completions)
    def void(self, number: int, half_days: int) -> None:
        self._void(list(self.ledger.completions)[number % len(self.ledger.completions)], self.when(half_days))

    def _void(self, receipt_id: uuid.UUID, at: datetime) -> None:
        learner, course_id, receipt = self.ledger.completions[receipt_id]
        accepted = self.tell(kinds.CompletionVoided, at, completion_receipt_id=receipt_id, actor_id=ACTOR)
        assert accepted == (receipt.voided_at is None and at >= receipt.at and learner not in self.ledger.erased)
        if accepted:
            voided = receipt._replace(voided_at=at, voided_by=ACTOR)
            self.ledger.completions[receipt_id] = (learner, course_id, voided)

    @rule(number=which, course=which, half_days=ago)
    @precondition(lambda self: len(self.ledger.sessions) < 2)
    def hold_session(self, number: int, course: int, half_days: int) -> None:
        course_id, starts = self.courses[course % 2], self.at(max(half_days, 0))
        if any(session.starts_at == starts for _, session in self.ledger.sessions.values()):
            return
        release = self.ledger.releases[course_id][-1].course_release_id
        session = rules.SessionAttendance(
            self.name("session"), release, LiveSessionFormat.ONLINE, starts, starts + timedelta(hours=1), 60, ACTOR
        )
        fields = {name: value for name, value in session._asdict().items() if name != "marks"}
        assert self.tell(kinds.LiveSessionHeld, starts, **fields)
        self.ledger.sessions[session.live_session_id] = (course_id, session)

    @rule(number=which, session=which, attended=st.sampled_from(Attendance), later=st.integers(1, 40), by=st.booleans())
    @precondition(lambda self: self.ledger.sessions)
    def mark(self, number: int, session: int, attended: Attendance, later: int, by: bool) -> None:
        session_id = list(self.ledger.sessions)[session % len(self.ledger.sessions)]
        learner = self.living(number)
        at = min(self.ledger.sessions[session_id][1].starts_at + later * STEP, self.now)
        marks = self.ledger.marks.setdefault((session_id, learner), [])
        marked_by = MarkedBy.TRAINER if by else MarkedBy.SVC
        accepted = self.tell(
            kinds.AttendanceMarked, at, live_session_id=session_id, learner_profile_id=learner, attended=attended,
            marked_by=marked_by,
        )  # fmt: skip
        assert accepted == (learner not in self.ledger.erased and all(mark.at != at for mark in marks))
        if accepted:
            marks.append(rules.AttendanceMark(at, attended, marked_by))
        if not marks:
            del self.ledger.marks[session_id, learner]

    # --- administrators

    def _accepted(self, learner: uuid.UUID, course_id: uuid.UUID, key: Any, at: datetime) -> bool:
        """Whether the oracle accepts a fact that the ledger already holds."""
        if learner in self.ledger.erased:
            return False
        return key not in oracle.refused(self.ledger.facts(self.now), learner, course_id, at)

    @rule(
        number=which, course=which, half_days=ago, kind=st.sampled_from(ObligationChangeKind),
        due=st.one_of(st.none(), st.integers(-60, 100)),
    )  # fmt: skip
    def change_obligation(
        self, number: int, course: int, half_days: int, kind: ObligationChangeKind, due: int | None
    ) -> None:
        learner, course_id, at = self.living(number), self.courses[course % 2], self.when(half_days)
        self.names += 1
        reason = WaiverReasonCode.MEDICAL if kind == ObligationChangeKind.WAIVE else None
        due_at = self.at(due) if due is not None and kind == ObligationChangeKind.SET_DEADLINE else None
        change = rules.ObligationChange(self.names, at, kind, reason, due_at, ACTOR)
        accepted = self.tell(
            kinds.ObligationChanged, at, obligation_change_id=change.obligation_change_id, change=kind,
            learner_profile_id=learner, course_id=course_id, reason_code=reason, due_at=due_at, actor_id=ACTOR,
        )  # fmt: skip
        self.ledger.changes.append((learner, course_id, change))
        assert accepted == self._accepted(learner, course_id, change.obligation_change_id, at)
        if not accepted:
            self.ledger.changes.pop()

    @rule(number=which, course=which, half_days=st.integers(0, 40), earlier=st.integers(1, 30))
    def set_a_deadline_late(self, number: int, course: int, half_days: int, earlier: int) -> None:
        """A late deadline before one that is captured already: it holds only until that one."""
        self.change_obligation(number, course, half_days, ObligationChangeKind.SET_DEADLINE, -10)
        self.page(0, 0, 0, 0, 3)
        self.change_obligation(number, course, half_days + earlier, ObligationChangeKind.SET_DEADLINE, -20)
        self.page(0, 0, 0, 0, 3)

    def _certificate(self, number: int) -> tuple[uuid.UUID, uuid.UUID, uuid.UUID] | None:
        """Somebody's certificate, or one that would be if its completion earned one."""
        ledger = self.ledger
        known = [
            (learner, course, uuid.uuid5(SPACE, f"certificate/{receipt}"))
            for receipt, (learner, course, done) in ledger.completions.items()
        ]
        for session_id, learner in ledger.marks:
            receipt = uuid.uuid5(SPACE, f"attendance/{session_id}/{learner}")
            if any(mark.attended == Attendance.FULL for mark in ledger.marks[session_id, learner]):
                known.append((learner, ledger.sessions[session_id][0], uuid.uuid5(SPACE, f"certificate/{receipt}")))
        known += [(learner, course, fact.certificate_id) for learner, course, fact in ledger.corrections]
        return known[-1 - number % len(known)] if known else None

    @rule(number=which, half_days=ago)
    def revoke(self, number: int, half_days: int) -> None:
        found = self._certificate(number)
        if found is None or any(fact.certificate_id == found[2] for _, _, fact in self.ledger.revocations):
            return
        learner, course_id, certificate = found
        at = self.when(half_days)
        accepted = self.tell(kinds.CertificateRevoked, at, certificate_id=certificate, actor_id=ACTOR)
        fact = rules.CertificateRevocation(certificate, at, ACTOR)
        self.ledger.revocations.append((learner, course_id, fact))
        assert accepted == self._accepted(learner, course_id, certificate, at)
        if not accepted:
            self.ledger.revocations.pop()

    @rule(number=which, half_days=ago)
    def correct(self, number: int, half_days: int) -> None:
        found = self._certificate(number)
        if found is None or any(fact.supersedes_id == found[2] for _, _, fact in self.ledger.corrections):
            return
        learner, course_id, certificate = found
        at, new = self.when(half_days), self.name("corrected")
        accepted = self.tell(
            kinds.CertificateCorrected, at, certificate_id=new, supersedes_id=certificate, actor_id=ACTOR
        )
        self.ledger.corrections.append(
            (learner, course_id, rules.CertificateCorrection(new, certificate, at, ACTOR))
        )  # fmt: skip
        assert accepted == self._accepted(learner, course_id, new, at)
        if not accepted:
            self.ledger.corrections.pop()

    # --- the history

    @rule(half_days=st.integers(0, 40))
    def capture(self, half_days: int) -> None:
        """Time passes; then the sweep captures pending subjects and what the clock has changed."""
        if half_days == 0 and self.pins:
            capture_all(SPACE, self.now)
        else:
            self.now += half_days * STEP
            sweep_company(SPACE, self.now)
        self._pin()

    @rule(seconds=st.sampled_from((1, 60, 120, 180, 300, 301)))
    def wait(self, seconds: int) -> None:
        """Minutes pass, and the sweep captures facts dated ahead that have come due."""
        self.now += timedelta(seconds=seconds)
        sweep_company(SPACE, self.now)
        self._pin()

    def _pin(self) -> None:
        """The pin of the newest capture, and the facts known to it: none that take effect after it."""
        head = HistoryHead.objects.get(organization_id=SPACE)
        pin = Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, head.logic_version)
        if not self.pins or self.pins[-1][0] != pin:
            self.pins.append((pin, oracle.known_by(self.ledger.facts(self.now), pin.captured_at)))

    @rule(
        first=st.sampled_from([None, 0, 1, 25]), old=st.sampled_from([0, 0, 1, 2, 3]),
        half_days=st.one_of(st.integers(-30, 60), ago), tick=st.sampled_from([-1, 0, 0]), limit=st.integers(1, 3),
        recent=st.none() | st.integers(0, 30),
    )  # fmt: skip
    def page(
        self, first: int | None, old: int, half_days: int, tick: int, limit: int, recent: int | None = None
    ) -> None:
        """Reads both registers at (T, S) page by page, often after a capture, often at an older pin.

        T is a moment of the grid, or the moment of one of the newest facts (`recent`).
        """
        if first is not None or not self.pins:
            self.capture(first or 0)
        pin, facts = self.pins[-1 - old % len(self.pins)]
        at = self.at(half_days) if recent is None else self.recent[-1 - recent % len(self.recent)]
        moment = at + tick * timedelta(microseconds=1)
        question = _question(pin, moment, facts.zone)
        expected: tuple[list[Any], list[Any]] = ([], [])
        for learner, course in facts.doings:
            records, issued, _ = oracle.everything(facts, learner, course, moment)
            expected[0].extend(row for row in records if row["assigned_at"] <= moment)
            expected[1].extend(issued)
        listed = pull(training.RECORDS, question, limit)
        _agree(listed, [row for row in expected[0] if row["ended_at"] is None or row["ended_at"] > moment], "record_id")
        earned = pull(LISTINGS["certificates"], question, limit)
        _agree(earned, expected[1], "certificate_id")
        self.answers.append((question, False, listed))
        self.answers.append((question, True, earned))
        start = moment - 60 * STEP
        # The records at the end agree with the oracle; tests/registers checks those that ended in the period.
        during = {row["record_id"]: row for row in pull(LISTINGS["period"], question._replace(start=start), limit)}
        assert during.keys() >= {row["record_id"] for row in listed}
        wanted = [row for row in expected[0] if str(row["record_id"]) in during]
        _agree([during[str(row["record_id"])] for row in wanted], wanted, "record_id")

    @rule(number=st.integers(0, 20), limit=st.integers(1, 4))
    @precondition(lambda self: self.answers)
    def ask_again(self, number: int, limit: int) -> None:
        """A question about an old pin gets the same answer again."""
        question, of_certificates, listed = self.answers[number % len(self.answers)]
        listing = LISTINGS["certificates"] if of_certificates else training.RECORDS
        assert pull(listing, question, limit) == listed

    def teardown(self) -> None:
        """At the end everything is read once more, the chain is verified and no sequence is missing."""
        try:
            if sys.exc_info()[0] is None and hasattr(self, "ledger"):
                for first, old, half_days in ((2, 0, 0), (None, 0, 20), (None, 1, 0)):
                    self.page(first, old, half_days, 0, 3)
                with context.company(SPACE):
                    rows = HistoryRow.objects.filter(organization_id=SPACE).order_by("sequence")
                    found = list(rows.values_list("sequence", flat=True))
                assert found == list(range(1, self.pins[-1][0].sequence + 1))
                assert isinstance(verify_history(SPACE), Verified)
        finally:
            transaction.set_rollback(True)
            self.rolled_back.__exit__(None, None, None)


def _question(pin: Pin, moment: datetime, zone: str) -> Question:
    return Question(Company(SPACE, SPACE, SPACE, zone, BEGIN - timedelta(days=400)), pin, moment)


def _agree(listed: list[Any], expected: list[Any], key: str) -> None:
    """The register's rows agree with the oracle's, in every field that both have."""
    ours = {row[key]: row for row in listed}
    assert len(ours) == len(listed)
    theirs = {str(row[key]): {name: _plain(value) for name, value in row.items()} for row in expected}
    known = {id_: {name: row[name] for name in theirs.get(id_, ()) if name not in _HIDDEN} for id_, row in ours.items()}
    wanted = {id_: {name: value for name, value in row.items() if name not in _HIDDEN} for id_, row in theirs.items()}
    assert known == wanted


_HIDDEN = {"requirement_before_end", "lesson_release_id", "trainer_profile_id"}
"""What the oracle knows and no row contains."""


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return instant(value)
        case uuid.UUID() | StrEnum():
            return str(value)
        case tuple():
            return [_plain(each) for each in value]
        case _:
            return value


@pytest.mark.timeout(0 if "MODEL_EXAMPLES" in os.environ else 170)
def test_every_page_says_what_the_oracle_says() -> None:
    run_state_machine_as_test(
        HistoryMachine,
        settings=settings(
            max_examples=int(os.environ.get("MODEL_EXAMPLES", "15")),
            stateful_step_count=int(os.environ.get("MODEL_STEPS", "20")),
            suppress_health_check=list(HealthCheck),
            deadline=None,
        ),
    )


ALIKE = (
    "begin",
    {"zone": "Europe/London", "days": 0, "everyone": True, "done": [(0, 0, 17), (0, 0, 17), (0, 0, 0)]},
)
"""Two completions of one learner, course and moment, and a third one later."""


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(
            [
                ALIKE,
                ("revoke", {"half_days": 17, "number": 2}),
                ("set_a_deadline_late", {"course": 0, "earlier": 1, "half_days": 0, "number": 0}),
            ],
            id="revoked-at-the-moment-it-was-earned-so-the-other-earns-its-own-and-no-cycle-opens",
        ),
        pytest.param(
            [
                ALIKE,
                ("revoke", {"half_days": 17, "number": 2}),
                ("end_share", {"half_days": 0, "number": 1}),
                ("capture", {"half_days": 31}),
                ("come_back", {"half_days": 30, "number": 2}),
                ("revoke", {"half_days": 112, "number": 0}),
                ("revoke", {"half_days": 8, "number": 0}),
            ],
            id="and-the-third-earns-nothing-that-could-be-revoked",
        ),
        pytest.param(
            [
                ("begin", ALIKE[1] | {"everyone": False, "done": [(0, 0, 36)]}),
                ("revoke", {"half_days": 17, "number": 0}),
                ("correct", {"half_days": 17, "number": 0}),
            ],
            id="corrected-at-the-moment-at-which-it-was-revoked",
        ),
    ],
)
def test_differences_found_before_are_gone(steps: list[tuple[str, dict[str, Any]]]) -> None:
    machine = HistoryMachine()
    try:
        for name, arguments in steps:
            getattr(machine, name)(**arguments)
    finally:
        machine.teardown()
