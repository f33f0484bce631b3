"""A small company built from facts, with which tests of policies, certificates and erasure begin."""

import uuid
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from compliance.facts.lines import kinds
from compliance.facts.recording.recording import record
from compliance.rules.vocabulary import CertificateKind, ChangeKind, Door, PolicyAct, Requirement
from tests.companies import make_company

BEGIN = datetime(2025, 1, 6, 9, tzinfo=UTC)
Contact = Literal[Door.PARTNER, Door.CUSTOMER]
HTML = "<h1>Use of devices</h1>\n<p>Lock your screen when you leave it. Report a lost device within the hour.</p>\n"


class Story:
    """A company; each method records a fact through the one write path and returns the identifier that it made."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.organization_id = make_company(
            "Harbour & Vine", "Europe/Lisbon", date(2024, 1, 1), at=datetime(2024, 1, 1, tzinfo=UTC)
        ).organization_id

    def tell(self, facts: Iterable[kinds.FactLine]) -> None:
        """Record facts, all or none."""
        record(self.organization_id, list(facts), now=self.now)

    def employee(self, name: str = "Ana Reis", at: datetime = BEGIN, **more: Any) -> uuid.UUID:
        """A person joins."""
        return self.employees([name], at, **more)[0]

    def employees(self, names: Iterable[str], at: datetime = BEGIN, **more: Any) -> list[uuid.UUID]:
        """Several people join."""
        joined = []
        for name in names:
            said: dict[str, Any] = {
                "fact_id": uuid.uuid4(),
                "at": at,
                "person_id": uuid.uuid4(),
                "learner_profile_id": uuid.uuid4(),
                "person_name": name,
            }
            joined.append(kinds.EmployeeJoined(**said | more))
        self.tell(joined)
        return [line.learner_profile_id for line in joined]

    def contact(self, door: Contact = Door.PARTNER, company: str = "Atlas Freight", name: str = "Bo Lind") -> uuid.UUID:
        """A partner or customer comes."""
        profile_id = uuid.uuid4()
        self.tell(
            [
                kinds.ContactJoined(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    learner_profile_id=profile_id,
                    door=door,
                    company=company,
                    person_name=name,
                )
            ]
        )
        return profile_id

    def version(self, **changed: Any) -> kinds.PolicyPublished:
        """A line that publishes a policy version, by default the first one."""
        said: dict[str, Any] = {
            "fact_id": uuid.uuid4(),
            "at": BEGIN + timedelta(days=1),
            "course_id": uuid.uuid4(),
            "course_release_id": uuid.uuid4(),
            "version": 1,
            "act": PolicyAct.SIGN,
            "doors": (Door.EMPLOYEE, Door.PARTNER),
            "statement": "I have read the policy\n and will follow it.",
            "effective_on": date(2025, 2, 1),
            "renew_months": 12,
            "change_kind": ChangeKind.FIRST,
            "html": HTML,
        }
        return kinds.PolicyPublished(**(said | changed))

    def share(self, course_id: uuid.UUID, **changed: Any) -> uuid.UUID:
        """A policy is shared with everyone of the doors employee and partner."""
        share_id = uuid.uuid4()
        said: dict[str, Any] = {
            "fact_id": uuid.uuid4(),
            "at": BEGIN + timedelta(days=2),
            "share_id": share_id,
            "course_id": course_id,
            "doors": (Door.EMPLOYEE, Door.PARTNER),
            "audience": kinds.Audience(everyone=True),
            "deadline": kinds.NoDeadline(),
        }
        self.tell([kinds.PolicyShared(**(said | changed))])
        return share_id

    def shared_policy(self, **changed: Any) -> tuple[kinds.PolicyPublished, uuid.UUID]:
        """A version is published and shared; returns the version's line and the share."""
        version = self.version(**changed)
        self.tell([version])
        return version, self.share(version.course_id)

    def signed(self, version: kinds.PolicyPublished, share_id: uuid.UUID, profile_id: uuid.UUID, **changed: Any) -> Any:
        """A line by which a person signs by typing."""
        said: dict[str, Any] = {
            "fact_id": uuid.uuid4(),
            "at": BEGIN + timedelta(days=10),
            "receipt_id": uuid.uuid4(),
            "share_id": share_id,
            "learner_profile_id": profile_id,
            "door": Door.EMPLOYEE,
            "course_release_id": version.course_release_id,
            "signature": kinds.Signature(typed="Ana Reis"),
        }
        return kinds.PolicySigned(**(said | changed))

    def shared_course(self, *, assessed: bool = False, valid_months: int | None = 12) -> tuple[uuid.UUID, uuid.UUID]:
        """A course with a certificate is published and shared with all employees; returns course and release."""
        course_id, release_id = uuid.uuid4(), uuid.uuid4()
        kind = CertificateKind.ASSESSED if assessed else CertificateKind.COMPLETION
        self.tell(
            [
                kinds.CourseCreated(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    course_id=course_id,
                    title="Dangerous goods",
                    certificate=kinds.Certificate(
                        title="Safe with dangerous goods", kind=kind, valid_months=valid_months
                    ),
                ),
                kinds.ReleasePublished(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    course_id=course_id,
                    course_release_id=release_id,
                    version=1,
                    lessons=(),
                ),
                kinds.CourseShared(
                    fact_id=uuid.uuid4(),
                    at=BEGIN,
                    share_id=uuid.uuid4(),
                    course_id=course_id,
                    doors=(Door.EMPLOYEE,),
                    audience=kinds.Audience(everyone=True),
                    requirement=Requirement.REQUIRED,
                    deadline=kinds.NoDeadline(),
                ),
            ]
        )
        return course_id, release_id

    def completed(self, profile_id: uuid.UUID, release_id: uuid.UUID, at: datetime, **more: Any) -> uuid.UUID:
        """A person completes a release; returns the completion receipt."""
        receipt_id = uuid.uuid4()
        self.tell(
            [
                kinds.CourseCompleted(
                    fact_id=uuid.uuid4(),
                    at=at,
                    completion_receipt_id=receipt_id,
                    learner_profile_id=profile_id,
                    course_release_id=release_id,
                    **more,
                )
            ]
        )
        return receipt_id
