"""Taking a course: beginning, opening pages, answering, finishing. The server decides everything that counts.

All that counts is written under a lock of the take's row, so that two tabs, a double click or a repeated request result
in one answer and one completion. Each function needs the company's context.
"""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from compliance.facts.errors import ErasedPersonError
from compliance.facts.people import queries as people
from compliance.facts.people.presence import kept_from_erasure
from compliance.facts.rows import lock
from compliance.facts.training import queries as training
from compliance.facts.training.actions import complete_course
from compliance.learning import courses
from compliance.learning.courses import Assignment
from compliance.learning.errors import (
    AlreadyCompletedError,
    ChoiceNumberError,
    NotHereError,
    QuestionSettledError,
    TakeClosedError,
    UnknownChoiceError,
    UnknownPageError,
    UnknownQuestionError,
)
from compliance.learning.models import Answer, MoreAttempts, Take
from compliance.learning.queries import Way, progress_of, takes_of_course
from compliance.rules.taking.outline import Outline
from compliance.rules.taking.progress import QuestionProgress, QuestionState, question_progress
from compliance.tenancy import sql
from compliance.tenancy.turns import wait_for_turn


class Verdict(NamedTuple):
    """The result of an answer. `repeated`: it had been counted before, and was not counted again."""

    right: bool
    settled: bool
    attempts_left: int | None
    number: int
    repeated: bool


def resume(assignment: Assignment, now: datetime) -> Way | None:
    """The take in progress or finished; None if nothing that counts was begun.

    A take of an earlier release is carried: it ends, and a new one gets the pages and answers of the unchanged lessons.
    What was begun before the course was completed in another way is not: a retake and a renewal begin anew. Raises
    NoContentError and AlreadyCompletedError.
    """
    return _opened(assignment, now, begin=False)


def open_take(assignment: Assignment, now: datetime) -> Way:
    """The take in progress or finished; otherwise a new one. Raises as `resume` does."""
    way = _opened(assignment, now, begin=True)
    assert way is not None
    return way


def read_page(way: Way, page_id: str, now: datetime) -> None:
    """Counts a page as opened, and as the last opened one; nothing is counted once the take is finished.

    Raises UnknownPageError.
    """
    lesson = way.outline.lesson_of_page.get(page_id)
    if lesson is None:
        raise UnknownPageError("The course has no such page.")
    _read(way, lesson.sha256, page_id, 0, now)


def see_film(way: Way, film_id: str, scene_id: str, now: datetime) -> bool:
    """Counts a film as seen if the scene is its last, which a player sends at the end; returns whether it is.

    Nothing is counted once the take is finished. Raises UnknownPageError if the course has no such film.
    """
    lesson, page, film = way.outline.films.get(film_id, (None, None, None))
    if lesson is None or page is None or film is None:
        raise UnknownPageError("The course has no such film.")
    if scene_id != film.last_scene:
        return False
    _read(way, lesson.sha256, page.id, film.number, now)
    return True


def answer(
    way: Way, question_id: str, choices: Collection[str], now: datetime, *, number: int | None = None
) -> Verdict:
    """Counts an answer and returns whether it is right.

    `number` is the answer's number in its form, from 1: one that was counted before is not counted again, and its
    verdict is returned again. Raises UnknownQuestionError, UnknownChoiceError, ChoiceNumberError, QuestionSettledError,
    TakeClosedError and NotHereError.
    """
    lesson, _, question = way.outline.questions.get(question_id, (None, None, None))
    if lesson is None or question is None:
        raise UnknownQuestionError("The course has no such question.")
    chosen = frozenset(choices)
    if not chosen <= question.choices:
        raise UnknownChoiceError("The question has no such choice.")
    if not chosen or (len(chosen) > 1 and not question.takes_several):
        raise ChoiceNumberError("Choose at least one." if not chosen else "Choose one.")
    take = _locked(way)
    counted = list(
        Answer.objects.filter(
            organization_id=take.organization_id,
            take_id=take.take_id,
            lesson_sha256=lesson.sha256,
            question_id=question_id,
        )
        .order_by("number")
        .values_list("right", flat=True)
    )
    more = 0
    if question.attempts is not None:
        given = MoreAttempts.objects.filter(
            organization_id=take.organization_id, take_id=take.take_id, question_id=question_id
        )
        more = sum(given.values_list("attempts", flat=True))
    if number is not None and 1 <= number <= len(counted):
        then = question_progress(question, number, counted[number - 1], more)
        return _verdict(then, counted[number - 1], repeated=True)
    if take.finished_at is not None or take.carried_at is not None:
        raise TakeClosedError("The take counts no more answers.")
    if question_progress(question, len(counted), bool(counted) and counted[-1], more).settled:
        raise QuestionSettledError("The question takes no more answers.")
    if not kept_from_erasure(take.organization_id, take.learner_profile_id):
        raise NotHereError("The person was erased.")
    right = question.is_right(chosen)
    Answer.objects.create(
        organization_id=take.organization_id,
        take_id=take.take_id,
        lesson_sha256=lesson.sha256,
        question_id=question_id,
        number=len(counted) + 1,
        at=now,
        right=right,
        choices=sorted(chosen),
    )
    return _verdict(question_progress(question, len(counted) + 1, right, more), right, repeated=False)


def finish(way: Way, now: datetime) -> uuid.UUID | None:
    """Records the completion once if everything is done; returns its receipt, or None if something is left to do.

    The receipt's identifier is derived from the take, so that repeated calls, in any tab, return the same. Raises
    TakeClosedError and NotHereError.
    """
    take = _locked(way)
    if take.completion_receipt_id is None:
        if take.carried_at is not None:
            raise TakeClosedError("The take goes on in another release.")
        now_done = progress_of(way)
        if not now_done.finished:
            return None
        receipt_id = uuid.uuid5(take.organization_id, f"take/{take.take_id}")
        of_lesson = take.lesson_release_id is not None
        try:
            complete_course(
                organization_id=take.organization_id,
                completion_receipt_id=receipt_id,
                learner_profile_id=take.learner_profile_id,
                course_release_id=None if of_lesson else take.course_release_id,
                lesson_release_id=take.lesson_release_id,
                assessed=now_done.assessed,
                now=now,
            )
        except ErasedPersonError as error:
            raise NotHereError("The person was erased.") from error
        take.finished_at = now
        take.seen_at = now
        take.assessed = now_done.assessed
        take.completion_receipt_id = receipt_id
        take.save(update_fields=["finished_at", "seen_at", "assessed", "completion_receipt_id"])
    way.take = take
    return take.completion_receipt_id


def _read(way: Way, lesson_sha256: str, page_id: str, film: int, now: datetime) -> None:
    sql.execute(
        "WITH open AS (UPDATE learning_take SET page_id = %(page)s, seen_at = %(now)s"
        " WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = %(take)s"
        " AND finished_at IS NULL AND carried_at IS NULL RETURNING take_id)"
        " INSERT INTO learning_pageread (organization_id, take_id, lesson_sha256, page_id, film, at)"
        " SELECT %(organization)s::uuid, take_id, %(lesson)s, %(page)s, %(film)s, %(now)s FROM open"
        " ON CONFLICT DO NOTHING",
        {
            "organization": way.take.organization_id,
            "take": way.take.take_id,
            "lesson": lesson_sha256,
            "page": page_id,
            "film": film,
            "now": now,
        },
    )


def _locked(way: Way) -> Take:
    """The take as it is now; other writers wait until this transaction ends."""
    rows = Take.objects.select_for_update()
    found = rows.filter(organization_id=way.take.organization_id, take_id=way.take.take_id).first()
    if found is None:
        raise NotHereError("What the person did was erased.")
    return found


def _verdict(state: QuestionProgress, right: bool, *, repeated: bool) -> Verdict:
    left = 0 if state.state is QuestionState.RIGHT else state.attempts_left
    return Verdict(right, state.settled, left, state.answers, repeated)


def _opened(assignment: Assignment, now: datetime, *, begin: bool) -> Way | None:
    takes = _takes(assignment)
    chosen = _chosen(assignment, takes, now)
    if chosen is None and (begin or _to_carry(assignment, takes, now)):
        wait_for_turn(assignment.organization_id, f"take {assignment.learner_profile_id} {assignment.course_id}")
        takes = _takes(assignment)
        before = _to_carry(assignment, takes, now)
        if before:  # another tab may be finishing one, which is not carried then
            lock(Take, assignment.organization_id, "take_id", [each.take_id for each in before])
            takes = _takes(assignment)
            before = _to_carry(assignment, takes, now)
        chosen = _chosen(assignment, takes, now)
        if chosen is None and (begin or before):
            chosen = _begin(assignment, before, now)
            takes = _takes(assignment)
    if chosen is None:
        return None
    content = courses.content(assignment.organization_id, chosen.course_release_id)
    return Way(
        take=chosen,
        content=content,
        outline=content.of_lesson(assignment.lesson_sha256),
        roles=people.roles_of(assignment.organization_id, assignment.learner_profile_id, chosen.finished_at or now),
        carried_at=next((each.carried_at for each in takes if each.carried_at == chosen.begun_at), None),
    )


def _takes(assignment: Assignment) -> list[Take]:
    """The takes of what is assigned, for any record and release, newest first."""
    return takes_of_course(
        assignment.organization_id,
        assignment.learner_profile_id,
        assignment.course_id,
        assignment.lesson_release_id,
    )


def _chosen(assignment: Assignment, takes: list[Take], now: datetime) -> Take | None:
    """The take in progress, or the one that finished the record; None if a new one must begin or one be carried."""
    finished = [each for each in takes if each.finished_at is not None]
    own = [each for each in finished if each.record_id == assignment.record_id]
    if assignment.done:
        receipt_id = assignment.completion_receipt_id
        found = next((each for each in finished if each.completion_receipt_id == receipt_id), None) or next(
            iter(own), None
        )
        if found is None:
            raise AlreadyCompletedError("The record was completed in another way.")
        return found
    for each in takes:
        if each.record_id == assignment.record_id and each.finished_at is None and each.carried_at is None:
            return each if each.course_release_id == assignment.course_release_id else None
    for each in own[:1]:  # no capture has processed the completion yet, or it was voided
        receipt_id = each.completion_receipt_id
        if receipt_id is not None and not training.is_void(assignment.organization_id, receipt_id, now):
            return each
    return None


def _to_carry(assignment: Assignment, takes: list[Take], now: datetime) -> list[Take]:
    """The takes that are not finished, without those whose course was completed in another way after they began."""
    open_takes = [each for each in takes if each.finished_at is None and each.carried_at is None]
    if not open_takes:
        return []
    records = courses.assignments(
        assignment.organization_id,
        assignment.learner_profile_id,
        now,
        None if assignment.lesson_release_id else assignment.course_id,
        assignment.lesson_release_id,
    )
    completed = {each.record_id: each.completed_at for each in records if each.completed_at is not None}
    # Staff may record a completion of a day before the take began: then its own record is completed.
    return [
        each
        for each in open_takes
        if each.record_id not in completed and all(moment < each.begun_at for moment in completed.values())
    ]


_PAGES_CARRIED = """
INSERT INTO learning_pageread (organization_id, take_id, lesson_sha256, page_id, film, at)
SELECT organization_id, %(take)s::uuid, lesson_sha256, page_id, film, min(at) FROM learning_pageread
WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = ANY(%(before)s::uuid[])
  AND lesson_sha256 = ANY(%(lessons)s) GROUP BY organization_id, lesson_sha256, page_id, film
RETURNING NULL"""
_ANSWERS_CARRIED = """
INSERT INTO learning_answer (organization_id, take_id, lesson_sha256, question_id, number, at, "right", choices)
SELECT organization_id, %(take)s::uuid, lesson_sha256, question_id, number, at, "right", choices FROM learning_answer
WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = %(newest)s AND lesson_sha256 = ANY(%(lessons)s)
RETURNING NULL"""
_ATTEMPTS_CARRIED = """
INSERT INTO learning_moreattempts (organization_id, take_id, question_id, attempts, at, actor_id)
SELECT organization_id, %(take)s::uuid, question_id, attempts, at, actor_id FROM learning_moreattempts
WHERE organization_id = (SELECT %(organization)s::uuid) AND take_id = %(newest)s AND question_id = ANY(%(questions)s)
RETURNING NULL"""


def _unchanged_questions(before: Take, outline: Outline) -> list[str]:
    """The questions of the lessons that are unchanged in the release that is taken now."""
    known = courses.contents(before.organization_id, [before.course_release_id])
    same = {lesson.sha256 for content in known.values() for lesson in content.outline.lessons}
    return [question_id for question_id, (lesson, _, _) in outline.questions.items() if lesson.sha256 in same]


def _begin(assignment: Assignment, before: list[Take], now: datetime) -> Take:
    """Begins a take, with what counts of those before it, which end."""
    content = courses.content(assignment.organization_id, assignment.course_release_id)
    outline = content.of_lesson(assignment.lesson_sha256)
    Take.objects.filter(organization_id=assignment.organization_id, pk__in=[each.pk for each in before]).update(
        carried_at=now
    )
    take = Take.objects.create(
        organization_id=assignment.organization_id,
        take_id=uuid.uuid4(),
        learner_profile_id=assignment.learner_profile_id,
        record_id=assignment.record_id,
        course_id=assignment.course_id,
        course_release_id=content.course_release_id,
        lesson_release_id=assignment.lesson_release_id,
        begun_at=now,
        seen_at=now,
    )
    if before:
        values = {
            "organization": assignment.organization_id,
            "take": take.take_id,
            "before": [each.take_id for each in before],
            "newest": before[0].take_id,
            "lessons": [lesson.sha256 for lesson in outline.lessons],
            "questions": _unchanged_questions(before[0], outline),
        }
        for statement in (_PAGES_CARRIED, _ANSWERS_CARRIED, _ATTEMPTS_CARRIED):
            sql.execute(statement, values)
    return take


def give_attempts(
    organization_id: uuid.UUID,
    take_id: uuid.UUID,
    question_id: str,
    attempts: int,
    *,
    actor_id: uuid.UUID,
    now: datetime,
) -> None:
    """Grants further attempts at a question in a take. Raises TakeClosedError if nothing more counts in it."""
    rows = Take.objects.select_for_update()
    found = rows.filter(organization_id=organization_id, take_id=take_id, finished_at=None, carried_at=None)
    if found.first() is None:
        raise TakeClosedError("The course is finished, or goes on in another version; nothing was given.")
    MoreAttempts.objects.create(
        organization_id=organization_id,
        take_id=take_id,
        question_id=question_id,
        attempts=attempts,
        at=now,
        actor_id=actor_id,
    )
