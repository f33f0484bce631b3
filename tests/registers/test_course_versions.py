"""`/v1/courses` from facts told out of order: what is behind the records, and of which kind (contract)."""

import uuid

import pytest

from compliance.facts.courses import actions as courses
from compliance.facts.lines import ReleaseLesson
from compliance.facts.shares import actions as shares
from compliance.history.actions import capture_all
from compliance.history.models import HistoryHead
from compliance.registers.courses import COURSES
from compliance.registers.questions import Company, Pin, Question
from tests.companies import NOW, START, day, make_company
from tests.registers.pulling import pull

pytestmark = pytest.mark.django_db

FIRE_DOORS, HYGIENE = uuid.uuid4(), uuid.uuid4()


def test_releases_withdrawn_ones_and_lessons_shared_alone_each_with_its_kind():
    company = make_company()
    organization_id = company.organization_id
    course = company.course()
    # The second release is told first, and the withdrawal of the first one last.
    for version, moment in ((3, day(30)), (2, day(10))):
        courses.publish_release(
            organization_id=organization_id, course_id=course.course_id, version=version, at=moment, now=NOW,
            lessons=(ReleaseLesson(release_id=FIRE_DOORS, title="Doors", version=version, content_sha256="b" * 64),),
            content_sha256=str(version) * 64,
        )  # fmt: skip
    for moment in (day(20), day(5)):
        shares.share_lesson(
            organization_id=organization_id, course_id=course.course_id, lesson_release_id=HYGIENE, title="Hygiene",
            at=moment, now=NOW,
        )  # fmt: skip
    courses.withdraw_release(
        organization_id=organization_id, course_release_id=course.course_release_id, at=day(40), now=NOW
    )
    courses.rename_course(
        organization_id=organization_id, course_id=course.course_id, title="Fire safety at work", at=day(50), now=NOW
    )
    capture_all(organization_id, NOW)
    head = HistoryHead.objects.get(organization_id=organization_id)
    pin = Pin(head.sequence, head.capture_sequence, head.chain_hash, head.captured_at, head.logic_version)
    rows = pull(COURSES, Question(Company(organization_id, organization_id, organization_id, "UTC", START), pin, NOW))
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
    assert [lesson["title"] for lesson in alone["lessons"]] == ["Hygiene"]
    (lesson,) = by_version[3]["lessons"]
    assert (lesson["release_id"], lesson["title"], lesson["content_sha256"]) == (str(FIRE_DOORS), "Doors", "b" * 64)
    assert (by_version[1]["course_release_id"], by_version[3]["content_sha256"]) == (
        str(course.course_release_id),
        "3" * 64,
    )
