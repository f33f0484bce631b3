"""`/v1/courses` from facts recorded out of order: which course versions are behind training records, of which kind."""

import uuid

import orjson
import pytest

from compliance.facts.lines.kinds import Audience, Certificate, ReleaseLesson
from compliance.history.actions import capture_all
from compliance.history.models import Capture, HistoryRow
from compliance.registers.listings import LISTINGS
from compliance.registers.questions import Company, Pin, Question
from compliance.registers.training import RECORDS
from compliance.rules.vocabulary import CertificateKind, Door
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, START, day, make_company
from tests.registers.pulling import pull

pytestmark = pytest.mark.django_db

FIRE_DOORS, HYGIENE = uuid.uuid4(), uuid.uuid4()
EVERYONE = Audience(everyone=True)
CERTIFICATE = Certificate(title="Able", kind=CertificateKind.COMPLETION, valid_months=3, renew_days_before=30)


def _question(organization_id, capture_sequence=None):
    """A question about now, pinned to the newest capture or to a given one."""
    found = Capture.objects.filter(organization_id=organization_id).order_by("-capture_sequence")
    if capture_sequence is not None:
        found = found.filter(capture_sequence=capture_sequence)
    with context.company(organization_id):
        pinned = found[0]
    pin = Pin(
        pinned.last_sequence, pinned.capture_sequence, pinned.chain_hash, pinned.captured_at, pinned.logic_version
    )
    return Question(Company(organization_id, organization_id, organization_id, "UTC", START), pin, NOW)


def _kinds(organization_id, capture_sequence=None):
    rows = pull(LISTINGS["courses"], _question(organization_id, capture_sequence))
    return {row["version"]: row["source_kind"] for row in rows}


def test_releases_withdrawn_ones_and_lessons_shared_alone_each_with_its_kind():
    company = make_company()
    organization_id = company.organization_id
    course = company.course()
    company.join()
    company.share(course)
    # The second release is recorded first, and the withdrawal of the first one last.
    for version, moment in ((3, day(30)), (2, day(10))):
        verbs.publish_release(
            organization_id=organization_id, course_id=course.course_id, version=version, at=moment, now=NOW,
            lessons=(ReleaseLesson(release_id=FIRE_DOORS, title="Doors", version=version, content_sha256="b" * 64),),
            content_sha256=str(version) * 64,
        )  # fmt: skip
    for moment in (day(20), day(5)):
        verbs.share_lesson(
            organization_id=organization_id, course_id=course.course_id, lesson_release_id=HYGIENE, title="Hygiene",
            at=moment, now=NOW, version=4, content_sha256="c" * 64,
        )  # fmt: skip
    verbs.withdraw_release(
        organization_id=organization_id, course_release_id=course.course_release_id, at=day(40), now=NOW
    )
    verbs.change_course(
        organization_id=organization_id, course_id=course.course_id, title="Fire safety at work", at=day(50), now=NOW
    )
    capture_all(organization_id, NOW)
    rows = pull(LISTINGS["courses"], _question(organization_id))
    assert {row["course_title"] for row in rows} == {"Fire safety at work"}
    by_version = {row["version"]: row for row in rows}
    assert {version: row["source_kind"] for version, row in by_version.items()} == {
        1: "release_unavailable",
        2: "course_release",
        3: "course_release",
        None: "lesson_share_without_course_release",
    }
    alone = by_version[None]
    assert (alone["course_release_id"], alone["published_at"], alone["content_sha256"]) == (None, None, None)
    assert alone["lessons"] == [
        {"release_id": str(HYGIENE), "title": "Hygiene", "version": 4, "content_sha256": "c" * 64}
    ]
    (lesson,) = by_version[3]["lessons"]
    assert lesson == {"release_id": str(FIRE_DOORS), "title": "Doors", "version": 2, "content_sha256": "b" * 64}
    assert (by_version[1]["course_release_id"], by_version[3]["content_sha256"]) == (
        str(course.course_release_id),
        "3" * 64,
    )


def test_only_what_is_behind_a_record_of_an_employee_is_listed_and_only_from_the_pin_that_knows_it():
    company = make_company()
    organization_id = company.organization_id
    person = company.join()
    course = company.course()  # version 1: shared with partners alone, then with a team without anybody in it
    company.share(course, doors=(Door.PARTNER,))
    empty = company.team("Nobody")
    company.share(course, team_ids=(empty,))
    company.course("Never shared")
    for lesson_release_id, audience in ((HYGIENE, Audience(team_ids=(empty,))), (FIRE_DOORS, EVERYONE)):
        verbs.share_lesson(
            organization_id=organization_id, course_id=course.course_id, lesson_release_id=lesson_release_id,
            title="Hygiene", at=day(5), now=NOW, version=4, content_sha256="c" * 64, audience=audience,
        )  # fmt: skip
    first = capture_all(organization_id, NOW)[-1].capture_sequence
    (lesson,) = pull(LISTINGS["courses"], _question(organization_id))
    assert (lesson["course_release_id"], lesson["lessons"][0]["release_id"]) == (None, str(FIRE_DOORS))
    second = company.publish(course, 2, day(20))
    company.share(second, day(25), people=(person,))
    then = capture_all(organization_id, NOW)[-1].capture_sequence
    assert _kinds(organization_id, then) == {None: "lesson_share_without_course_release", 2: "course_release"}
    assert _kinds(organization_id, first) == {None: "lesson_share_without_course_release"}
    verbs.withdraw_release(
        organization_id=organization_id, course_release_id=second.course_release_id, at=day(30), now=NOW
    )
    company.leave(person, day(40))
    capture_all(organization_id, NOW)
    kinds = _kinds(organization_id)
    assert kinds[2] == "release_unavailable"  # its record has ended, but is listed as at another moment
    assert _kinds(organization_id, then) == {None: "lesson_share_without_course_release", 2: "course_release"}


def test_the_versions_listed_are_those_that_records_name():
    company = make_company()
    organization_id = company.organization_id
    person = company.join()
    for number in range(3):
        course = company.course(f"Course {number}", certificate=CERTIFICATE)
        company.share(course)
        company.complete(person, course, day(5))
        company.publish(course, 2, day(20), retake=bool(number))
        company.publish(course, 3, day(20 + 30 * number))
    capture_all(organization_id, NOW)
    question = _question(organization_id)
    named = {
        row["course_release_id"]
        for days in range(0, 200, 5)
        for row in pull(RECORDS, question._replace(moment=day(days)))
    }
    assert {row["course_release_id"] for row in pull(LISTINGS["courses"], question)} >= named
    with context.company(organization_id):
        bodies = HistoryRow.objects.filter(organization_id=organization_id, register=1).exclude(body="")
        known = {orjson.loads(body)["course_release_id"] for body in bodies.values_list("body", flat=True)}
    assert {row["course_release_id"] for row in pull(LISTINGS["courses"], question)} == known
    assert len(known) < 9
