"""A company in which every page of the console has content."""

import uuid
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.utils import timezone

from compliance.catalogue.training import TRAINING_RECORDS
from compliance.facts.lines.kinds import Certificate
from compliance.facts.policies.actions import sign_policy
from compliance.history.actions import capture_all
from compliance.history.models import HistoryRecord
from compliance.rules.vocabulary import CertificateKind, ChangeKind, Door, PolicyAct
from compliance.tenancy import context
from compliance.webhooks.actions import create_webhook
from compliance.webhooks.models import Attempt, Failure, Webhook
from tests import verbs
from tests.companies import Company, Course, Person, make_company, noon

HTML = "<h1>Code of conduct</h1>\n<p>Be kind.</p>"


class Full(NamedTuple):
    """The company, some of its contents, and values for the arguments of all pages' paths."""

    company: Company
    people: list[Person]
    course: Course
    samples: dict[str, Any]


def full_company(count: int, name: str = "Full", *, start: datetime | None = None) -> Full:
    """`count` people who owe a course and a policy; the first has done both."""
    made = make_company(name)
    start = start or noon(100)
    company = Company(made.organization_id, start=start, now=timezone.now())
    team = company.team("Sales")
    joined = [company.join(f"Person {number:03d}", team_ids=(team,)) for number in range(count)]
    verbs.invite_person(organization_id=company.organization_id, at=start, work_email="invited@example.org")
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    company.share(course, days=10)
    for person in joined[: max(1, count // 3)]:
        company.complete(person, course, at=start + timedelta(days=3))
    policy_id, release_id = _policy(company, start)
    share_id = verbs.share_policy(organization_id=company.organization_id, at=start, course_id=policy_id)
    with context.company(company.organization_id):
        receipts = [
            sign_policy(
                organization_id=company.organization_id,
                share_id=share_id,
                learner_profile_id=person.learner_profile_id,
                course_release_id=release_id,
                signature={"typed": "P. Person"},
                sign_in_methods="password",
                at=start + timedelta(days=4),
            )
            for person in joined[:3]
        ]
        capture_all(company.organization_id, timezone.now())
        record_id = HistoryRecord.objects.filter(register=TRAINING_RECORDS.number).earliest("birth").record_id
    webhook_id = _webhooks(company)
    samples = {
        "webhook_id": webhook_id,
        "learner_profile_id": joined[0].learner_profile_id,
        "team_id": team,
        "course_id": course.course_id,
        "share_id": share_id,
        "register": "training-records",
        "record_id": record_id,
        "receipt_id": receipts[1],
        "course_release_id": release_id,
        "capture_sequence": 2,
        "number": 2,
    }
    return Full(company, joined, course, samples)


def _webhooks(company: Company) -> uuid.UUID:
    """Makes two webhooks, of which one fails. Returns that one's identifier."""
    for name in ("Payroll", "Warehouse"):
        _, webhook = create_webhook(
            organization_id=company.organization_id,
            url="https://warehouse.example.com/hooks?token=abc",
            at=company.now,
            actor="create_webhook",
            name=name,
            from_capture=1,
        )
    Webhook.objects.filter(webhook_id=webhook.webhook_id).update(
        failures=2, failing_since=company.now, next_try_at=company.now
    )
    with context.company(company.organization_id):
        for number, (status, failure) in enumerate([(200, ""), (None, Failure.TLS), (302, Failure.REDIRECT)]):
            Attempt.objects.create(
                organization_id=company.organization_id,
                webhook_id=webhook.webhook_id,
                capture_sequence=2 if number else None,
                number=max(number, 1),
                at=company.now,
                milliseconds=31,
                status=status,
                failure=failure,
            )
    return webhook.webhook_id


def _policy(company: Company, at: datetime) -> tuple[Any, Any]:
    policy_id, release_id = uuid.uuid4(), uuid.uuid4()
    verbs.publish_policy(
        organization_id=company.organization_id,
        course_id=policy_id,
        course_release_id=release_id,
        version=1,
        act=PolicyAct.SIGN,
        doors=[Door.EMPLOYEE],
        statement="I will follow it.",
        effective_on=date(2025, 1, 1),
        renew_months=12,
        change_kind=ChangeKind.FIRST,
        html=HTML,
        at=at,
    )
    return policy_id, release_id
