"""Figures of a course for managers: who has begun, each person's progress, and the questions missed most.

Each read takes a constant number of statements. Only people who are here now are counted, each with their newest take
of the course and of each lesson that was shared alone; takes that were carried to another release are left out. Whoever
takes the course and a lesson of it counts once.
"""

import uuid
from datetime import datetime
from typing import NamedTuple

from compliance.facts.courses import queries as courses_queries
from compliance.facts.people import queries as people
from compliance.facts.training import queries as training
from compliance.learning import courses
from compliance.learning.courses import Content
from compliance.learning.models import Take
from compliance.learning.queries import Way, done_in, progress_of
from compliance.rules.taking.outline import Outline
from compliance.rules.taking.progress import Progress, QuestionState
from compliance.tenancy import sql

_STATE = f"""CASE WHEN t.finished_at IS NULL THEN 'begun'
    WHEN {training.voided("t.completion_receipt_id")} THEN 'voided' ELSE 'finished' END"""

_COMPANY = "(SELECT %(organization)s::uuid)"
_PEOPLE = "count(DISTINCT t.learner_profile_id)"


def _takes(*, of_course: bool, of_team: bool) -> str:
    """SQL, to follow FROM, of the newest take of each person who is here at %(at)s, with its `state`.

    IS TRUE makes the planner use a hash of the people. Otherwise, without statistics of a company, it reads all people
    for each take, which takes minutes for ten thousand.
    """
    course = " AND t.course_id = %(course)s" if of_course else ""
    members = people.members("ARRAY[%(team)s::uuid]")
    team = f" AND (t.learner_profile_id IN ({members})) IS TRUE" if of_team else ""
    return f"""(
    SELECT DISTINCT ON (t.course_id, t.lesson_release_id, t.learner_profile_id) t.*, {_STATE} AS state
    FROM learning_take t WHERE t.organization_id = (SELECT %(organization)s::uuid) AND t.carried_at IS NULL{course}
      AND (t.learner_profile_id IN (SELECT here.learner_profile_id FROM ({people.HERE}) here)) IS TRUE{team}
    ORDER BY t.course_id, t.lesson_release_id, t.learner_profile_id, t.begun_at DESC, t.id DESC) t"""  # noqa: S608


class CourseTaken(NamedTuple):
    """The figures of a course that people take."""

    course_id: uuid.UUID
    title: str
    begun: int
    finished: int
    last_at: datetime


def courses_taken(organization_id: uuid.UUID, now: datetime) -> list[CourseTaken]:
    """The courses that anybody who is here has begun, by title. One statement."""
    rows = sql.fetch(
        f"SELECT t.course_id, coalesce(c.title, ''), {_PEOPLE}, {_PEOPLE} FILTER (WHERE t.state = 'finished'),"  # noqa: S608
        f" max(t.seen_at) FROM {_takes(of_course=False, of_team=False)} {courses_queries.joined('t', _COMPANY)}"
        " GROUP BY t.course_id, c.title ORDER BY lower(c.title), t.course_id",
        {"organization": organization_id, "at": now},
    )
    return [CourseTaken(*row) for row in rows]


class Figures(NamedTuple):
    """The figures of a course, or of a team in it. `course_release_id`: the version that was begun last."""

    begun: int
    under_way: int
    finished: int
    assessed: int
    course_release_id: uuid.UUID | None


def figures(
    organization_id: uuid.UUID, course_id: uuid.UUID, now: datetime, team_id: uuid.UUID | None = None
) -> Figures:
    """How many have begun, are in progress, have finished, and have finished with every question right."""
    (row,) = sql.fetch(
        f"SELECT {_PEOPLE}, {_PEOPLE} FILTER (WHERE t.state = 'begun'), {_PEOPLE} FILTER (WHERE t.state = 'finished'),"  # noqa: S608
        f" {_PEOPLE} FILTER (WHERE t.state = 'finished' AND t.assessed),"
        " (array_agg(t.course_release_id ORDER BY t.begun_at DESC))[1]"
        f" FROM {_takes(of_course=True, of_team=team_id is not None)}",
        {"organization": organization_id, "course": course_id, "team": team_id, "at": now},
    )
    return Figures(*row)


class Missed(NamedTuple):
    """A question: how many people answered it, how many of them wrongly at first, and the number of wrong answers."""

    question_id: str
    prompt: str
    people: int
    wrong_at_first: int
    wrong: int


def missed(
    organization_id: uuid.UUID, course_id: uuid.UUID, content: Content, now: datetime, team_id: uuid.UUID | None = None
) -> list[Missed]:
    """The questions of a content that were answered, ordered by how many people missed them at first.

    Answers in any release count, as long as the lesson is the same.
    """
    rows = sql.fetch(
        f"SELECT a.lesson_sha256, a.question_id, {_PEOPLE} FILTER (WHERE a.number = 1),"  # noqa: S608
        f' {_PEOPLE} FILTER (WHERE a.number = 1 AND NOT a."right"), count(*) FILTER (WHERE NOT a."right")'
        f" FROM {_takes(of_course=True, of_team=team_id is not None)}"
        " JOIN learning_answer a ON a.organization_id = t.organization_id AND a.take_id = t.take_id"
        " GROUP BY a.lesson_sha256, a.question_id",
        {"organization": organization_id, "course": course_id, "team": team_id, "at": now},
    )
    counted = {(sha256, question_id): numbers for sha256, question_id, *numbers in rows}
    found = [
        Missed(question_id, content.prompt(question_id), *counted[lesson.sha256, question_id])
        for question_id, (lesson, _, _) in content.outline.questions.items()
        if (lesson.sha256, question_id) in counted
    ]
    return sorted(found, key=lambda each: (-each.wrong_at_first / each.people, -each.wrong))


class Learner(NamedTuple):
    """A person and their progress. `progress` None: their version no longer has content."""

    take_id: uuid.UUID
    learner_profile_id: uuid.UUID
    person_name: str | None
    lesson_alone: bool
    begun_at: datetime
    seen_at: datetime
    finished_at: datetime | None
    state: str
    assessed: bool
    progress: Progress | None

    @property
    def out_of_attempts(self) -> list[str]:
        """The questions whose attempts are used up, if the course is not finished."""
        if self.progress is None or self.state != "begun":
            return []
        asked = self.progress.questions.values()
        return [question.id for question in asked if question.state is QuestionState.OUT_OF_ATTEMPTS]


def learners(
    organization_id: uuid.UUID,
    course_id: uuid.UUID,
    now: datetime,
    *,
    team_id: uuid.UUID | None,
    state: str,
    after: tuple[datetime, int] | None,
    most: int,
) -> tuple[list[Learner], tuple[datetime, int] | None]:
    """The people who have begun, the most recently active first, and the key of the next page.

    `state`: `begun`, `finished`, `voided`, or "" for all. Seven statements, however many people.
    """
    rows = sql.fetch(
        f"SELECT t.id, t.take_id, t.learner_profile_id, {people.DISPLAYED_NAME}, t.course_release_id,"  # noqa: S608
        " t.lesson_release_id, t.begun_at, t.seen_at, t.finished_at, t.state, t.assessed"
        f" FROM {_takes(of_course=True, of_team=team_id is not None)} {people.joined('t', _COMPANY)}"
        " WHERE (%(state)s::text = '' OR t.state = %(state)s)"
        " AND (%(seen)s::timestamptz IS NULL OR (t.seen_at, t.id) < (%(seen)s, %(id)s::bigint))"
        " ORDER BY t.seen_at DESC, t.id DESC LIMIT %(most)s",
        {
            "organization": organization_id,
            "course": course_id,
            "team": team_id,
            "at": now,
            "state": state,
            "seen": after[0] if after else None,
            "id": after[1] if after else None,
            "most": most + 1,
        },
    )
    listed = rows[:most]
    far = _progress(organization_id, [(row[1], row[2], row[4], row[5]) for row in listed], now)
    found = [
        Learner(take_id, learner_id, name, lesson_id is not None, begun_at, seen_at, finished_at, each_state, assessed,
                far.get(take_id))
        for _, take_id, learner_id, name, _, lesson_id, begun_at, seen_at, finished_at, each_state, assessed in listed
    ]  # fmt: skip
    return found, (listed[-1][7], listed[-1][0]) if len(rows) > most else None


def _progress(
    organization_id: uuid.UUID,
    takes: list[tuple[uuid.UUID, uuid.UUID, uuid.UUID, uuid.UUID | None]],
    now: datetime,
) -> dict[uuid.UUID, Progress]:
    """The progress of each take: (take, person, release, lesson shared alone)."""
    contents = courses.contents(organization_id, list({release_id for _, _, release_id, _ in takes}))
    lesson_ids = {lesson_id for *_, lesson_id in takes if lesson_id is not None}
    lessons = courses_queries.lesson_states(organization_id, lesson_ids, now) if lesson_ids else {}
    roles = people.roles_of_each(organization_id, {learner_id for _, learner_id, _, _ in takes}, now)
    done = done_in(organization_id, [take_id for take_id, *_ in takes])
    found = {}
    for take_id, learner_id, release_id, lesson_id in takes:
        content = contents.get(release_id)
        if content is None:
            continue
        outline: Outline = content.outline
        if lesson_id is not None:
            outline = content.of_lesson(lessons[lesson_id].content_sha256)
        way = Way(Take(take_id=take_id), content, outline, roles.get(learner_id, frozenset()))
        found[take_id] = progress_of(way, done[take_id])
    return found


class Limited(NamedTuple):
    """A question with a limit that the person has not answered rightly yet."""

    take_id: uuid.UUID
    course_title: str
    question_id: str
    prompt: str
    answers: int
    attempts_left: int


def limited_questions(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, now: datetime) -> list[Limited]:
    """The questions for which more attempts would help a person: with a limit, tried, and not answered rightly.

    From their open takes, of each course and of each lesson shared alone the newest; those without attempts left come
    first. At most five statements.
    """
    rows = sql.fetch(
        "SELECT t.take_id, t.learner_profile_id, t.course_release_id, t.lesson_release_id, coalesce(c.title, '')"  # noqa: S608
        " FROM (SELECT DISTINCT ON (course_id, lesson_release_id) * FROM learning_take"
        f" WHERE organization_id = {_COMPANY} AND learner_profile_id = %(learner)s"
        " ORDER BY course_id, lesson_release_id, begun_at DESC, id DESC) t"
        f" {courses_queries.joined('t', _COMPANY)} WHERE t.finished_at IS NULL AND t.carried_at IS NULL"
        " ORDER BY t.begun_at DESC",
        {"organization": organization_id, "learner": learner_profile_id},
    )
    if not rows:
        return []
    far = _progress(organization_id, [tuple(row[:4]) for row in rows], now)
    contents = courses.contents(organization_id, list({row[2] for row in rows}))
    found = [
        Limited(take_id, title, each.id, contents[release_id].prompt(each.id), each.answers, each.attempts_left or 0)
        for take_id, _, release_id, _, title in rows
        if take_id in far
        for each in far[take_id].questions.values()
        if each.answers and each.attempts_left is not None and each.state is not QuestionState.RIGHT
    ]
    return sorted(found, key=lambda each: each.attempts_left)
