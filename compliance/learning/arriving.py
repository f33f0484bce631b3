"""Receives what was done in a course without a connection: pages read, films seen, answers given.

An entry may arrive twice: a device repeats a request whose response was lost. So each entry is identified by its
content and counts once: a page, a film, the numbered answer to a question. It counts at the moment of its arrival; the
device's clock is not used.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from compliance.learning import courses, taking
from compliance.learning.errors import (
    ChoiceNumberError,
    QuestionSettledError,
    TakeClosedError,
    UnknownChoiceError,
    UnknownPageError,
    UnknownQuestionError,
)
from compliance.learning.models import Take
from compliance.learning.queries import Way, progress_of, takes_of_course


class Outcome(StrEnum):
    """The result of an entry."""

    COUNTED = "counted"
    REPEATED = "repeated"
    """An answer with this number was counted before: the same one, or one given on another device."""
    SETTLED = "settled"
    """The question takes no more answers."""
    CHANGED = "changed"
    """The lesson is a different one in the version that is taken now."""
    CLOSED = "closed"
    """The course was already finished."""
    REFUSED = "refused"
    """No page of the course has such a question, choice or film."""


class PageEntry(NamedTuple):
    """A page was read. `lesson` is the fingerprint of its lesson on the device, here and in the other entries."""

    lesson: str
    page: str


class FilmEntry(NamedTuple):
    """A film was played up to a scene."""

    lesson: str
    film: str
    scene: str


class AnswerEntry(NamedTuple):
    """A question was answered; `number` counts its answers from 1, as the displayed form did."""

    lesson: str
    question: str
    choices: frozenset[str]
    number: int


Entry = PageEntry | FilmEntry | AnswerEntry


class Arrived(NamedTuple):
    """The result of an entry; for an answer that was counted, now or before, whether it is right."""

    outcome: Outcome
    right: bool | None = None
    attempts_left: int | None = None


def take_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, take_id: uuid.UUID) -> Take | None:
    """The take with this identifier if it is this person's. Needs the company's context."""
    rows = Take.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id, take_id=take_id)
    return rows.first()


def way_of(take: Take, now: datetime) -> Way | None:
    """The take to continue: itself, or the one of a newer version to which it was carried.

    None if it is finished, or its course was completed in another way, and the course is to be taken anew: nothing of
    it counts for that. Raises NotAssignedError, ReleaseWithdrawnError, AlreadyCompletedError and NoContentError. Needs
    the company's context.
    """
    of_lesson = take.lesson_release_id
    found = courses.assignment(
        take.organization_id,
        take.learner_profile_id,
        now,
        course_id=take.course_id if of_lesson is None else None,
        lesson_release_id=of_lesson,
    )
    last = _followed(take)
    if last.finished_at is not None and last.record_id != found.record_id:
        return None
    way = taking.resume(found, now)
    return way if way is not None and way.take.take_id == _followed(take).take_id else None


def _followed(take: Take) -> Take:
    """The last of the takes to which this one was carried, one after the other, as they are now."""
    takes = takes_of_course(take.organization_id, take.learner_profile_id, take.course_id, take.lesson_release_id)
    for each in reversed(takes):
        if each.take_id == take.take_id or (take.carried_at is not None and each.begun_at == take.carried_at):
            take = each
    return take


def take_in(way: Way, entries: Iterable[Entry], now: datetime) -> list[Arrived]:
    """Counts the entries in order, and returns the result of each. Needs the company's context."""
    answered = {each.id: each.answers for each in progress_of(way).questions.values()}
    arrived = []
    for entry in entries:
        try:
            arrived.append(_take_in(way, entry, answered, now))
        except QuestionSettledError:
            arrived.append(Arrived(Outcome.SETTLED))
        except TakeClosedError:
            arrived.append(Arrived(Outcome.CLOSED))
        except (UnknownPageError, UnknownQuestionError, UnknownChoiceError, ChoiceNumberError):
            arrived.append(Arrived(Outcome.REFUSED))
    return arrived


def _take_in(way: Way, entry: Entry, answered: dict[str, int], now: datetime) -> Arrived:
    if all(lesson.sha256 != entry.lesson for lesson in way.outline.lessons):
        return Arrived(Outcome.CHANGED)
    if not isinstance(entry, AnswerEntry) and way.finished:
        return Arrived(Outcome.CLOSED)
    if isinstance(entry, PageEntry):
        taking.read_page(way, entry.page, now)
        return Arrived(Outcome.COUNTED)
    if isinstance(entry, FilmEntry):
        seen = taking.see_film(way, entry.film, entry.scene, now)
        return Arrived(Outcome.COUNTED if seen else Outcome.REFUSED)
    if entry.number > answered.get(entry.question, 0) + 1:
        # No displayed form had that number. Counting it would mean counting it again when it is repeated.
        return Arrived(Outcome.REFUSED)
    verdict = taking.answer(way, entry.question, entry.choices, now, number=entry.number)
    answered[entry.question] = max(answered[entry.question], verdict.number)
    outcome = Outcome.REPEATED if verdict.repeated else Outcome.COUNTED
    return Arrived(outcome, verdict.right, verdict.attempts_left)
