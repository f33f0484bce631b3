"""Acts on unfinished courses: further attempts at a question."""

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, ngettext

from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, to
from compliance.interfaces.console.acting.fields import PERSON, ActForm, Choices, Listed, form_of
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.learning import figures, taking
from compliance.learning.figures import Limited

MOST_ATTEMPTS = 10


def _questions(form: ActForm) -> Choices:
    """The questions at which further attempts would help the person whom the form names."""
    person = form.identifier_of("learner_profile_id")
    found = figures.limited_questions(form.organization_id, person, form.at) if person else []
    return [
        ("", gettext("Choose a question") if found else gettext("No question with a limit is open")),
        *map(_choice, found),
    ]


def _choice(each: Limited) -> tuple[str, str]:
    words = ngettext(
        "%(course)s: %(question)s (%(answers)s try, %(left)s left)",
        "%(course)s: %(question)s (%(answers)s tries, %(left)s left)",
        each.answers,
    )
    values = {"course": each.course_title, "question": each.prompt, "answers": each.answers, "left": each.attempts_left}
    return f"{each.take_id}/{each.question_id}", words % values


class MoreAttempts(Act):
    """Gives a person further attempts at a question. It records no fact: only the answer that follows counts."""

    name = "more-attempts"
    title = gettext_lazy("Give more attempts")
    explains = gettext_lazy(
        "The person may answer a question again whose attempts are used up, as long as the course is not finished."
        " A finished course is taken again when its completion is voided."
    )
    permission = Permission.CHANGE_RECORDS
    group = gettext_lazy("What people owe")
    about = "person"
    form = form_of(
        learner_profile_id=PERSON,
        question=Listed(_questions, label=gettext_lazy("Question")),
        attempts=forms.IntegerField(
            label=gettext_lazy("Further attempts"),
            min_value=1,
            max_value=MOST_ATTEMPTS,
            initial=1,
            help_text=gettext_lazy("At most 10 at a time."),
        ),
    )

    def preview(self, acting: Acting) -> Preview:
        """Names the question, and how many attempts are left then."""
        chosen = self._chosen(acting)
        pairs: list[tuple[str, Any]] = [
            (gettext("Course"), chosen.course_title),
            (gettext("Question"), chosen.prompt),
            (gettext("Answers until now"), chosen.answers),
            (gettext("Attempts left then"), chosen.attempts_left + acting.data["attempts"]),
        ]
        return Preview(pairs=pairs)

    def perform(self, acting: Acting) -> Done:
        """Gives the attempts."""
        chosen = self._chosen(acting)
        taking.give_attempts(
            acting.organization_id,
            chosen.take_id,
            chosen.question_id,
            acting.data["attempts"],
            actor_id=acting.staff.actor_id,
            now=acting.at,
        )
        return to(acting, gettext("The attempts are given."))

    def _chosen(self, acting: Acting) -> Limited:
        """The present state of the chosen question. Raises CannotActError if it has been answered meanwhile."""
        take_id, _, question_id = acting.data["question"].partition("/")
        learner: uuid.UUID = acting.data["learner_profile_id"]
        for each in figures.limited_questions(acting.organization_id, learner, acting.at):
            if (str(each.take_id), each.question_id) == (take_id, question_id):
                return each
        raise CannotActError(gettext("The question needs no more attempts."))


ACTS: tuple[Act, ...] = (MoreAttempts(),)
