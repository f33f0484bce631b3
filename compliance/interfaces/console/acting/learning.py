"""Acts on what people do of a course that they have not finished: further attempts at a question."""

import uuid
from typing import Any

from django import forms

from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, to
from compliance.interfaces.console.acting.fields import PERSON, ActForm, Choices, Listed, form_of
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.learning import figures, taking
from compliance.learning.figures import Limited

MOST_ATTEMPTS = 10


def _questions(form: ActForm) -> Choices:
    """The questions at which further attempts would help the person whom the form names."""
    person = identifiers.read(form.data.get("learner_profile_id") or form.initial.get("learner_profile_id"))
    found = figures.limited_questions(form.organization_id, person, form.at) if person else []
    return [("", "Choose a question" if found else "No question with a limit is open"), *map(_choice, found)]


def _choice(each: Limited) -> tuple[str, str]:
    left = "none left" if each.attempts_left == 0 else f"{each.attempts_left} left"
    tries = f"{each.answers} {'try' if each.answers == 1 else 'tries'}"
    return f"{each.take_id}/{each.question_id}", f"{each.course_title}: {each.prompt} ({tries}, {left})"


class MoreAttempts(Act):
    """Gives a person further attempts at a question. It is no fact: what counts is the answer that follows."""

    name = "more-attempts"
    title = "Give more attempts"
    explains = (
        "The person may answer a question again whose attempts are used up, as long as the course is not finished."
        " A finished course is taken again when its completion is voided."
    )
    permission = Permission.CHANGE_RECORDS
    group = "What people owe"
    about = "person"
    form = form_of(
        learner_profile_id=PERSON,
        question=Listed(_questions, label="Question"),
        attempts=forms.IntegerField(
            label="Further attempts", min_value=1, max_value=MOST_ATTEMPTS, initial=1, help_text="At most 10 at a time."
        ),
    )

    def preview(self, acting: Acting) -> Preview:
        """Says of which question, and how many attempts are left then."""
        chosen = self._chosen(acting)
        pairs: list[tuple[str, Any]] = [
            ("Course", chosen.course_title),
            ("Question", chosen.prompt),
            ("Answers until now", chosen.answers),
            ("Attempts left then", chosen.attempts_left + acting.data["attempts"]),
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
        return to(acting, "The attempts are given.")

    def _chosen(self, acting: Acting) -> Limited:
        """What was chosen, as it is now. Raises CannotActError where it has been answered meanwhile."""
        take_id, _, question_id = acting.data["question"].partition("/")
        learner: uuid.UUID = acting.data["learner_profile_id"]
        for each in figures.limited_questions(acting.organization_id, learner, acting.at):
            if (str(each.take_id), each.question_id) == (take_id, question_id):
                return each
        raise CannotActError("The question needs no more attempts.")


ACTS: tuple[Act, ...] = (MoreAttempts(),)
