"""Progress agrees with the slow implementation, for any course and whatever was done in it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compliance.rules.taking.outline import Film, Lesson, Outline, PageOutline, Question
from compliance.rules.taking.progress import Answered, QuestionState, progress
from tests.rules.taking.slow_progress import SlowProgress

ROLES = ("driver", "nurse", "cook")


def a_question(name: str, attempts: int | None = None) -> Question:
    return Question(name, "single", frozenset({"yes"}), frozenset({"yes", "no"}), attempts)


def a_lesson(name: str, *pages: PageOutline, roles: frozenset[str] | None = None) -> Lesson:
    return Lesson(name, f"sha-{name}", roles, pages)


@st.composite
def cases(draw: st.DrawFn) -> dict[str, Any]:
    """A course, a person's roles, and anything that may have been done, by any order of requests."""
    lessons, pages, questions = [], 0, 0
    for number in range(draw(st.integers(1, 3))):
        made = []
        for _ in range(draw(st.integers(1, 3))):
            asked = []
            for _ in range(draw(st.integers(0, 2))):
                asked.append(a_question(f"q{questions}", draw(st.sampled_from((None, 1, 2, 3)))))
                questions += 1
            films = [Film(f"film-p{pages}-{number}", number, "end") for number in range(1, draw(st.integers(1, 3)))]
            made.append(PageOutline(f"p{pages}", tuple(asked), tuple(films)))
            pages += 1
        roles = draw(st.none() | st.sets(st.sampled_from(ROLES), min_size=1).map(frozenset))
        lessons.append(a_lesson(f"l{number}", *made, roles=roles))
    shas = st.sampled_from([*(each.sha256 for each in lessons), "sha-of-before"])
    read = draw(st.sets(st.tuples(shas, st.sampled_from([f"p{n}" for n in range(pages)]))))
    every = {(each.sha256, film.id) for each in lessons for page in each.pages for film in page.films}
    seen = every if draw(st.booleans()) else draw(st.sets(st.sampled_from(sorted(every)))) if every else set()
    if draw(st.booleans()):  # chance alone would hardly ever open every page
        read |= {(each.sha256, page.id) for each in lessons for page in each.pages}
    answers = []
    for lesson in lessons:
        for page in lesson.pages:
            for question in page.questions:
                for number in range(1, draw(st.integers(0, 4)) + 1):
                    sha = draw(st.sampled_from((lesson.sha256, lesson.sha256, "sha-of-before")))
                    answers.append(Answered(sha, question.id, number, draw(st.booleans())))
    more = draw(st.dictionaries(st.sampled_from([f"q{n}" for n in range(questions + 1)]), st.integers(1, 2)))
    return {
        "outline": Outline(tuple(lessons)),
        "roles": draw(st.sets(st.sampled_from(ROLES))),
        "pages_read": read,
        "answers": draw(st.permutations(answers)),
        "more_attempts": more,
        "films_seen": seen,
    }


@given(cases())
def test_it_agrees_with_the_words(case: dict[str, Any]) -> None:
    found, slow = progress(**case), SlowProgress(**case)
    assert (found.finished, found.assessed) == (slow.finished(), slow.assessed())
    assert found.next_page_id == slow.next_page()
    for lesson, of_lesson in zip(case["outline"].lessons, found.lessons, strict=True):
        assert of_lesson.counted == slow.required(lesson)
        for page, of_page in zip(lesson.pages, of_lesson.pages, strict=True):
            assert of_page.done == slow.page_done(lesson, page)
            for question, state in zip(page.questions, of_page.questions, strict=True):
                assert (state.state, state.attempts_left) == (slow.state(lesson, question), slow.left(lesson, question))
                assert state.settled == (state.attempts_left == 0)
    assert found.pages_done <= found.pages_in_all
    assert found.finished == (found.next_page_id is None)


def course(*lessons: Lesson) -> Outline:
    return Outline(lessons)


ALL_READ = {("sha-one", "p1"), ("sha-two", "p2")}
ONE = a_lesson("one", PageOutline("p1", (a_question("q1", 2),)))
TWO = a_lesson("two", PageOutline("p2", (a_question("q2"),)), roles=frozenset({"driver"}))


def test_what_is_for_another_role_does_not_count() -> None:
    answers = [Answered("sha-one", "q1", 1, True)]
    assert progress(course(ONE, TWO), set(), ALL_READ, answers, {}).finished
    assert not progress(course(ONE, TWO), {"driver"}, ALL_READ, answers, {}).finished


def test_a_course_that_is_for_nobody_of_the_persons_roles_counts_whole() -> None:
    found = progress(course(TWO), {"cook"}, set(), [], {})
    assert (found.finished, found.pages_in_all, found.next_page_id) == (False, 1, "p2")


def test_a_course_without_questions_assesses_nobody() -> None:
    found = progress(course(a_lesson("one", PageOutline("p1", ()))), set(), ALL_READ, [], {})
    assert (found.finished, found.assessed) == (True, False)


def test_a_lesson_that_changed_begins_anew() -> None:
    changed = Lesson("one", "sha-later", None, ONE.pages)
    answers = [Answered("sha-one", "q1", 1, False), Answered("sha-one", "q1", 2, False)]
    found = progress(course(changed), set(), ALL_READ, answers, {}).questions["q1"]
    assert (found.state, found.attempts_left) == (QuestionState.OPEN, 2)


def test_more_attempts_at_a_question_without_a_limit_are_nothing() -> None:
    found = progress(course(TWO), {"driver"}, ALL_READ, [], {"q2": 3}).questions["q2"]
    assert (found.state, found.attempts_left) == (QuestionState.OPEN, None)


def test_an_answer_is_right_only_with_all_right_choices() -> None:
    question = Question("q", "multiple", frozenset({"a", "b"}), frozenset({"a", "b", "c"}), None)
    assert question.is_right(["b", "a"])
    assert not any(question.is_right(each) for each in (["a"], ["a", "b", "c"], [], ["c"]))
