"""The sentences about taking a course, applied one by one to all that was done: slow, and independent of the rules.

"Finished: every page of every required lesson opened and every question there right or out of attempts."
"A page with films is done when every film on it was seen to its end."
"A question is right when its last counted answer is, at whatever try." "Assessed: every question right."
"A person must do the lessons that are for everyone and those that name one of their roles."
"""

from typing import Any

from compliance.rules.taking.outline import Lesson, Outline, Question
from compliance.rules.taking.progress import Answered


class SlowProgress:
    """One person's progress; each method goes through everything that was done again."""

    def __init__(
        self,
        outline: Outline,
        roles: set[str],
        pages_read: set[tuple[str, str]],
        answers: list[Answered],
        more_attempts: dict[str, int],
        films_seen: set[tuple[str, str]],
    ) -> None:
        self.films_seen = films_seen
        self.outline, self.roles, self.pages_read = outline, roles, pages_read
        self.answers, self.more_attempts = answers, more_attempts

    def required(self, lesson: Lesson) -> bool:
        if not any(self._asked_of(each) for each in self.outline.lessons):
            return True
        return self._asked_of(lesson)

    def _asked_of(self, lesson: Lesson) -> bool:
        return lesson.required_for is None or any(role in lesson.required_for for role in self.roles)

    def counted_answers(self, lesson: Lesson, question: Question) -> list[Answered]:
        own = [a for a in self.answers if a.question_id == question.id and a.lesson_sha256 == lesson.sha256]
        return sorted(own, key=lambda answer: answer.number)

    def state(self, lesson: Lesson, question: Question) -> str:
        answers = self.counted_answers(lesson, question)
        if answers and answers[-1].right:
            return "right"
        if question.attempts is None:
            return "open"
        allowed = question.attempts + self.more_attempts.get(question.id, 0)
        return "open" if len(answers) < allowed else "out_of_attempts"

    def left(self, lesson: Lesson, question: Question) -> int | None:
        if self.state(lesson, question) != "open":
            return 0
        if question.attempts is None:
            return None
        given = self.more_attempts.get(question.id, 0)
        return question.attempts + given - len(self.counted_answers(lesson, question))

    def page_done(self, lesson: Lesson, page: Any) -> bool:
        if (lesson.sha256, page.id) not in self.pages_read:
            return False
        for film in page.films:
            if (lesson.sha256, film.id) not in self.films_seen:
                return False
        return all(self.state(lesson, question) in ("right", "out_of_attempts") for question in page.questions)

    def finished(self) -> bool:
        for lesson in self.outline.lessons:
            if not self.required(lesson):
                continue
            for page in lesson.pages:
                if not self.page_done(lesson, page):
                    return False
        return True

    def assessed(self) -> bool:
        asked = 0
        for lesson in self.outline.lessons:
            if not self.required(lesson):
                continue
            for page in lesson.pages:
                for question in page.questions:
                    asked += 1
                    if self.state(lesson, question) != "right":
                        return False
        return asked > 0

    def next_page(self) -> str | None:
        for lesson in self.outline.lessons:
            if not self.required(lesson):
                continue
            for page in lesson.pages:
                if not self.page_done(lesson, page):
                    return page.id
        return None
