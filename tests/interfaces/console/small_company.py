"""A small, captured company in which everything happens once, for tests of dashboards and evidence packs."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.rules.vocabulary import WaiverReasonCode
from tests.companies import ADMINISTRATOR, Company, Person
from tests.facts.story import Story
from tests.verbs import waive

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
JOINED = datetime(2025, 1, 6, 9, tzinfo=UTC)
FORMULA = '=HYPERLINK("https://example.org","Ada")'


@dataclass(frozen=True)
class SmallCompany:
    """The company and what tests ask for by name."""

    organization_id: uuid.UUID
    story: Story
    company: Company
    drivers: uuid.UUID
    fire: uuid.UUID
    goods: uuid.UUID
    people: dict[str, Person]


def small_company() -> SmallCompany:
    """Seven people, two teams, three courses, a policy; late, waived, erased; a name that is a formula."""
    story = Story(NOW)
    company = Company(story.organization_id, start=JOINED, now=NOW)
    drivers, office = company.team("Drivers"), company.team("Office")
    names = {"Ada": drivers, "Ben": drivers, "Cleo": office, "Dan": office, "Eve": office, "Flo": None, "Gus": office}
    people = {
        name: company.join(FORMULA if name == "Ada" else name, team_ids=(team,) if team else ())
        for name, team in names.items()
    }
    fire, hygiene = company.course("Fire safety"), company.course("Hygiene")
    company.share(fire, due_at=JOINED + timedelta(days=60))
    company.share(hygiene, due_at=NOW + timedelta(days=5), team_ids=(office,))
    goods, release = story.shared_course(valid_months=12)
    company.complete(people["Ben"], fire, JOINED + timedelta(days=20))
    company.complete(people["Cleo"], fire, JOINED + timedelta(days=70))
    company.complete(people["Cleo"], hygiene, JOINED + timedelta(days=9))
    waive(
        organization_id=story.organization_id, at=JOINED + timedelta(days=30), now=NOW, actor_id=ADMINISTRATOR,
        learner_profile_id=people["Dan"].learner_profile_id, course_id=fire.course_id,
        reason_code=WaiverReasonCode.MEDICAL,
    )  # fmt: skip
    for name, days in (("Ben", 315), ("Cleo", 150)):
        story.tell([_completed(people[name], release, NOW - timedelta(days=days))])
    version, share_id = story.shared_policy()
    story.tell(
        [
            story.signed(version, share_id, people[name].learner_profile_id, at=NOW - timedelta(days=20 - at))
            for at, name in enumerate(("Ben", "Gus"))
        ]
    )
    erase_person(
        organization_id=story.organization_id,
        learner_profile_id=people["Gus"].learner_profile_id,
        at=NOW - timedelta(days=1),
    )
    capture_all(story.organization_id, NOW)
    return SmallCompany(story.organization_id, story, company, drivers, fire.course_id, goods, people)


def _completed(person: Person, release: uuid.UUID, at: datetime) -> kinds.CourseCompleted:
    return kinds.CourseCompleted(
        fact_id=uuid.uuid4(), at=at, completion_receipt_id=uuid.uuid4(), learner_profile_id=person.learner_profile_id,
        course_release_id=release,
    )  # fmt: skip
