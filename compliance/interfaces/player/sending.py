"""The fields of a form about questions, and their parsing: `sent`, `answer-<question>`, `after-<question>`.

`sent` names the questions that a form is about, `answer-...` the chosen choices of one, and `after-...` how many
answers had been counted when the form was drawn, so that a form that is sent twice counts once.
"""

from django.http import QueryDict

from compliance.contentfile.course import Page, Question
from compliance.interfaces.player.drawing import questions_of
from compliance.interfaces.player.errors import UnknownFieldError


def sent_questions(fields: QueryDict, page: Page) -> tuple[Question, ...]:
    """The questions that a form is about, in reading order. Raises UnknownFieldError for one that is not there."""
    by_id = {question.id: question for question in questions_of(page)}
    sent = dict.fromkeys(fields.getlist("sent"))
    if unknown := [each for each in sent if each not in by_id]:
        raise UnknownFieldError(f"This page has no question {unknown[0][:64]!r}.")
    return tuple(question for question in by_id.values() if question.id in sent)


def chosen(fields: QueryDict, question: Question) -> frozenset[str] | None:
    """The chosen choices, empty when there are none; None when one is not the question's, or there are too many."""
    found = frozenset(fields.getlist(f"answer-{question.id}"))
    if not found <= {choice.id for choice in question.choices}:
        return None
    if question.kind != "multiple" and len(found) > 1:
        return None
    return found


def counted(fields: QueryDict, question: Question) -> int:
    """How many answers had been counted when the form was drawn. Raises UnknownFieldError for anything but a number."""
    text = fields.get(f"after-{question.id}", "0")
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise UnknownFieldError("The number of earlier answers is not a number.")
    return int(text)
