"""A person who is signed in, in a company of the present, and captures."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from django.test import Client

from compliance.facts.courses.models import ReleaseContent
from compliance.facts.policies.actions import sign_policy
from compliance.history.actions import capture_all
from compliance.learning.models import Take
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, Course, Person, make_present_company, noon

SignedIn = Callable[[uuid.UUID, uuid.UUID], Client]


class Policy(NamedTuple):
    """A policy, its version and its share."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID
    share_id: uuid.UUID


class Here:
    """A company in which Anna is signed in."""

    def __init__(self, signed_in: SignedIn) -> None:
        self.company: Company = make_present_company("Harbour Works", "Europe/London")
        self.organization_id = self.company.organization_id
        self.anna: Person = self.company.join("Anna Reis", at=noon(40))
        self.signed_in = signed_in
        self.client = self.browser_of(self.anna)

    def browser_of(self, person: Person) -> Client:
        """A browser in which a person of this company is signed in."""
        return self.signed_in(self.organization_id, person.learner_profile_id)

    def capture(self) -> None:
        capture_all(self.organization_id, datetime.now(UTC))

    def page(self, address: str = "/learn/") -> str:
        answer = self.client.get(address)
        assert answer.status_code == 200, answer.content.decode()[:2000]
        return answer.content.decode()

    def when(self, days_ago: int) -> dict[str, Any]:
        return {"organization_id": self.organization_id, "at": noon(days_ago), "now": datetime.now(UTC)}

    def policy(self, title: str = "Code of conduct", days_ago: int = 30, **told: Any) -> Policy:
        """A policy that everyone has to acknowledge, unless `told` names other fields."""
        course_id, release_id = uuid.uuid4(), uuid.uuid4()
        self.publish_policy(course_id, release_id, 1, days_ago, title)
        share_id = verbs.share_policy(**self.when(days_ago), course_id=course_id, **told)
        return Policy(course_id, release_id, share_id)

    def publish_policy(
        self, course_id: uuid.UUID, release_id: uuid.UUID, version: int, days_ago: int, title: str = "Code of conduct"
    ) -> None:
        """A version of a policy."""
        verbs.publish_policy(
            **self.when(days_ago), course_id=course_id, course_release_id=release_id, version=version,
            act=PolicyAct.ACKNOWLEDGE, doors=list(Door), statement="I have read it.", renew_months=0,
            change_kind=ChangeKind.FIRST if version == 1 else ChangeKind.ASK_AGAIN,
            html=f"<h1>{title}</h1><p>Be fair.</p>",
        )  # fmt: skip

    def confirm(self, policy: Policy, at: datetime | None = None) -> uuid.UUID:
        """Anna acknowledges a policy, which no capture contains yet; returns the receipt's id."""
        return sign_policy(
            organization_id=self.organization_id,
            share_id=policy.share_id,
            learner_profile_id=self.anna.learner_profile_id,
            course_release_id=policy.course_release_id,
            signature=None,
            sign_in_methods=None,
            at=at or datetime.now(UTC),
        )

    def give_content(self, course: Course) -> None:
        """Gives the course content, so that it can be taken here."""
        with context.company(self.organization_id):
            ReleaseContent.objects.create(
                organization_id=self.organization_id, course_release_id=course.course_release_id, content={}
            )

    def finished(self, course: Course, record_id: uuid.UUID, receipt_id: uuid.UUID) -> None:
        """Anna's take of a course, finished just now, as the player leaves it."""
        now = datetime.now(UTC)
        with context.company(self.organization_id):
            Take.objects.create(
                organization_id=self.organization_id,
                take_id=uuid.uuid4(),
                learner_profile_id=self.anna.learner_profile_id,
                record_id=record_id,
                course_id=course.course_id,
                course_release_id=course.course_release_id,
                begun_at=now,
                seen_at=now,
                finished_at=now,
                completion_receipt_id=receipt_id,
            )


@pytest.fixture
def here(signed_in: SignedIn) -> Here:
    """A company of the present, and Anna, who is signed in."""
    return Here(signed_in)
