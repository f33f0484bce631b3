"""What was done without a connection counts when it arrives, and once, however often it arrives."""

import uuid
from datetime import UTC, datetime

import pytest

from compliance.facts.training.models import Completion
from compliance.learning import arriving, taking
from compliance.learning.arriving import AnswerEntry, Arrived, Entry, FilmEntry, Outcome, PageEntry
from compliance.learning.errors import NotAssignedError, ReleaseWithdrawnError
from compliance.learning.models import Answer, PageRead
from compliance.learning.queries import Way
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, Person, make_present_company
from tests.learning.courses_to_take import begin, film, lesson, page, question, take_in, teach, teach_again

pytestmark = pytest.mark.django_db
ONE = lesson("one", page("p1"), page("p2", question("q1", attempts=2)))
TWO = lesson("two", page("p3", film(question("q3"))), page("p4", question("q2", kind="multiple")))


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def company() -> Company:
    return make_present_company()


def everything(way: Way, *, right: bool = True) -> list[Entry]:
    """All of a course, read, seen and answered."""
    done: list[Entry] = []
    for each in way.outline.lessons:
        for one in each.pages:
            done.append(PageEntry(each.sha256, one.id))
            done += [FilmEntry(each.sha256, shown.id, shown.last_scene) for shown in one.films]
            chosen = {asked.id: asked.right if right else frozenset({"no"}) for asked in one.questions}
            done += [AnswerEntry(each.sha256, asked.id, chosen[asked.id], 1) for asked in one.questions]
    return done


def outcomes(arrived: list[Arrived]) -> list[Outcome]:
    return [each.outcome for each in arrived]


def resumed(way: Way, now: datetime) -> Way:
    """The take as a second request reads it."""
    found = arriving.take_of(way.take.organization_id, way.take.learner_profile_id, way.take.take_id)
    assert found is not None
    again = arriving.way_of(found, now)
    assert again is not None
    return again


def test_all_of_a_course_arrives_at_once_and_again_and_is_completed_once(company, now):
    anna = company.join()
    course = teach(company, ONE, TWO)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        sent = everything(way)
        first = arriving.take_in(way, sent, now)
        assert set(outcomes(first)) == {Outcome.COUNTED}
        receipt_id = taking.finish(way, now)
        assert receipt_id is not None
        again = resumed(way, now)
        second = arriving.take_in(again, sent, now)
        assert outcomes(second) == [
            Outcome.REPEATED if isinstance(each, AnswerEntry) else Outcome.CLOSED for each in sent
        ]
        assert [each.right for each in second] == [each.right for each in first]
        assert taking.finish(again, now) == receipt_id
        assert Completion.objects.filter(organization_id=company.organization_id).count() == 1
        assert Answer.objects.filter(organization_id=company.organization_id).count() == 3


def test_a_part_that_arrived_before_counts_once(company, now):
    anna = company.join()
    course = teach(company, ONE, TWO)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        sent = everything(way, right=False)
        arriving.take_in(way, sent[:3], now)
        arrived = arriving.take_in(resumed(way, now), sent, now)
        assert outcomes(arrived)[:3] == [Outcome.COUNTED, Outcome.COUNTED, Outcome.REPEATED]
        assert (arrived[2].right, arrived[2].attempts_left) == (False, 1)
        assert Answer.objects.filter(organization_id=company.organization_id, question_id="q1").count() == 1
        assert PageRead.objects.filter(organization_id=company.organization_id, film=0).count() == 4


def test_the_answer_that_arrives_first_counts_and_the_other_device_is_told(company, now):
    anna = company.join()
    course = teach(company, ONE)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        sha256 = way.outline.lessons[0].sha256
        taking.answer(way, "q1", ["no"], now, number=1)
        late = arriving.take_in(way, [AnswerEntry(sha256, "q1", frozenset({"yes"}), 1)], now)
        assert late == [Arrived(Outcome.REPEATED, False, 1)]
        second = arriving.take_in(way, [AnswerEntry(sha256, "q1", frozenset({"yes"}), 2)], now)
        assert second == [Arrived(Outcome.COUNTED, True, 0)]
        third = arriving.take_in(way, [AnswerEntry(sha256, "q1", frozenset({"yes"}), 3)], now)
        assert third == [Arrived(Outcome.SETTLED)]


@pytest.mark.parametrize(
    "entry",
    [
        PageEntry("", "p9"),
        FilmEntry("", "film-p3-9", "s"),
        FilmEntry("", "film-p3-2", "no-scene"),
        AnswerEntry("", "q9", frozenset({"yes"}), 1),
        AnswerEntry("", "q1", frozenset({"maybe"}), 1),
        AnswerEntry("", "q1", frozenset({"yes", "no"}), 1),
        AnswerEntry("", "q1", frozenset({"yes"}), 2),
        AnswerEntry("", "q9", frozenset({"yes"}), 2),
    ],
)
def test_what_no_page_shows_is_refused_and_the_rest_counts(company, now, entry):
    anna = company.join()
    course = teach(company, ONE, TWO)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        sha256 = way.outline.lessons[0].sha256
        arrived = arriving.take_in(way, [entry._replace(lesson=sha256), PageEntry(sha256, "p1")], now)
        assert outcomes(arrived) == [Outcome.REFUSED, Outcome.COUNTED]
        assert not Answer.objects.filter(organization_id=company.organization_id).exists()


def test_a_new_version_counts_what_is_the_same_and_says_so_of_the_rest(company):
    anna = company.join()
    course = teach(company, ONE, TWO)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        sent = everything(way)
    teach_again(
        company, course, 2, ONE, lesson("two", page("p3", film(question("q3")), text="new"), page("p4", question("q2")))
    )
    now = datetime.now(UTC)
    with context.company(company.organization_id):
        carried = resumed(way, now)
        assert carried.take.take_id != way.take.take_id
        arrived = arriving.take_in(carried, sent, now)
        assert outcomes(arrived) == [Outcome.COUNTED] * 3 + [Outcome.CHANGED] * 5
        assert taking.finish(carried, now) is None
        assert resumed(way, now).take.take_id == carried.take.take_id


def test_nothing_counts_for_a_renewal_or_for_what_is_not_asked_any_more(company, now):
    anna, bert = company.join(), company.join()
    course = teach(company, ONE)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
        of_bert = begin(company, bert, course)
        arriving.take_in(way, everything(way), now)
        taking.finish(way, now)
    take_in(company)
    company.leave(bert, at=now)
    take_in(company)
    with context.company(company.organization_id):
        assert resumed(way, now).finished
        with pytest.raises(NotAssignedError):
            arriving.way_of(of_bert.take, now)
    teach_again(company, course, 2, ONE, retake=True)
    with context.company(company.organization_id):
        assert arriving.way_of(way.take, datetime.now(UTC)) is None


def test_nothing_counts_for_a_retake_of_what_was_completed_in_another_way_meanwhile(company):
    anna = company.join()
    course = teach(company, ONE)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
    company.complete(anna, course, datetime.now(UTC))
    take_in(company)
    teach_again(company, course, 2, ONE, retake=True)
    later = datetime.now(UTC)
    with context.company(company.organization_id):
        assert arriving.way_of(way.take, later) is None
        again = begin(company, anna, course)
        assert arriving.way_of(way.take, later) is None
        assert resumed(again, later).take.take_id == again.take.take_id


def test_a_version_that_was_withdrawn_counts_nothing(company, now):
    anna = company.join()
    course = teach(company, ONE)
    with context.company(company.organization_id):
        way = begin(company, anna, course)
    verbs.withdraw_release(
        organization_id=company.organization_id, course_release_id=course.course_release_id, at=datetime.now(UTC)
    )
    take_in(company)
    with context.company(company.organization_id), pytest.raises(ReleaseWithdrawnError):
        arriving.way_of(way.take, datetime.now(UTC))


def test_a_take_is_its_persons_alone(company):
    anna, bert = company.join(), company.join()
    course = teach(company, ONE)
    elsewhere = make_present_company("Other")
    with context.company(company.organization_id):
        take_id = begin(company, anna, course).take.take_id

        def found(of: Company, person: Person, which: uuid.UUID) -> bool:
            return arriving.take_of(of.organization_id, person.learner_profile_id, which) is not None

        assert found(company, anna, take_id)
        assert not found(company, bert, take_id)
        assert not found(company, anna, uuid.uuid4())
    with context.company(elsewhere.organization_id):
        assert not found(elsewhere, anna, take_id)
