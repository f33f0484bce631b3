"""Reads about takes: progress, and what was done."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import DEFAULT_DB_ALIAS

from compliance.facts.people import queries as people
from compliance.learning import courses
from compliance.learning.courses import Content
from compliance.learning.models import Take
from compliance.rules.taking.outline import Outline
from compliance.rules.taking.progress import Answered, Progress, progress
from compliance.tenancy import sql


@dataclass
class Way:
    """A take with its content. `outline` is that of the course or of the lesson; `roles` are the person's.

    `carried_at`: when it took over what counted of a take of an earlier release, None if it did not.
    """

    take: Take
    content: Content
    outline: Outline
    roles: frozenset[str]
    carried_at: datetime | None = None

    @property
    def finished(self) -> bool:
        """Whether a completion of this take is recorded."""
        return self.take.completion_receipt_id is not None


class LastAnswer(NamedTuple):
    """The last counted answer to a question. `choices` None: they are no longer stored."""

    number: int
    right: bool
    choices: frozenset[str] | None


@dataclass(frozen=True)
class Done:
    """What was done in a take: pages, films, answers, and the attempts given beyond the questions' own.

    Pages, films and answers are named with the fingerprint of their lesson.
    """

    pages_read: frozenset[tuple[str, str]]
    films_seen: frozenset[tuple[str, str]]
    answers: tuple[Answered, ...]
    last_answers: dict[tuple[str, str], LastAnswer]
    more_attempts: dict[str, int]


_DONE = """
SELECT take_id, 1, lesson_sha256, page_id, film, false, NULL::varchar[] FROM learning_pageread
  WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = ANY(%(takes)s::uuid[])
UNION ALL SELECT take_id, 2, lesson_sha256, question_id, number, "right", choices FROM learning_answer
  WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = ANY(%(takes)s::uuid[])
UNION ALL SELECT take_id, 3, '', question_id, attempts, false, NULL FROM learning_moreattempts
  WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = ANY(%(takes)s::uuid[])"""


def done_in(organization_id: uuid.UUID, take_ids: list[uuid.UUID]) -> dict[uuid.UUID, Done]:
    """What was done in each of the takes. One statement."""
    pages: dict[uuid.UUID, set[tuple[str, str]]] = {take_id: set() for take_id in take_ids}
    films: dict[uuid.UUID, set[tuple[str, str]]] = {take_id: set() for take_id in take_ids}
    answers: dict[uuid.UUID, list[Answered]] = {take_id: [] for take_id in take_ids}
    last: dict[uuid.UUID, dict[tuple[str, str], LastAnswer]] = {take_id: {} for take_id in take_ids}
    more: dict[uuid.UUID, dict[str, int]] = {take_id: {} for take_id in take_ids}
    for take_id, what, sha256, name, number, right, choices in sql.fetch(
        _DONE, {"organization": organization_id, "takes": take_ids}
    ):
        if what == 1 and number:
            films[take_id].add((sha256, f"film-{name}-{number}"))
        elif what == 1:
            pages[take_id].add((sha256, name))
        elif what == 3:
            more[take_id][name] = more[take_id].get(name, 0) + number
        else:
            answers[take_id].append(Answered(sha256, name, number, right))
            before = last[take_id].get((sha256, name))
            if before is None or before.number < number:
                chosen = None if choices is None else frozenset(choices)
                last[take_id][sha256, name] = LastAnswer(number, right, chosen)
    return {
        take_id: Done(
            frozenset(pages[take_id]),
            frozenset(films[take_id]),
            tuple(answers[take_id]),
            last[take_id],
            more[take_id],
        )
        for take_id in take_ids
    }


def done_of(way: Way) -> Done:
    """What was done in the take."""
    return done_in(way.take.organization_id, [way.take.take_id])[way.take.take_id]


def progress_of(way: Way, done: Done | None = None) -> Progress:
    """The person's progress in the take. `done` is read if it is not given."""
    done = done or done_of(way)
    return progress(way.outline, way.roles, done.pages_read, done.answers, done.more_attempts, done.films_seen)


def last_answers(way: Way, done: Done | None = None) -> dict[str, LastAnswer]:
    """The last counted answer to each question that has one, by question."""
    done = done or done_of(way)
    return {
        question_id: done.last_answers[lesson.sha256, question_id]
        for question_id, (lesson, _, _) in way.outline.questions.items()
        if (lesson.sha256, question_id) in done.last_answers
    }


def carried_content(way: Way) -> Content | None:
    """The content of the version from which the take took over what counts; None if it took over nothing."""
    if way.carried_at is None:
        return None
    before = Take.objects.filter(
        organization_id=way.take.organization_id,
        learner_profile_id=way.take.learner_profile_id,
        course_id=way.take.course_id,
        carried_at=way.carried_at,
    ).first()
    found = before and courses.contents(before.organization_id, [before.course_release_id])
    return found.get(before.course_release_id) if before and found else None


# Every page reads takes, so these are plain statements: the ORM would take half a millisecond to build one.
_TAKE_COLUMNS = [field.attname for field in Take._meta.concrete_fields]
_TAKE = ", ".join(_TAKE_COLUMNS)


def takes_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> list[Take]:
    """All takes of a person, in the order in which they began."""
    rows = sql.fetch(
        f"SELECT {_TAKE} FROM learning_take WHERE organization_id = (SELECT %(organization)s::uuid)"  # noqa: S608
        " AND learner_profile_id = %(learner)s ORDER BY begun_at, id",
        {"organization": organization_id, "learner": learner_profile_id},
    )
    return [Take.from_db(DEFAULT_DB_ALIAS, _TAKE_COLUMNS, row) for row in rows]


def takes_of_course(
    organization_id: uuid.UUID,
    learner_profile_id: uuid.UUID,
    course_id: uuid.UUID,
    lesson_release_id: uuid.UUID | None,
) -> list[Take]:
    """The takes of a course, or of a lesson that was shared alone, for any record and release, newest first."""
    rows = sql.fetch(
        f"SELECT {_TAKE} FROM learning_take WHERE organization_id = (SELECT %(organization)s::uuid)"  # noqa: S608
        " AND learner_profile_id = %(learner)s AND course_id = %(course)s"
        " AND lesson_release_id IS NOT DISTINCT FROM %(lesson)s::uuid ORDER BY begun_at DESC, id DESC",
        {
            "organization": organization_id,
            "learner": learner_profile_id,
            "course": course_id,
            "lesson": lesson_release_id,
        },
    )
    return [Take.from_db(DEFAULT_DB_ALIAS, _TAKE_COLUMNS, row) for row in rows]


def how_far(
    organization_id: uuid.UUID, begun: list[Take], lessons: Mapping[uuid.UUID, str | None], now: datetime
) -> dict[uuid.UUID, Progress]:
    """One person's progress in the takes, by `record_id`; takes of records that are not in `lessons` are left out.

    `lessons` has, by record, the fingerprint of a lesson shared alone, None for a whole course. Three statements,
    however many there are.
    """
    begun = [each for each in begun if each.record_id in lessons]
    if not begun:
        return {}
    roles = people.roles_of(organization_id, begun[0].learner_profile_id, now)
    contents = courses.contents(organization_id, list({take.course_release_id for take in begun}))
    done = done_in(organization_id, [take.take_id for take in begun])
    return {
        take.record_id: progress_of(
            Way(take, content, content.of_lesson(lessons[take.record_id]), roles), done[take.take_id]
        )
        for take in begun
        if (content := contents.get(take.course_release_id)) is not None
    }
