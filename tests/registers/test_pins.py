"""Values that a pinned answer reads from the facts themselves: counted by capture, never by the clock."""

import uuid
from datetime import timedelta

import pytest

from compliance.facts.lines import kinds
from compliance.facts.recording import record
from compliance.history import actions, queries
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from compliance.registers.training import RECORDS
from compliance.rules.vocabulary import Door
from compliance.tenancy.models import Deployment
from compliance.tenancy.queries import organization
from tests.companies import NOW, day, make_company
from tests.facts.story import Story
from tests.registers.pulling import pull
from tests.registers.recording_elsewhere import recording_elsewhere

MINUTE = timedelta(minutes=1)
REMINDED = day(3)


def question(organization_id: uuid.UUID) -> Question:
    """A question about the day after NOW, pinned to the newest capture."""
    company, head = organization(organization_id), queries.head(organization_id)
    asking = Company(
        organization_id, Deployment.objects.get().deployment_id, company.learning_space_id, company.time_zone,
        company.history_complete_from,
    )  # fmt: skip
    return Question(asking, Pin(*head[:5]), NOW + timedelta(days=1), personal=True)


def reminded(company, person, course, at=REMINDED):
    return kinds.ReminderSent(
        fact_id=uuid.uuid4(), at=at, learner_profile_id=person.learner_profile_id, course_id=course.course_id
    )


def sent(asked: Question, person) -> int:
    (row,) = [row for row in pull(RECORDS, asked) if row["learner_profile_id"] == str(person.learner_profile_id)]
    return int(row["reminders_sent"])


@pytest.fixture
def anna_owes(committed):
    company = make_company()
    course, anna = company.course(), company.join("Anna")
    company.share(course, due_at=day(600))
    actions.capture_all(company.organization_id, NOW)
    return company, course, anna


def test_a_reminder_recorded_before_the_pin_and_committed_after_it_is_not_counted_at_the_pin(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    with recording_elsewhere(organization_id, [reminded(company, anna, course)], NOW) as elsewhere:
        company.join("Ben")
        actions.capture_all(organization_id, NOW + MINUTE)
        asked = question(organization_id)
        before = pull(RECORDS, asked)
        elsewhere.commit()
        assert pull(RECORDS, asked) == before
        assert pull(RECORDS, question(organization_id)) == before  # nothing was captured: the head is the same
    actions.capture_all(organization_id, NOW + 2 * MINUTE)
    assert pull(RECORDS, asked) == before
    assert (sent(asked, anna), sent(question(organization_id), anna)) == (0, 1)


def test_a_reminder_that_nobody_captured_yet_is_not_counted_and_counting_it_takes_a_capture_number(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    asked = question(organization_id)
    record(organization_id, [reminded(company, anna, course)], now=NOW)
    assert sent(asked, anna) == 0
    actions.capture_all(organization_id, NOW)
    later = question(organization_id)
    assert (later.pin.sequence, later.pin.capture_sequence) == (asked.pin.sequence, asked.pin.capture_sequence + 1)
    assert (sent(asked, anna), sent(later, anna)) == (0, 1)


def test_a_reminder_ahead_of_time_is_counted_from_its_moment_on(anna_owes):
    company, course, anna = anna_owes
    organization_id = company.organization_id
    record(organization_id, [reminded(company, anna, course, NOW + 2 * MINUTE)], now=NOW)
    company.complete(company.join("Ben"), course, day(9))
    actions.capture_all(organization_id, NOW + MINUTE)
    assert sent(question(organization_id), anna) == 0
    actions.sweep_company(organization_id, NOW + 2 * MINUTE)
    assert sent(question(organization_id), anna) == 1


def test_where_a_partner_came_from_is_listed_as_captured_by_the_pin(committed):
    """The company is personal, so no row holds it; a later fact must not change what an earlier pin gives."""
    story = Story(NOW)
    organization_id = story.organization_id
    partner = story.contact(company="Atlas Freight")
    story.shared_policy()
    actions.capture_all(organization_id, NOW)
    asked = question(organization_id)
    before = pull(LISTINGS["policy-records"], asked)
    assert [row["company"] for row in before] == ["Atlas Freight"]
    moved = [
        kinds.ContactLeft(fact_id=uuid.uuid4(), at=day(5), learner_profile_id=partner, door=Door.PARTNER),
        kinds.ContactJoined(
            fact_id=uuid.uuid4(), at=day(6), learner_profile_id=partner, door=Door.PARTNER, company="Borealis",
            person_name="Bo Lind",
        ),
    ]  # fmt: skip
    story.tell(moved)
    assert pull(LISTINGS["policy-records"], asked) == before
    actions.capture_all(organization_id, NOW)
    assert pull(LISTINGS["policy-records"], asked) == before
    assert [row["company"] for row in pull(LISTINGS["policy-records"], question(organization_id))] == ["Borealis"]
