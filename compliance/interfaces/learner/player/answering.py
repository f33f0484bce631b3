"""Records what a page sends: answers to its questions, or that a film was played to its end."""

from dataclasses import dataclass

from compliance.interfaces.learner.player.sitting import Sitting
from compliance.interfaces.learner.visit import Visit
from compliance.interfaces.player import sending
from compliance.interfaces.player.drawing import films_of
from compliance.interfaces.player.errors import OtherLessonError, UnknownFieldError
from compliance.learning import taking
from compliance.learning.errors import QuestionSettledError
from compliance.learning.queries import progress_of


@dataclass(frozen=True)
class Sent:
    """The content of a form. If a question was sent without a choice, nothing was counted."""

    missing: frozenset[str]
    chosen: dict[str, frozenset[str]]
    first: str


def take_in(visit: Visit, sitting: Sitting, page_id: str) -> Sent:
    """Counts what was sent.

    Raises UnknownFieldError for a field that the page does not have, OtherLessonError for a form of another version of
    the lesson, and TakeClosedError.
    """
    way, index = sitting.way, sitting.index_of(page_id)
    assert way is not None
    assert index is not None
    fields = visit.request.POST
    page = sitting.pages[index][1]
    lesson_sha256 = way.outline.lesson_of_page[page_id].sha256
    if fields.get("lesson", lesson_sha256) != lesson_sha256:  # pages drawn before this release have no such field
        raise OtherLessonError("The lesson is another one by now.")
    if "film" in fields:
        if fields["film"] not in {film.scope for film in films_of(page)}:
            raise UnknownFieldError("This page has no such film.")
        taking.see_film(way, fields["film"], fields.get("scene", ""), visit.now)
        return Sent(frozenset(), {}, "")
    questions = sending.sent_questions(fields, page)
    chosen: dict[str, frozenset[str]] = {}
    for question in questions:
        found = sending.chosen(fields, question)
        if found is None:
            raise UnknownFieldError("This question has no such choice.")
        chosen[question.id] = found
    missing = frozenset(question.id for question in questions if not chosen[question.id])
    if missing:  # not one that was settled in another tab
        missing -= {each.id for each in progress_of(way).questions.values() if each.settled}
    if missing:
        return Sent(missing, chosen, "")
    questions = tuple(question for question in questions if chosen[question.id])
    for question in questions:
        number = sending.counted(fields, question) + 1
        try:
            taking.answer(way, question.id, chosen[question.id], visit.now, number=number)
        except QuestionSettledError:
            continue  # it was settled in another tab, and the page is about to show that
    return Sent(frozenset(), chosen, questions[0].id if questions else "")
