"""Actions record through the same path as files: one transaction, the errors of `facts.errors`, a capture on commit."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from compliance.facts import errors
from compliance.facts.lines.kinds import Certificate
from compliance.facts.recording import recording
from compliance.rules.vocabulary import CertificateKind, Requirement, WaiverReasonCode
from compliance.tenancy import context, sql
from tests import verbs
from tests.companies import ADMINISTRATOR, Company, day, make_company

pytestmark = pytest.mark.django_db


@pytest.fixture
def company() -> Company:
    return make_company()


def ledger(company: Company) -> list[tuple[Any, ...]]:
    with context.company(company.organization_id):
        return sql.fetch(
            "SELECT kind, at, recorded_at, actor_id FROM pending_fact WHERE organization_id = %s ORDER BY id",
            (company.organization_id,),
        )


def test_an_action_writes_its_fact_with_who_and_when(company: Company) -> None:
    verbs.create_team(
        organization_id=company.organization_id, name="Blue", at=day(1), now=day(2), actor_id=ADMINISTRATOR
    )
    assert ledger(company) == [("team_created", day(1), day(2), ADMINISTRATOR)]


def test_what_the_rules_refuse_raises_and_leaves_nothing(company: Company) -> None:
    anna = company.join("Anna")
    course = company.course()
    company.share(course)
    company.complete(anna, course, at=day(5))
    before = ledger(company)
    told = {"organization_id": company.organization_id, "at": day(6), "now": company.now}
    waiver = {"learner_profile_id": anna.learner_profile_id, "actor_id": ADMINISTRATOR}
    with pytest.raises(errors.RefusedByRuleError):
        verbs.resume_employee(**told, person_id=anna.person_id)
    with pytest.raises(errors.RefusedByRuleError):
        verbs.waive(**told, **waiver, course_id=course.course_id, reason_code=WaiverReasonCode.MEDICAL)
    with pytest.raises(errors.UnresolvedReferenceError):
        verbs.waive(**told, **waiver, course_id=uuid.uuid4(), reason_code=WaiverReasonCode.MEDICAL)
    with pytest.raises(errors.AlreadyExistsError):
        verbs.join_employee(**told, person_id=anna.person_id)
    with pytest.raises(errors.InvalidFactError, match="name: must be text"):
        verbs.create_team(**told, name=" ")
    with pytest.raises(errors.FutureFactError):
        verbs.create_team(**told | {"at": company.now + timedelta(minutes=6)}, name="Later")
    assert ledger(company) == before


def test_every_action_records_its_fact(company: Company) -> None:
    told: dict[str, Any] = {"organization_id": company.organization_id, "now": company.now}
    team_id = company.team("Blue")
    verbs.rename_team(**told, team_id=team_id, name="Azure", at=day(1))
    invitation_id = verbs.invite_person(**told, work_email="ben@work.example", at=day(1), team_ids=[team_id])
    ben = company.join("Ben", at=day(2), invitation_id=invitation_id)
    verbs.revoke_invitation(
        **told, invitation_id=verbs.invite_person(**told, work_email="z@work.example", at=day(1)), at=day(2)
    )
    verbs.remove_from_team(**told, team_id=team_id, learner_profile_id=ben.learner_profile_id, at=day(3))
    verbs.add_to_team(**told, team_id=team_id, learner_profile_id=ben.learner_profile_id, at=day(4))
    verbs.suspend_employee(**told, person_id=ben.person_id, at=day(5))
    verbs.resume_employee(**told, person_id=ben.person_id, at=day(6))
    verbs.change_person(**told, learner_profile_id=ben.learner_profile_id, person_name="Benjamin", at=day(6))
    course = company.course()
    verbs.change_course(**told, course_id=course.course_id, title="Fire", at=day(1))
    verbs.change_course(
        **told, course_id=course.course_id, title="Fire", at=day(2),
        certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12),
    )  # fmt: skip
    share_id = company.share(course, at=day(3), days=10)
    verbs.change_share(**told, share_id=share_id, requirement=Requirement.OPTIONAL, at=day(4))
    change = {"learner_profile_id": ben.learner_profile_id, "course_id": course.course_id, "actor_id": ADMINISTRATOR}
    first = verbs.waive(**told, **change, reason_code=WaiverReasonCode.MEDICAL, at=day(5))
    assert verbs.reinstate(**told, **change, at=day(6)) == first + 1
    verbs.set_deadline(**told, **change, due_at=day(90), at=day(7))
    verbs.note_reminder(**told, learner_profile_id=ben.learner_profile_id, course_id=course.course_id, at=day(8))
    receipt_id = company.complete(ben, course, at=day(9))
    verbs.void_completion(**told, completion_receipt_id=receipt_id, at=day(10), actor_id=ADMINISTRATOR)
    second = company.publish(course, 2, at=day(11))
    verbs.withdraw_release(**told, course_release_id=second.course_release_id, at=day(12))
    verbs.end_share(**told, share_id=share_id, at=day(13))
    company.leave(ben, at=day(14))
    assert len(ledger(company)) == 27


def test_a_capture_is_asked_for_on_commit_and_a_broker_that_is_away_costs_nothing(
    company: Company, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    asked = []

    def away(*arguments: Any, **options: Any) -> None:
        asked.append(arguments)
        raise OperationalError("away")

    monkeypatch.setattr(current_app._get_current_object(), "send_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        company.join("Anna")
    assert asked == [(recording.CAPTURE_TASK, [str(company.organization_id)])]
    assert len(ledger(company)) == 1
