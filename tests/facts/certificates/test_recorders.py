"""Facts about certificates and live sessions: recorded, or refused with a reason."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from compliance.facts.certificates.codes import new_code, read_code
from compliance.facts.certificates.models import CertificateCorrection, CertificateRevocation, CheckCode
from compliance.facts.certificates.naming import NamedCertificate, name_on
from compliance.facts.certificates.queries import certificate_of_code
from compliance.facts.errors import (
    AlreadyExistsError,
    ErasedPersonError,
    RefusedByRuleError,
    UnresolvedReferenceError,
)
from compliance.facts.identities import Identities
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.facts.people.identities import NO_IDENTITY
from compliance.facts.training.models import AttendanceMark, Trainer
from compliance.rules.owed_learning.identity import attendance_receipt_id, certificate_id
from compliance.rules.vocabulary import Attendance, LiveSessionFormat, MarkedBy
from compliance.tenancy import context
from tests.facts.story import BEGIN, Story

ACTOR = uuid.UUID(int=7)


class Earned:
    """A story in which a person earned a certificate."""

    def __init__(self, now: datetime) -> None:
        self.story = Story(now)
        self.course_id, self.release_id = self.story.shared_course()
        self.person = self.story.employee("Ana Reis")
        receipt_id = self.story.completed(self.person, self.release_id, BEGIN + timedelta(days=5))
        self.certificate_id = certificate_id(self.story.organization_id, receipt_id)

    def revoked(self, certificate: uuid.UUID | None = None, day: int = 20) -> kinds.CertificateRevoked:
        return kinds.CertificateRevoked(
            fact_id=uuid.uuid4(),
            at=BEGIN + timedelta(days=day),
            certificate_id=certificate or self.certificate_id,
            actor_id=ACTOR,
        )

    def name(self, certificate: uuid.UUID, day: int) -> str | None:
        """The name on a certificate issued `day` days after the beginning."""
        with context.company(self.story.organization_id):
            asked = NamedCertificate(certificate, self.person, BEGIN + timedelta(days=day))
            return name_on(self.story.organization_id, asked)

    def issued(self, certificate: uuid.UUID) -> str:
        """The commitment to the name on a certificate, once a capture records it for the first time."""
        with context.company(self.story.organization_id):
            identities = Identities(self.story.organization_id, self.story.now)
            identities.certificates.load([self.person])
            identity = identities.certificates.begin(certificate, self.person, BEGIN)
            identities.keep(2)
        return identity

    def corrected(self, supersedes: uuid.UUID | None = None, **more: Any) -> kinds.CertificateCorrected:
        said: dict[str, Any] = {
            "fact_id": uuid.uuid4(),
            "at": BEGIN + timedelta(days=10),
            "certificate_id": uuid.uuid4(),
            "supersedes_id": supersedes or self.certificate_id,
            "actor_id": ACTOR,
        }
        return kinds.CertificateCorrected(**(said | more))


@pytest.fixture
def earned(db: None, now: datetime) -> Earned:
    return Earned(now)


@pytest.fixture
def committed_earned(committed: None, now: datetime) -> Earned:
    """A committed company, because codes are looked up without a company, in the whole database."""
    return Earned(now)


def test_a_correction_reads_the_completions_of_the_holder_and_not_of_everybody(
    earned: Earned, django_assert_max_num_queries: Any
) -> None:
    earned.issued(earned.certificate_id)
    with django_assert_max_num_queries(100) as statements:
        earned.story.tell([earned.corrected()])
    assert sum("completion_receipt_id, learner_profile_id" in each["sql"] for each in statements) == 1


def test_a_certificate_is_revoked_once(earned: Earned) -> None:
    earned.story.tell([earned.revoked()])
    with pytest.raises(AlreadyExistsError, match="revoked before"):
        earned.story.tell([earned.revoked(day=21)])
    with context.company(earned.story.organization_id):
        row = CertificateRevocation.objects.get()
    assert (row.learner_profile_id, row.course_id, row.actor_id) == (earned.person, earned.course_id, ACTOR)


def test_only_the_newest_certificate_is_corrected(earned: Earned) -> None:
    first = earned.corrected(person_name="Ana Maria Reis")
    second = earned.corrected(first.certificate_id, at=BEGIN + timedelta(days=11))
    earned.story.tell([second, first])  # a correction of a correction, in one file and in any order
    with pytest.raises(AlreadyExistsError, match="corrected before"):
        earned.story.tell([earned.corrected()])
    with pytest.raises(AlreadyExistsError, match="exists already"):
        earned.story.tell([earned.corrected(second.certificate_id, certificate_id=first.certificate_id)])
    chain = (earned.certificate_id, first.certificate_id, second.certificate_id)
    assert [earned.name(each, 12) for each in chain] == ["Ana Reis", "Ana Maria Reis", "Ana Maria Reis"]


def test_what_is_revoked_is_corrected_no_more_but_at_that_very_moment_it_was(earned: Earned) -> None:
    earned.story.tell([earned.revoked(day=10)])
    with pytest.raises(RefusedByRuleError, match="was revoked"):
        earned.story.tell([earned.corrected(at=BEGIN + timedelta(days=10, microseconds=1))])
    earned.story.tell([earned.corrected()])  # as in one file, where the order of lines makes no difference
    other = Earned(earned.story.now)
    other.story.tell([other.revoked(day=10), other.corrected()])
    for each in (earned, other):
        with context.company(each.story.organization_id):
            assert CertificateCorrection.objects.filter(organization_id=each.story.organization_id).count() == 1


def test_unknown_and_foreign_certificates_and_erased_holders_are_refused(earned: Earned, now: datetime) -> None:
    with pytest.raises(UnresolvedReferenceError, match="no certificate"):
        earned.story.tell([earned.revoked(uuid.uuid4())])
    with pytest.raises(UnresolvedReferenceError, match="no certificate"):
        Story(now).tell([earned.revoked()])
    erase_person(organization_id=earned.story.organization_id, learner_profile_id=earned.person, at=now)
    for line in (earned.revoked(), earned.corrected(person_name="Ana Again")):
        with pytest.raises(ErasedPersonError):
            earned.story.tell([line])
    with context.company(earned.story.organization_id):
        assert not CertificateCorrection.objects.exists()


def test_the_name_issued_is_the_one_known_at_the_issue(earned: Earned) -> None:
    earned.story.tell(
        [
            kinds.PersonChanged(
                fact_id=uuid.uuid4(),
                at=BEGIN + timedelta(days=30),
                learner_profile_id=earned.person,
                person_name="Ana Lopes",
            )
        ]
    )
    for day, name in ((-9, "Ana Reis"), (5, "Ana Reis"), (40, "Ana Lopes")):
        assert earned.name(earned.certificate_id, day) == name


def test_a_code_is_given_once_and_read_however_it_was_typed(committed_earned: Earned, now: datetime) -> None:
    earned = committed_earned
    organization_id = earned.story.organization_id
    assert earned.issued(earned.certificate_id) == earned.issued(earned.certificate_id) != NO_IDENTITY
    with context.company(organization_id):
        code = CheckCode.objects.get(organization_id=organization_id).check_code
    assert code is not None
    found = certificate_of_code(code.lower().replace("-", " ").replace("0", "o").replace("1", "l"))
    assert found is not None
    assert (found.certificate_id, found.check_code) == (earned.certificate_id, code)
    erase_person(organization_id=organization_id, learner_profile_id=earned.person, at=now)
    assert certificate_of_code(code) is None
    assert earned.issued(uuid.uuid4()) == NO_IDENTITY
    with context.company(organization_id):
        assert set(CheckCode.objects.filter(organization_id=organization_id).values_list("check_code")) == {(None,)}


def test_codes_are_long_random_and_closed() -> None:
    codes = {new_code() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(read_code(code) == code for code in codes)
    for text in ("", "x", "7QK2M-0XV9T-HB4ZR-3WCE", "7QK2M-0XV9T-HB4ZR-3WCEU", "é" * 20, "A" * 5000, "../../etc"):
        assert read_code(text) is None


class Session(Earned):
    """A story with a live session of the course's release."""

    def __init__(self, now: datetime) -> None:
        super().__init__(now)
        self.other = self.story.employee("Bo Lind")
        self.session_id = self.held()

    def held(self, hours: int = 0) -> uuid.UUID:
        session_id = uuid.uuid4()
        starts_at = BEGIN + timedelta(days=8, hours=hours)
        self.story.tell(
            [
                kinds.LiveSessionHeld(
                    fact_id=uuid.uuid4(),
                    at=starts_at,
                    live_session_id=session_id,
                    course_release_id=self.release_id,
                    format=LiveSessionFormat.ON_SITE,
                    starts_at=starts_at,
                    ends_at=starts_at + timedelta(hours=4),
                    minutes=240,
                    trainer_profile_id=uuid.UUID(int=3),
                )
            ]
        )
        return session_id

    def mark(self, attended: Attendance = Attendance.FULL, hours: int = 5, **more: Any) -> kinds.AttendanceMarked:
        said: dict[str, Any] = {
            "fact_id": uuid.uuid4(),
            "at": BEGIN + timedelta(days=8, hours=hours),
            "live_session_id": self.session_id,
            "learner_profile_id": self.other,
            "attended": attended,
            "marked_by": MarkedBy.TRAINER,
        }
        return kinds.AttendanceMarked(**(said | more))


@pytest.mark.django_db
def test_marks_of_the_unknown_and_marks_that_overlap_are_refused(now: datetime) -> None:
    session = Session(now)
    tell = session.story.tell
    tell([session.mark()])
    with pytest.raises(UnresolvedReferenceError, match="no such person"):
        tell([session.mark(learner_profile_id=uuid.uuid4())])
    with pytest.raises(UnresolvedReferenceError, match="no session"):
        tell([session.mark(live_session_id=uuid.uuid4())])
    with pytest.raises(RefusedByRuleError, match="very moment"):
        tell([session.mark(Attendance.ABSENT)])
    with pytest.raises(RefusedByRuleError, match="before the session started"):
        tell([session.mark(hours=-1)])
    overlapping, after = session.held(hours=2), session.held(hours=6)
    with pytest.raises(RefusedByRuleError, match="at the same time"):
        tell([session.mark(live_session_id=overlapping, hours=7)])
    tell([session.mark(live_session_id=after, hours=11), session.mark(Attendance.ABSENT, hours=6)])
    tell([session.mark(live_session_id=overlapping, hours=7)])  # the first mark was lowered, so nothing overlaps now
    with context.company(session.story.organization_id):
        assert AttendanceMark.objects.count() == 4


@pytest.mark.django_db
def test_a_certificate_of_full_attendance_can_be_revoked(now: datetime) -> None:
    session = Session(now)
    session.story.tell([session.mark()])
    organization_id = session.story.organization_id
    receipt_id = attendance_receipt_id(organization_id, session.session_id, session.other)
    session.story.tell([session.revoked(certificate_id(organization_id, receipt_id))])
    with context.company(organization_id):
        assert CertificateRevocation.objects.get().learner_profile_id == session.other


@pytest.mark.django_db
def test_a_trainer_bears_the_latest_name(now: datetime) -> None:
    story = Story(now)
    trainer_id = uuid.uuid4()
    for day, name in ((5, "Ines Duarte"), (3, "I. Duarte")):
        story.tell(
            [
                kinds.TrainerNamed(
                    fact_id=uuid.uuid4(),
                    at=BEGIN + timedelta(days=day),
                    trainer_profile_id=trainer_id,
                    trainer_name=name,
                )
            ]
        )
    with context.company(story.organization_id):
        assert Trainer.objects.get().trainer_name == "Ines Duarte"
