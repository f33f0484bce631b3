"""The known data of a lesson that is shared by itself: what facts stated, and nothing else."""

import uuid
from collections.abc import Iterator
from importlib import import_module
from itertools import permutations
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.history.actions import capture_all
from compliance.history.projections import courses
from compliance.tenancy import context, sql
from tests.companies import make_company
from tests.facts.files import (
    EMPLOYEES,
    EVERYONE,
    NEVER,
    NOW,
    course,
    fact,
    identifier,
    ids,
    joined,
    release,
    take_in,
)

pytestmark = pytest.mark.django_db

TOLD: dict[str, Any] = {"version": 3, "content_sha256": "a" * 64}
SECOND = {"fact_id": identifier("again"), "completion_receipt_id": identifier("receipt again")}


@pytest.fixture
def inside() -> Iterator[uuid.UUID]:
    organization_id = make_company().organization_id
    with context.company(organization_id):
        yield organization_id


def shared(name: str = "doors", key: str = "", day: float = 2, **told: Any) -> dict[str, Any]:
    return fact(
        "lesson_shared", name + key, day, share_id=f"share {name}{key}", lesson_release_id=f"lesson {name}",
        title="Doors", course_id="course fire", doors=EMPLOYEES, audience=EVERYONE, requirement="optional",
        deadline=NEVER, **told,
    )  # fmt: skip


def released(version: int = 2, **told: Any) -> dict[str, Any]:
    """A release of another course that has the lesson."""
    lesson = {"release_id": identifier("lesson doors"), "title": "Doors", **TOLD, **told}
    return release("safety", version, 5) | {"lessons": [lesson]}


def shown(organization_id: uuid.UUID) -> list[tuple[int, str]]:
    """(version, content_sha256) of the lessons in the history's rows of lessons shared alone."""
    capture_all(organization_id, NOW)
    rows = sql.fetch(
        "SELECT v.body FROM history_historyrecord r JOIN history_historyrow v USING (organization_id, birth)"
        " WHERE r.organization_id = %s AND r.record_id = %s ORDER BY v.sequence DESC LIMIT 1",
        [organization_id, courses.lesson_row_id(organization_id, uuid.UUID(identifier("lesson doors")))],
    )
    return [(lesson["version"], lesson["content_sha256"]) for lesson in orjson.loads(rows[0][0])["lessons"]]


@pytest.mark.parametrize("told", [{}, {"version": 3}, {"content_sha256": "a" * 64}])
def test_a_lesson_of_which_nobody_told_version_and_fingerprint_is_not_shared(
    inside: uuid.UUID, told: dict[str, Any]
) -> None:
    report = take_in(inside, [*course("fire"), shared(**told), shared("other", **TOLD)])
    (error,) = report.errors
    assert error.fact_id == shared()["fact_id"]
    assert "tell its version and content_sha256" in error.reason
    # Sharing is not a release: each share states the version and fingerprint itself.
    assert take_in(inside, [shared(key=" whole", **TOLD)]).errors == []
    assert len(take_in(inside, [shared(**told)]).errors) == 1
    assert shown(inside) == [(3, "a" * 64)]


@pytest.mark.parametrize("together", [True, False])
def test_what_a_release_told_of_a_lesson_need_not_be_told_again(inside: uuid.UUID, together: bool) -> None:
    begin = [*course("fire"), *course("safety"), released()]
    for part in [[shared(), *begin]] if together else [begin, [shared()]]:
        assert take_in(inside, part).errors == []
    assert shown(inside) == [(3, "a" * 64)]


def test_a_lesson_release_never_changes(inside: uuid.UUID) -> None:
    begin = [*course("fire"), *course("safety")]
    other: dict[str, Any] = {"content_sha256": "b" * 64}
    report = take_in(inside, [*begin, shared(**TOLD), shared(key=" later", day=3, **TOLD | other)])
    assert [error.reason for error in report.errors] == [
        "content_sha256: a lesson release never changes, and it was another."
    ]
    assert len(take_in(inside, [released(**other)]).errors) == 1
    assert take_in(inside, [released()]).errors == []
    assert shown(inside) == [(3, "a" * 64)]


def test_a_lesson_has_the_lowest_version_told_whatever_came_first() -> None:
    told = [shared(**TOLD), shared(key=" two", **TOLD | {"version": 2}), released(version=2), released(version=7)]
    told[3] = told[3] | {"fact_id": identifier("another"), "course_release_id": identifier("another")}
    told[3]["lessons"][0]["version"] = 7
    for order in permutations(told):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            take_in(organization_id, [*course("fire"), *course("safety")])
            for line in order:
                assert take_in(organization_id, [line]).errors == []
            assert shown(organization_id) == [(2, "a" * 64)]


def test_a_share_recorded_before_shows_no_invented_lesson(inside: uuid.UUID) -> None:
    assert take_in(inside, [*course("fire"), shared(**TOLD)]).errors == []
    sql.execute("UPDATE courses_lesson SET version = NULL, content_sha256 = NULL WHERE organization_id = %s", [inside])
    assert shown(inside) == []
    assert take_in(inside, [shared(key=" told now", day=9, **TOLD)]).errors == []
    assert shown(inside) == [(3, "a" * 64)]


def in_releases(organization_id: uuid.UUID) -> dict[str, int]:
    """The version of the lesson in the history's row of each release that holds it."""
    capture_all(organization_id, NOW)
    rows = sql.fetch(
        "SELECT DISTINCT ON (r.record_id) v.body FROM history_historyrecord r"
        " JOIN history_historyrow v USING (organization_id, birth) WHERE r.organization_id = %s AND r.register = 4"
        " ORDER BY r.record_id, v.sequence DESC",
        [organization_id],
    )
    found = [row for (body,) in rows if (row := orjson.loads(body))["lessons"] and row["course_release_id"]]
    return {row["course_id"]: row["lessons"][0]["version"] for row in found}


def test_every_course_that_holds_a_lesson_has_its_lowest_version_whatever_came_first() -> None:
    lesson = {"release_id": identifier("lesson doors"), "title": "Doors", **TOLD}
    told = [
        release("fire", 2, 5) | {"lessons": [lesson | {"version": 5}]},
        release("safety", 2, 5) | {"lessons": [lesson | {"version": 4}]},
        shared(**TOLD),
    ]
    for order in permutations(told):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            take_in(organization_id, [*course("fire"), *course("safety")])
            for line in order:
                assert take_in(organization_id, [line]).errors == []
                capture_all(organization_id, NOW)
            assert in_releases(organization_id) == dict.fromkeys(ids("course fire", "course safety"), 3)
            assert shown(organization_id) == [(3, "a" * 64)]


def test_a_release_with_known_lessons_takes_as_many_statements_however_many_courses_hold_them(
    inside: uuid.UUID,
) -> None:
    lesson = {"release_id": identifier("lesson doors"), "title": "Doors", **TOLD}
    names = [f"course{number}" for number in range(6)]
    take_in(inside, [line for name in names for line in course(name)])
    take_in(inside, [release(names[0], 2, 5) | {"lessons": [lesson | {"version": 9}]}])
    numbers = []
    for few in (names[1:2], names[2:]):
        lines = [release(name, 2, 5) | {"lessons": [lesson | {"version": 9 - len(few)}]} for name in few]
        with CaptureQueriesContext(connection) as statements:
            assert take_in(inside, lines).errors == []
        numbers.append(len(statements))
    assert numbers[0] == numbers[1]


def completed_lesson(day: float = 8) -> dict[str, Any]:
    return fact(
        "course_completed", "lesson", day, completion_receipt_id="receipt", learner_profile_id="ada",
        lesson_release_id="lesson doors",
    )  # fmt: skip


def settled(organization_id: uuid.UUID) -> list[tuple[str, str | None]]:
    """The course and the completion of each of Ada's training records."""
    capture_all(organization_id, NOW)
    rows = sql.fetch(
        "SELECT DISTINCT ON (r.record_id) v.body FROM history_historyrecord r"
        " JOIN history_historyrow v USING (organization_id, birth)"
        " WHERE r.organization_id = %s AND r.register = 1 ORDER BY r.record_id, v.valid_from DESC, v.sequence DESC",
        [organization_id],
    )
    return [(row["course_id"], row["completion_receipt_id"]) for (body,) in rows if (row := orjson.loads(body))]


def test_a_completion_belongs_to_the_course_under_which_its_lesson_is_shared_whichever_came_first() -> None:
    for order in permutations([released(), shared(), completed_lesson(), completed_lesson(9) | SECOND]):
        organization_id = make_company().organization_id
        with context.company(organization_id):
            take_in(organization_id, [*course("fire"), *course("safety"), joined("ada")])
            waiting = list(order)
            while waiting:  # what refers to something unknown is sent again
                waiting = [line for line in waiting if take_in(organization_id, [line]).errors]
                capture_all(organization_id, NOW)
            assert settled(organization_id) == [(identifier("course fire"), identifier("receipt"))]
            courses_named = sql.fetch(
                "SELECT DISTINCT course_id FROM training_completion WHERE organization_id = %s", [organization_id]
            )
            assert courses_named == [(uuid.UUID(identifier("course fire")),)]


def test_completions_recorded_before_are_moved_when_the_service_is_upgraded(inside: uuid.UUID) -> None:
    lines = [*course("fire"), *course("safety"), joined("ada"), released(), shared(), completed_lesson()]
    assert take_in(inside, lines).errors == []
    sql.execute(
        "UPDATE training_completion SET course_id = %s WHERE organization_id = %s",
        [uuid.UUID(identifier("course safety")), inside],
    )
    migration = import_module("compliance.facts.training.migrations.0004_completions_of_lessons")
    sql.execute(migration._MOVE.replace("%(organization)s", "%s"), [inside])
    assert settled(inside) == [(identifier("course fire"), identifier("receipt"))]
