"""A course is taken page by page and answer by answer; only the server's own record finishes it."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from compliance.facts.training.models import Completion
from compliance.learning import courses, figures, queries, taking
from compliance.learning.errors import (
    AlreadyCompletedError,
    ChoiceNumberError,
    NoContentError,
    NotAssignedError,
    QuestionSettledError,
    ReleaseWithdrawnError,
    TakeClosedError,
    UnknownChoiceError,
    UnknownPageError,
    UnknownQuestionError,
)
from compliance.learning.models import Answer, Take
from compliance.learning.queries import progress_of
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, make_present_company, noon
from tests.learning.courses_to_take import (
    RIGHT,
    WRONG,
    begin,
    do_everything,
    film,
    lesson,
    lesson_release_id,
    page,
    question,
    take_in,
    teach,
    teach_again,
)

pytestmark = pytest.mark.django_db

ONE = lesson("one", page("p1"), page("p2", question("q1")))
TWO = lesson("two", page("p3", question("q2", attempts=2)))


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def company() -> Company:
    return make_present_company()


def of(company: Company, person, now, **what):
    return courses.assignment(company.organization_id, person.learner_profile_id, now, **what)


def completions(company: Company) -> list[Completion]:
    return list(Completion.objects.filter(organization_id=company.organization_id))


class TestWhoMayTake:
    def test_whoever_has_a_training_record_may(self, company, now):
        anna = company.join()
        course = teach(company, ONE)
        with context.company(company.organization_id):
            found = of(company, anna, now, course_id=course.course_id)
        assert (found.course_release_id, found.requirement, found.done) == (course.course_release_id, "required", False)

    def test_nobody_else_may(self, company, now):
        anna = company.join()
        course = teach(company, ONE, share=False)
        with context.company(company.organization_id), pytest.raises(NotAssignedError):
            of(company, anna, now, course_id=course.course_id)

    def test_a_course_of_another_company_is_none(self, company, now):
        course = teach(company, ONE)
        other = make_present_company("Other")
        bert = other.join("Bert")
        with context.company(other.organization_id), pytest.raises(NotAssignedError):
            of(other, bert, now, course_id=course.course_id)

    def test_without_content_there_is_nothing_to_take(self, company, now):
        anna = company.join()
        course = company.course()
        company.share(course)
        take_in(company)
        with context.company(company.organization_id), pytest.raises(NoContentError):
            begin(company, anna, course)

    def test_a_lesson_shared_alone_is_taken_alone(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO, share=False)
        verbs.share_lesson(
            organization_id=company.organization_id,
            at=company.start,
            now=company.now,
            course_id=course.course_id,
            lesson_release_id=lesson_release_id(TWO),
            title="two",
        )
        take_in(company)
        with context.company(company.organization_id):
            with pytest.raises(NotAssignedError):
                of(company, anna, now, course_id=course.course_id)
            found = of(company, anna, now, lesson_release_id=lesson_release_id(TWO))
            way = taking.open_take(found, now)
            assert [each.id for each in way.outline.lessons] == ["two"]
            do_everything(way, now)
            receipt = taking.finish(way, now)
        take_in(company)
        later = datetime.now(UTC)
        with context.company(company.organization_id):
            found = of(company, anna, later, lesson_release_id=lesson_release_id(TWO))
        assert (found.completion_receipt_id, found.done) == (receipt, True)

    def test_who_completed_it_in_another_way_does_not_take_it(self, company, now):
        anna = company.join()
        course = teach(company, ONE)
        company.complete(anna, course, noon(1))
        take_in(company)
        with context.company(company.organization_id), pytest.raises(AlreadyCompletedError):
            begin(company, anna, course)


class TestAnswers:
    @pytest.fixture
    def way(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO, lesson("films", page("p4", film(question("q3", kind="multiple")))))
        with context.company(company.organization_id):
            yield begin(company, anna, course)

    def test_a_right_answer_settles(self, way, now):
        assert taking.answer(way, "q1", RIGHT, now) == (True, True, 0, 1, False)
        with pytest.raises(QuestionSettledError):
            taking.answer(way, "q1", RIGHT, now)

    def test_without_a_limit_one_tries_without_end(self, way, now):
        for number in range(1, 6):
            assert taking.answer(way, "q1", WRONG, now) == (False, False, None, number, False)

    def test_attempts_run_out(self, way, now):
        assert taking.answer(way, "q2", WRONG, now) == (False, False, 1, 1, False)
        assert taking.answer(way, "q2", WRONG, now) == (False, True, 0, 2, False)
        with pytest.raises(QuestionSettledError):
            taking.answer(way, "q2", RIGHT, now)

    def test_more_attempts_open_it_again(self, way, now):
        taking.answer(way, "q2", WRONG, now)
        taking.answer(way, "q2", WRONG, now)
        organization_id = way.take.organization_id
        taking.give_attempts(organization_id, way.take.take_id, "q2", 1, actor_id=uuid.uuid4(), now=now)
        assert taking.answer(way, "q2", RIGHT, now) == (True, True, 0, 3, False)

    def test_the_same_form_sent_twice_counts_once(self, way, now):
        assert taking.answer(way, "q2", WRONG, now, number=1) == (False, False, 1, 1, False)
        assert taking.answer(way, "q2", WRONG, now, number=1) == (False, False, 1, 1, True)
        assert Answer.objects.filter(organization_id=way.take.organization_id).count() == 1

    def test_a_film_asks_like_a_page(self, way, now):
        assert not taking.answer(way, "q3", ["yes"], now).right
        assert taking.answer(way, "q3", ["also", "yes"], now).right

    def test_what_is_not_there_is_refused(self, way, now):
        with pytest.raises(UnknownQuestionError):
            taking.answer(way, "q9", RIGHT, now)
        with pytest.raises(UnknownChoiceError):
            taking.answer(way, "q1", ["perhaps"], now)
        with pytest.raises(ChoiceNumberError):
            taking.answer(way, "q1", [], now)
        with pytest.raises(ChoiceNumberError):
            taking.answer(way, "q1", ["yes", "no"], now)
        with pytest.raises(UnknownPageError):
            taking.read_page(way, "p9", now)
        assert not Answer.objects.filter(organization_id=way.take.organization_id).exists()

    def test_the_last_answer_is_there_to_show(self, way, now):
        taking.answer(way, "q2", WRONG, now)
        assert queries.last_answers(way) == {"q2": (1, False, frozenset(WRONG))}


class TestFinishing:
    def test_it_is_recorded_once_as_told_by_the_learner(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            do_everything(way, now)
            receipt = taking.finish(way, now)
            assert taking.finish(way, now + timedelta(minutes=1)) == receipt
            (found,) = completions(company)
            assert receipt == uuid.uuid5(company.organization_id, f"take/{way.take.take_id}")
            assert (found.completion_receipt_id, found.at, found.assessed) == (receipt, now, True)
            assert begin(company, anna, course).take.take_id == way.take.take_id  # before a capture has processed it
        take_in(company)
        with context.company(company.organization_id):
            later = datetime.now(UTC)
            found = of(company, anna, later, course_id=course.course_id)
            assert (found.completed_at, found.completion_receipt_id) == (now, receipt)
            assert taking.open_take(found, later).take.take_id == way.take.take_id

    def test_a_forged_finish_records_nothing(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            assert taking.finish(way, now) is None
            taking.answer(way, "q1", RIGHT, now)
            taking.answer(way, "q2", RIGHT, now)
            assert taking.finish(way, now) is None  # answered, but no page was opened
            for name in ("p1", "p2"):
                taking.read_page(way, name, now)
            assert taking.finish(way, now) is None
            assert completions(company) == []
            taking.read_page(way, "p3", now)
            assert taking.finish(way, now) is not None

    def test_out_of_attempts_finishes_without_being_assessed(self, company, now):
        anna = company.join()
        course = teach(company, TWO)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            taking.read_page(way, "p3", now)
            taking.answer(way, "q2", WRONG, now)
            assert taking.finish(way, now) is None
            taking.answer(way, "q2", WRONG, now)
            assert taking.finish(way, now) is not None
            assert [each.assessed for each in completions(company)] == [False]

    def test_a_finished_take_counts_nothing_more(self, company, now):
        anna = company.join()
        course = teach(company, ONE)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            do_everything(way, now)
            taking.finish(way, now)
            with pytest.raises(TakeClosedError):
                taking.answer(way, "q1", RIGHT, now)
            taking.read_page(way, "p1", now)
            assert progress_of(way).finished

    def test_a_voided_completion_is_taken_anew(self, company, now):
        anna = company.join()
        course = teach(company, ONE)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            do_everything(way, now)
            receipt = taking.finish(way, now)
        take_in(company)
        verbs.void_completion(
            organization_id=company.organization_id,
            at=datetime.now(UTC),
            completion_receipt_id=receipt,
            actor_id=uuid.uuid4(),
        )
        take_in(company)
        with context.company(company.organization_id):
            again = begin(company, anna, course)
            assert again.take.take_id != way.take.take_id
            assert progress_of(again).pages_done == 0
            do_everything(again, now)
            assert taking.finish(again, datetime.now(UTC)) != receipt


class TestNewReleases:
    def test_what_did_not_change_is_carried(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            do_everything(way, now)
        changed = lesson("two", page("p3", question("q2", attempts=2), text="other"))
        teach_again(company, course, 2, ONE, changed)
        with context.company(company.organization_id):
            later = datetime.now(UTC)
            again = taking.resume(of(company, anna, later, course_id=course.course_id), later)
            assert again is not None
            assert again.carried_at == again.take.begun_at
            assert again.take.take_id != way.take.take_id
            assert progress_of(again).next_page_id == "p3"
            assert progress_of(again).pages_done == 2
            with pytest.raises(TakeClosedError):
                taking.finish(way, later)
            do_what_is_left = taking.answer(again, "q2", RIGHT, later)
            assert do_what_is_left.number == 1
            taking.read_page(again, "p3", later)
            assert taking.finish(again, later) is not None
            assert [each.course_release_id for each in completions(company)] == [again.take.course_release_id]
            assert Take.objects.filter(organization_id=company.organization_id).count() == 2

    def test_a_retake_is_taken_beside_what_was_finished(self, company, now):
        anna = company.join()
        course = teach(company, ONE)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            do_everything(way, now)
            taking.finish(way, now)
        take_in(company)
        teach_again(company, course, 2, ONE, retake=True)
        with context.company(company.organization_id):
            again = begin(company, anna, course)
            assert again.take.take_id != way.take.take_id
            assert progress_of(again).pages_done == 0

    @pytest.mark.parametrize("meanwhile", [False, True], ids=["at once", "after another release"])
    def test_what_was_begun_before_it_was_completed_elsewhere_counts_for_no_retake(self, company, now, meanwhile):
        anna = company.join()
        course = teach(company, ONE, TWO)
        with context.company(company.organization_id):
            do_everything(begin(company, anna, course), now)
        if meanwhile:
            course = teach_again(company, course, 2, ONE, TWO)
        company.complete(anna, course, datetime.now(UTC))
        take_in(company)
        teach_again(company, course, 3, ONE, TWO, retake=True)
        later = datetime.now(UTC)
        with context.company(company.organization_id):
            found = of(company, anna, later, course_id=course.course_id)
            assert not found.done
            assert taking.resume(found, later) is None
            again = begin(company, anna, course)
            assert again.carried_at is None
            assert progress_of(again).pages_done == 0
            assert taking.finish(again, later) is None

    def test_attempts_are_offered_for_the_newest_take_alone(self, company, now):
        anna = company.join()
        course = teach(company, TWO)
        with context.company(company.organization_id):
            taking.answer(begin(company, anna, course), "q2", WRONG, now)
        company.complete(anna, course, datetime.now(UTC))
        take_in(company)
        teach_again(company, course, 2, TWO, retake=True)
        later = datetime.now(UTC)
        with context.company(company.organization_id):
            again = begin(company, anna, course)
            taking.answer(again, "q2", WRONG, later)
            found = figures.limited_questions(company.organization_id, anna.learner_profile_id, later)
            assert [(each.take_id, each.answers) for each in found] == [(again.take.take_id, 1)]

    def test_a_withdrawn_release_says_so_and_loses_nothing(self, company, now):
        anna = company.join()
        course = teach(company, ONE, TWO)
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            taking.read_page(way, "p1", now)
        withdrawn = datetime.now(UTC)
        verbs.withdraw_release(
            organization_id=company.organization_id, at=withdrawn, course_release_id=course.course_release_id
        )
        with context.company(company.organization_id), pytest.raises(ReleaseWithdrawnError):
            begin(company, anna, course)  # before a capture has processed it
        take_in(company)
        with context.company(company.organization_id), pytest.raises(ReleaseWithdrawnError):
            begin(company, anna, course)
        teach_again(company, course, 2, ONE)
        with context.company(company.organization_id):
            assert progress_of(begin(company, anna, course)).pages_done == 1


class TestFilms:
    def test_a_page_is_done_when_its_film_was_seen_to_the_end(self, company, now):
        anna = company.join()
        course = teach(company, lesson("one", page("p1", film(question("q1")), film(question("q2")))))
        with context.company(company.organization_id):
            way = begin(company, anna, course)
            taking.read_page(way, "p1", now)
            taking.answer(way, "q1", RIGHT, now)
            taking.answer(way, "q2", RIGHT, now)
            first, second = (each.id for each in way.outline.lessons[0].pages[0].films)
            assert (first, second) == ("film-p1-2", "film-p1-3")
            assert not taking.see_film(way, first, "s", now)  # its first scene
            assert taking.see_film(way, first, "s0", now)
            assert progress_of(way).pages["p1"].films_left == {second}
            assert taking.finish(way, now) is None
            assert taking.see_film(way, second, "s0", now)
            assert taking.see_film(way, second, "s0", now)
            assert taking.finish(way, now) is not None
            with pytest.raises(UnknownPageError):
                taking.see_film(way, "film-p1-1", "s0", now)


class TestRoles:
    def test_lessons_for_ones_roles_count(self, company, now):
        anna, bert = company.join(), company.join("Bert", role_ids=("driver",))
        course = teach(company, ONE, lesson("two", page("p3", question("q2")), roles=["driver"]))
        with context.company(company.organization_id):
            for person, pages in ((anna, 2), (bert, 3)):
                way = begin(company, person, course)
                assert progress_of(way).pages_in_all == pages
            taking.read_page(way, "p1", now)
            taking.read_page(way, "p2", now)
            taking.answer(way, "q1", RIGHT, now)
            assert taking.finish(way, now) is None
