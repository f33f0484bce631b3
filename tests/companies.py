"""Small companies for tests, made through the actions that the product itself uses.

    company = make_company()
    course = company.course("Fire safety")
    anna = company.join("Anna")
    company.share(course)
    company.complete(anna, course, at=day(20))

All moments default to `company.start`; `day(n)` is n days after it.
"""

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from compliance.facts.lines.kinds import Audience, DaysAfterAdded, FixedDeadline, NoDeadline
from compliance.history.actions import create_company
from tests import verbs

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ADMINISTRATOR = uuid.UUID("ad000000-0000-4000-8000-000000000001")


def day(number: float) -> datetime:
    """The moment `number` days after START."""
    return START + timedelta(days=number)


def noon(days_ago: int) -> datetime:
    """Noon UTC, `days_ago` days before today, so that the company's day is that of UTC whenever the tests run."""
    return datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=days_ago)


class Person(NamedTuple):
    """A stay of a person."""

    person_id: uuid.UUID
    learner_profile_id: uuid.UUID


class Course(NamedTuple):
    """A course and its first release."""

    course_id: uuid.UUID
    course_release_id: uuid.UUID


@dataclass(frozen=True)
class Company:
    """A company in the database, and short verbs for what happens in it."""

    organization_id: uuid.UUID
    start: datetime = START
    now: datetime = NOW

    def team(self, name: str = "Team", at: datetime | None = None) -> uuid.UUID:
        return verbs.create_team(**self._when(at), name=name)

    def join(self, name: str = "Anna", at: datetime | None = None, **told: Any) -> Person:
        address = f"{name.lower().replace(' ', '.')}@example.org"
        return Person(*verbs.join_employee(**self._when(at), **{"account_email": address, "person_name": name} | told))

    def leave(self, person: Person, at: datetime) -> None:
        verbs.end_employment(**self._when(at), person_id=person.person_id)

    def course(self, title: str = "Fire safety", at: datetime | None = None, **told: Any) -> Course:
        """A course with version 1 published at the same moment."""
        course_id = verbs.create_course(**self._when(at), title=title, **told)
        return Course(course_id, verbs.publish_release(**self._when(at), course_id=course_id, version=1))

    def publish(self, course: Course, version: int, at: datetime, **told: Any) -> Course:
        release_id = verbs.publish_release(**self._when(at), course_id=course.course_id, version=version, **told)
        return Course(course.course_id, release_id)

    def share(
        self,
        course: Course,
        at: datetime | None = None,
        *,
        due_at: datetime | None = None,
        days: int | None = None,
        team_ids: tuple[uuid.UUID, ...] = (),
        people: tuple[Person, ...] = (),
        **told: Any,
    ) -> uuid.UUID:
        """Shares a course: with everyone, unless teams or people are named; without a deadline, unless one is."""
        audience = Audience(everyone=True)
        if team_ids:
            audience = Audience(team_ids=team_ids)
        elif people:
            audience = Audience(learner_profile_ids=tuple(each.learner_profile_id for each in people))
        deadline = FixedDeadline(due_at=due_at) if due_at else DaysAfterAdded(days=days) if days else NoDeadline()
        return verbs.share_course(
            **self._when(at), course_id=course.course_id, audience=audience, deadline=deadline, **told
        )

    def complete(self, person: Person, course: Course, at: datetime, **told: Any) -> uuid.UUID:
        return verbs.complete_course(
            **self._when(at),
            learner_profile_id=person.learner_profile_id,
            course_release_id=course.course_release_id,
            **told,
        )

    def _when(self, at: datetime | None) -> dict[str, Any]:
        return {"organization_id": self.organization_id, "at": at or self.start, "now": self.now}


def make_company(
    name: str = "Acme",
    time_zone: str = "Europe/London",
    history_from: date = date(2020, 1, 1),
    *,
    at: datetime = START,
    organization_id: uuid.UUID | None = None,
) -> Company:
    """A company without facts, made at the moment `at`. The companies of nearly all tests begin here."""
    made = create_company(
        name=name, time_zone=time_zone, history_from=history_from, now=at, organization_id=organization_id
    )
    return Company(made.organization_id)


def make_present_company(name: str = "Acme", time_zone: str = "Europe/London") -> Company:
    """A company whose facts are recorded today, made a hundred days ago: for pages, which read the real clock."""
    made = make_company(name, time_zone, at=noon(100))
    return replace(made, start=noon(100), now=datetime.now(UTC))
