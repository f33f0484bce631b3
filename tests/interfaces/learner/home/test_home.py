"""Home lists what is owed, the earliest deadline first, with the reason and a link; what was just done is left out."""

import re
import uuid
from datetime import UTC, datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.facts.courses.models import ReleaseContent
from compliance.facts.lines.kinds import Certificate, ReleaseLesson
from compliance.history.of_person import held
from compliance.learning import courses, taking, words
from compliance.rules.company_days import end_of_day
from compliance.rules.vocabulary import CertificateKind, Door, Requirement, WaiverReasonCode
from compliance.tenancy import context
from tests import verbs
from tests.companies import Course, noon
from tests.learning.courses_to_take import lesson, page, teach

LONDON = ZoneInfo("Europe/London")

pytestmark = pytest.mark.django_db


def text_of(html: str) -> str:
    """The text of a page, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html.partition("<main")[2])))


def record_of(here, course: Course) -> uuid.UUID:
    with context.company(here.organization_id):
        rows = held(here.organization_id, here.anna.learner_profile_id, datetime.now(UTC), ("training",))
    return next(row.record_id for row in rows if row.course_id == course.course_id)


def test_nothing_to_do_is_said_calmly(here):
    here.capture()
    assert "There is nothing for you to do" in here.page()


def test_before_the_first_capture_the_list_is_said_to_be_on_its_way(here):
    assert "Your list is being put together." in here.page()


def test_training_and_policies_are_one_list_late_first_then_soonest_then_without_a_deadline(here):
    company = here.company
    for title, days_left in (("In a month", 30), ("Late", -3), ("Soon", 2)):
        due_at = end_of_day("Europe/London", (datetime.now(UTC) + timedelta(days=days_left)).date())
        company.share(company.course(title), due_at=due_at)
    company.share(company.course("Whenever"))
    here.policy("Conduct", days_ago=20)
    here.capture()
    said = text_of(here.page())
    places = [said.index(title) for title in ("Late", "Soon", "In a month", "Conduct", "Whenever")]
    assert places == sorted(places)
    assert "5 things to do" in said
    assert "3 days late" in said
    assert said.count("no deadline") == 2


def test_a_deadline_is_in_words_and_its_reason_in_one_sentence(here):
    company = here.company
    team = company.team("Warehouse")
    verbs.add_to_team(**here.when(39), team_id=team, learner_profile_id=here.anna.learner_profile_id)
    company.share(company.course("Ladders"), team_ids=(team,), days=60)
    company.share(company.course("First aid"), people=(here.anna,))
    company.share(company.course("Fire safety"))
    here.policy()
    here.capture()
    said = text_of(here.page())
    due_at = end_of_day("Europe/London", (noon(39) + timedelta(days=60)).date())
    assert words.by_day(due_at, datetime.now(UTC), LONDON) in said
    assert "Ladders Everyone in Warehouse does this within 60 days." in said
    assert "First aid Harbour Works has asked you to do this." in said
    assert "Fire safety It is for everyone at Harbour Works." in said
    assert "Code of conduct It is for everyone at Harbour Works." in said


def test_a_deadline_of_ones_own_and_a_renewal_say_so(here):
    company = here.company
    course = company.course("Fire safety")
    company.share(course, days=10)
    renewed = company.course(
        "Forklift",
        certificate=Certificate(
            title="Forklift", kind=CertificateKind.COMPLETION, valid_months=2, renew_days_before=30
        ),
    )
    company.share(renewed)
    company.complete(here.anna, renewed, noon(39))
    verbs.set_deadline(
        **here.when(2), learner_profile_id=here.anna.learner_profile_id, course_id=course.course_id,
        due_at=noon(-3), actor_id=uuid.uuid4(),
    )  # fmt: skip
    here.capture()
    said = text_of(here.page())
    assert "Fire safety Harbour Works set this date for you." in said
    assert "Forklift It renews your certificate, which runs out on" in said


def test_a_policy_is_asked_again_with_its_reason(here):
    policy = here.policy()
    here.confirm(policy, noon(10))
    here.publish_policy(policy.course_id, uuid.uuid4(), 2, 5)
    here.capture()
    assert "You have confirmed an earlier version, and this one is new." in text_of(here.page())


def test_what_can_be_done_here_has_one_link_and_the_rest_says_that_it_is_done_elsewhere(here):
    here_taken, elsewhere = here.company.course("Taken here"), here.company.course("Elsewhere")
    here.company.share(here_taken)
    here.company.share(elsewhere)
    here.give_content(here_taken)
    policy = here.policy()
    here.capture()
    html = here.page()
    assert html.count(f'href="/learn/courses/{here_taken.course_id}/"') == 1
    assert html.count(f'href="/learn/policies/{policy.course_id}"') == 1
    assert str(elsewhere.course_id) not in html
    assert text_of(html).count("It is taken elsewhere") == 1


def test_a_lesson_that_is_shared_alone_goes_by_its_own_title(here):
    alone = ReleaseLesson(release_id=uuid.uuid4(), title="Leaving the building", version=1, content_sha256="ab" * 32)
    course = here.company.course("Fire safety")
    release = here.company.publish(course, 2, noon(90), lessons=(alone,))
    here.give_content(release)
    verbs.share_lesson(
        **here.when(20), course_id=course.course_id, lesson_release_id=alone.release_id, title=alone.title,
        version=1, content_sha256=alone.content_sha256,
    )  # fmt: skip
    here.capture()
    html = here.page()
    assert f'href="/learn/lessons/{alone.release_id}/"><bdi>Leaving the building</bdi></a>' in html


def test_how_far_one_is_stands_beside_what_was_begun(here):
    course = teach(here.company, lesson("one", page("p1"), page("p2"), page("p3")))
    assert "Page" not in text_of(here.page())
    now = datetime.now(UTC)
    with context.company(here.organization_id):
        wanted = courses.assignment(here.organization_id, here.anna.learner_profile_id, now, course_id=course.course_id)
        way = taking.open_take(wanted, now)
        taking.read_page(way, "p1", now)
    assert "Page 2 of 3" in text_of(here.page())


def test_a_course_goes_by_its_title_in_the_language_of_the_person(here):
    course = here.company.course("Personal data at work")
    here.company.share(course)
    words = {"en": {"t": "Personal data at work"}, "ar": {"t": "البيانات الشخصية"}}
    with context.company(here.organization_id):
        ReleaseContent.objects.create(
            organization_id=here.organization_id, course_release_id=course.course_release_id, content={}, words=words,
            manifest={"title": "t", "languages": ["en", "ar"]},
        )  # fmt: skip
    here.capture()
    arabic = here.client.get("/learn/", headers={"accept-language": "ar"}).content.decode()
    assert '<bdi lang="ar">البيانات الشخصية</bdi>' in arabic
    assert '<bdi lang="en">Personal data at work</bdi>' in here.page()
    french = here.client.get("/learn/", headers={"accept-language": "fr"}).content.decode()
    assert '<bdi lang="en">Personal data at work</bdi>' in french


def test_what_is_optional_stands_apart(here):
    here.company.share(here.company.course("Must"))
    here.company.share(here.company.course("May"), requirement=Requirement.OPTIONAL)
    here.capture()
    said = text_of(here.page())
    assert "1 thing to do" in said
    assert said.index("Must") < said.index("If you like") < said.index("May")


def test_what_is_waived_ended_or_done_is_not_asked(here):
    company = here.company
    waived, ended, done = (company.course(title) for title in ("Waived", "Ended", "Finished"))
    for course in (waived, done):
        company.share(course)
    verbs.end_share(**here.when(1), share_id=company.share(ended))
    company.complete(here.anna, done, noon(5))
    verbs.waive(
        **here.when(2), learner_profile_id=here.anna.learner_profile_id, course_id=waived.course_id,
        reason_code=WaiverReasonCode.MEDICAL, actor_id=uuid.uuid4(),
    )  # fmt: skip
    here.capture()
    assert "There is nothing for you to do" in text_of(here.page())


def test_what_was_done_seconds_ago_is_done_before_any_capture(here):
    course = here.company.course("Fire safety")
    here.company.share(course)
    policy = here.policy()
    here.capture()
    assert "2 things to do" in text_of(here.page())
    receipt_id = here.company.complete(here.anna, course, datetime.now(UTC))
    here.finished(course, record_of(here, course), receipt_id)
    signed = here.confirm(policy)
    assert "There is nothing for you to do" in text_of(here.page())
    said = here.page("/learn/done")
    assert "Finished today" in said
    assert f'href="/learn/receipts/{signed}"' in said
    here.capture()
    assert "There is nothing for you to do" in text_of(here.page())
    assert here.page("/learn/done").count("Fire safety") == 1


def test_a_completion_that_was_voided_is_asked_for_again(here):
    course = here.company.course("Fire safety")
    here.company.share(course)
    here.capture()
    at = datetime.now(UTC) - timedelta(minutes=2)
    receipt_id = here.company.complete(here.anna, course, at)
    here.finished(course, record_of(here, course), receipt_id)
    here.capture()
    verbs.void_completion(
        organization_id=here.organization_id, at=at + timedelta(minutes=1), completion_receipt_id=receipt_id,
        actor_id=uuid.uuid4(),
    )  # fmt: skip
    here.capture()
    assert "1 thing to do" in text_of(here.page())


@pytest.mark.parametrize(("door", "words"), [("partner", "all partners of"), ("customer", "all customers of")])
def test_partners_and_customers_see_what_they_owe(here, door, words):
    profile_id = uuid.uuid4()
    verbs.join_contact(
        **here.when(20), learner_profile_id=profile_id, door=door, company="Quay Ltd", person_name="Bo",
        account_email="bo@example.org",
    )  # fmt: skip
    here.policy(doors=(Door.PARTNER, Door.CUSTOMER))
    here.capture()
    answer = here.signed_in(here.organization_id, profile_id).get("/learn/")
    assert f"It is for {words} Harbour Works." in text_of(answer.content.decode())
    assert "There is nothing for you to do" in text_of(here.page())


def test_others_see_nothing_of_it(here):
    here.company.share(here.company.course("Annas"), people=(here.anna,))
    bo = here.company.join("Bo", at=noon(30))
    here.capture()
    assert "Annas" not in here.browser_of(bo).get("/learn/").content.decode()


def test_the_number_of_statements_does_not_grow_with_what_is_owed(here):
    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            here.page()
        return len([each for each in queries if "SAVEPOINT" not in each["sql"] and "SET LOCAL" not in each["sql"]])

    team = here.company.team("Warehouse")
    verbs.add_to_team(**here.when(39), team_id=team, learner_profile_id=here.anna.learner_profile_id)
    for number in range(2):
        here.company.share(here.company.course(f"Course {number}"), team_ids=(team,))
    here.policy("One")
    here.capture()
    few = statements()
    for number in range(2, 14):
        here.company.share(here.company.course(f"Course {number}"))
        here.policy(f"Policy {number}")
    here.capture()
    assert "27 things to do" in text_of(here.page())
    assert statements() == few <= 11


def test_a_name_of_the_other_direction_is_set_apart_within_its_sentence(here):
    here.company.share(here.company.course("Fire safety"))
    here.capture()
    arabic = here.client.get("/learn/", headers={"accept-language": "ar"}).content.decode()
    assert "\u2068Harbour Works\u2069" in arabic
    assert "\u2068" not in here.page()
