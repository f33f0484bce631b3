"""A course is taken page by page: what is opened and answered counts once, and the server decides when it is done."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from compliance.learning.models import Answer, PageRead, Take
from compliance.tenancy import context
from tests import verbs
from tests.companies import make_present_company, noon
from tests.learning import courses_to_take as small

pytestmark = pytest.mark.django_db


class Learner:
    """Somebody in a company whose course has two lessons: a page, and a page with two questions and one without."""

    def __init__(self, signed_in, *lessons, **told):
        self.company = make_present_company()
        self.anna = self.company.join("Anna", at=noon(20))
        self.lessons = lessons or (
            small.lesson("one", small.page("p1")),
            small.lesson(
                "two", small.page("p2", small.question("q1", attempts=2), small.question("q2")), small.page("p3")
            ),
        )
        self.course = small.teach(self.company, *self.lessons, **told)
        self.client: Client = signed_in(self.company.organization_id, self.anna.learner_profile_id)
        self.there = f"/learn/courses/{self.course.course_id}/"

    def get(self, page=""):
        return self.client.get(self.there + page)

    def post(self, page, **fields):
        return self.client.post(self.there + page, {name.replace("_", "-"): value for name, value in fields.items()})

    def answer(self, page, after=0, **chosen):
        fields = {f"after-{question}": after for question in chosen} | {"sent": list(chosen)}
        fields |= {f"answer-{question}": choice for question, choice in chosen.items() if choice}
        return self.client.post(self.there + page, fields)

    def rows(self, model):
        with context.company(self.company.organization_id):
            return list(model.objects.filter(organization_id=self.company.organization_id))


def test_a_course_is_taken_from_its_overview_to_its_end(signed_in):
    learner = Learner(signed_in)
    overview = learner.get()
    assert overview.status_code == 200
    assert "Begin" in overview.content.decode()
    assert learner.rows(Take) == []  # looking begins nothing
    assert "Page 1 of 3" in learner.get("p1").content.decode()
    answer = learner.answer("p2", q1="yes", q2="yes")
    assert (answer.status_code, answer["Location"]) == (303, f"{learner.there}p2#verdict-q1")
    assert "That is right." in learner.get("p2").content.decode()
    finished = learner.get("finished/").content.decode()
    assert "Something is left to do" in finished
    assert f"{learner.there}p3" in finished
    assert "Continue" in learner.get().content.decode()
    learner.get("p3")
    (take,) = learner.rows(Take)
    assert take.completion_receipt_id is not None
    assert take.assessed
    finished = learner.get("finished/").content.decode()
    assert "You have finished this course" in finished
    assert "Every question was answered right" in finished


def test_no_page_says_which_choice_is_right(signed_in):
    learner = Learner(signed_in)
    page = learner.get("p2").content.decode()
    choices = re.findall(r"<label class=\"choice\".*?</label>", page, re.S)
    assert len(choices) == 4
    same = {re.sub(r"yes|no\b", "", re.sub(r"q[12]", "", each)) for each in choices}
    assert len(same) == 1  # they differ only in names and words
    assert "correct" not in page
    learner.answer("p2", q1="no", q2="no")
    learner.answer("p2", after=1, q1="no")
    page = learner.get("p2").content.decode()
    assert "there are no attempts left" in page
    assert "correct" not in page


def test_attempts_are_counted_once_however_often_a_form_is_sent(signed_in):
    learner = Learner(signed_in)
    for _ in range(3):
        assert learner.answer("p2", q1="no", q2="no").status_code == 303
    assert len(learner.rows(Answer)) == 2
    assert "You can try again once" in learner.get("p2").content.decode().replace("You have 1 attempt", "")
    learner.answer("p2", after=1, q1="no")
    assert learner.answer("p2", after=2, q1="yes").status_code == 303  # settled: nothing counts
    assert len(learner.rows(Answer)) == 3


def test_a_question_without_a_choice_is_asked_for_and_nothing_is_counted(signed_in):
    learner = Learner(signed_in)
    answer = learner.answer("p2", q1="yes", q2="")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "There is a problem" in page
    assert 'href="#choice-q2_yes"' in page
    assert "<title>Error:" in page
    assert re.search(r'id="choice-q1_yes"[^>]*checked', page)  # the choice stays selected
    assert learner.rows(Answer) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"sent": "nothing"},
        {"sent": "q1", "answer-q1": "maybe"},
        {"sent": "q1", "answer-q1": ["yes", "no"]},
        {"sent": "q1", "answer-q1": "yes", "after-q1": "-1"},
        {"sent": "q1", "answer-q1": "yes", "after-q1": "9" * 30},
        {"film": "film-p2-1", "scene": "s"},
        {"sent": "x" * 5000},
    ],
)
def test_what_no_form_of_ours_sends_is_refused_and_not_counted(signed_in, fields):
    learner = Learner(signed_in)
    assert learner.client.post(learner.there + "p2", fields).status_code == 400
    assert learner.rows(Answer) == []


def test_what_is_not_there_or_not_one_s_own_is_not_found(signed_in):
    learner = Learner(signed_in)
    assert learner.get("nothing").status_code == 404
    assert learner.get("p1/").status_code == 404
    assert learner.client.get(f"/learn/courses/{uuid.uuid4()}/").status_code == 404
    assert learner.client.get(f"/learn/lessons/{uuid.uuid4()}/").status_code == 404
    other = small.teach(learner.company, small.lesson("three", small.page("p4")), share=False)
    assert learner.client.get(f"/learn/courses/{other.course_id}/").status_code == 404
    assert learner.client.get(f"/learn/courses/{other.course_id}/p4").status_code == 404
    assert learner.client.get(f"/learn/media/{other.course_release_id}/picture").status_code == 404
    assert learner.client.get(f"/learn/style/{other.course_release_id}/film-p4-1.css").status_code == 404
    assert learner.rows(Take) == []


def test_a_page_that_is_fetched_beforehand_is_not_read_and_begins_nothing(signed_in):
    learner = Learner(signed_in)
    there = learner.there + "p1"
    guess = {"Sec-Purpose": "prefetch;prerender"}
    assert learner.client.get(there, headers=guess).status_code == 303
    assert learner.client.head(there).status_code == 303
    assert learner.rows(Take) == []
    assert learner.client.get(there, headers={"Learner-Keep": "1"}).status_code == 200
    assert learner.client.get(there, headers=guess).status_code == 200
    assert learner.client.head(there).status_code == 200
    assert learner.rows(PageRead) == []


def test_a_version_that_is_withdrawn_midway_says_so_and_leads_home(signed_in):
    learner = Learner(signed_in)
    learner.get("p1")
    verbs.withdraw_release(
        organization_id=learner.company.organization_id,
        at=datetime.now(UTC) - timedelta(seconds=1),
        now=datetime.now(UTC),
        course_release_id=learner.course.course_release_id,
    )
    small.take_in(learner.company)
    for answer in (learner.get(), learner.get("p2"), learner.answer("p2", q1="yes"), learner.get("finished/")):
        assert answer.status_code == 410
        assert "This course was withdrawn" in answer.content.decode()
        assert 'href="/learn/"' in answer.content.decode()
    assert learner.rows(Answer) == []


def test_a_course_that_was_completed_in_another_way_is_not_taken(signed_in):
    learner = Learner(signed_in)
    learner.company.complete(learner.anna, learner.course, at=noon(3))
    small.take_in(learner.company)
    for answer in (learner.get(), learner.get("p1"), learner.answer("p2", q1="yes")):
        assert answer.status_code == 200
        assert "You have completed this course" in answer.content.decode()
    assert learner.rows(Take) == []


def test_a_course_without_content_says_that_it_is_taken_elsewhere(signed_in):
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    course = company.course("First aid")
    company.share(course)
    small.take_in(company)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    answer = client.get(f"/learn/courses/{course.course_id}/")
    assert "This course is taken elsewhere" in answer.content.decode()


def test_lessons_for_other_roles_are_passed_over_and_can_be_read_all_the_same(signed_in):
    lessons = (
        small.lesson("one", small.page("p1")),
        small.lesson("two", small.page("p2", small.question("q1")), roles=["buyer"]),
        small.lesson("three", small.page("p3")),
    )
    learner = Learner(signed_in, *lessons)
    assert learner.get().content.decode().count("not required for you") == 1
    page = learner.get("p1").content.decode()
    assert "Page 1 of 2" in page
    assert f'href="{learner.there}p3"' in page.partition('id="onward"')[2]
    assert "Page 1 of 1" in learner.get("p2").content.decode()
    learner.get("p3")
    assert "You have finished this course" in learner.get("finished/").content.decode()
    page = learner.get("p2").content.decode()
    assert "takes no more answers" in page  # the course is over
    assert learner.answer("p2", q1="yes").status_code == 303
    assert learner.rows(Answer) == []


def test_a_new_version_midway_keeps_what_is_the_same_and_says_what_changed(signed_in):
    learner = Learner(signed_in)
    learner.get("p1")
    learner.answer("p2", q1="yes", q2="yes")
    changed = small.lesson("two", small.page("p2", small.question("q1")), small.page("p5"))
    small.teach_again(learner.company, learner.course, 2, learner.lessons[0], changed)
    overview = learner.get().content.decode()
    assert "This course has a new version" in overview
    assert "two.title" in overview.partition("This course has a new version")[2].partition("</div>")[0]
    assert learner.answer("p3").headers.get("Location") == learner.there  # a page that no longer exists
    assert "Page 3 of 3" in learner.get("p5").content.decode()
    assert "You have" not in learner.get("finished/").content.decode()
    learner.answer("p2", after=1, q1="yes")
    learner.get("p2")
    assert "You have finished this course" in learner.get("finished/").content.decode()


def form_on(page):
    """The fields of the form about the questions of a page, as drawn."""
    tags = re.findall(r'<input type="hidden"[^>]*>', page.content.decode().partition('class="player"')[2])
    pairs = [(re.search(r'name="([^"]+)"', tag)[1], re.search(r'value="([^"]*)"', tag)[1]) for tag in tags]
    return {name: [value for other, value in pairs if other == name] for name, _ in pairs}


def test_an_answer_to_a_question_that_has_changed_meanwhile_is_not_counted(signed_in):
    learner = Learner(signed_in)
    form = form_on(learner.get("p2"))
    assert form["sent"] == ["q1", "q2"]
    asked = small.question("q1", attempts=1)
    changed = small.lesson("two", small.page("p2", asked | {"prompt": "p2.another"}, small.question("q2")))
    small.teach_again(learner.company, learner.course, 2, learner.lessons[0], changed)
    answer = learner.client.post(learner.there + "p2", form | {"answer-q1": "no", "answer-q2": "yes"})
    assert answer.status_code == 409
    assert "This course has a new version" in answer.content.decode()
    assert "p2.another" in answer.content.decode()
    assert learner.rows(Answer) == []
    form = form_on(learner.get("p2"))
    assert learner.client.post(learner.there + "p2", form | {"answer-q1": "yes", "answer-q2": "yes"}).status_code == 303
    assert len(learner.rows(Answer)) == 2


def test_an_answer_to_an_unchanged_question_counts_in_a_new_version(signed_in):
    learner = Learner(signed_in)
    form = form_on(learner.get("p2"))
    small.teach_again(learner.company, learner.course, 2, small.lesson("one", small.page("p9")), learner.lessons[1])
    assert learner.client.post(learner.there + "p2", form | {"answer-q1": "yes", "answer-q2": "yes"}).status_code == 303
    assert len(learner.rows(Answer)) == 2


def test_the_end_of_a_film_that_has_changed_meanwhile_is_not_counted(signed_in):
    learner = Learner(signed_in, small.lesson("one", small.page("p1", small.film(small.question("q1")))))
    report = learner.get("p1").content.decode().partition("data-report")[2]
    before = re.search(r'name="lesson" value="([^"]+)"', report)[1]
    changed = small.lesson("one", small.page("p1", small.film(small.question("q1", attempts=2))))
    small.teach_again(learner.company, learner.course, 2, changed)
    assert learner.post("p1", film="film-p1-2", scene="s0", lesson=before).status_code == 409
    assert [row.film for row in learner.rows(PageRead) if row.film] == []


def test_no_two_elements_of_a_page_have_one_id_whatever_its_questions_and_choices_are_named(signed_in):
    questions = [small.question(name) for name in ("exit", "exit-left")]
    questions[0]["choices"][0]["id"], questions[1]["choices"][0]["id"] = "left-door", "door"
    learner = Learner(signed_in, small.lesson("one", small.page("p1", *questions)))
    answer = learner.answer("p1", **{"exit": "left-door", "exit-left": "door"})
    assert answer.status_code == 303
    ids = re.findall(r' id="([^"]+)"', learner.get("p1").content.decode())
    assert len([each for each in ids if each.startswith("choice-")]) == 4
    assert len(ids) == len(set(ids))


def test_a_question_that_was_settled_in_another_tab_does_not_hold_up_the_others(signed_in):
    learner = Learner(signed_in)
    learner.get("p1")
    learner.get("p3")
    form = form_on(learner.get("p2"))
    learner.answer("p2", q1="yes")  # in another tab
    assert learner.client.post(learner.there + "p2", form | {"answer-q2": "yes"}).status_code == 303
    assert {row.question_id for row in learner.rows(Answer)} == {"q1", "q2"}
    (take,) = learner.rows(Take)
    assert take.completion_receipt_id is not None


def test_a_film_counts_when_it_was_played_to_its_end_and_answered(signed_in):
    one = small.lesson("one", small.page("p1", small.film(small.question("q1", attempts=1))))
    learner = Learner(signed_in, one)
    page = learner.get("p1").content.decode()
    assert "data-film" in page
    assert "finish this page, open it in a browser with scripts" in page
    assert learner.post("p1", film="film-p1-2", scene="s").status_code == 303  # not the last scene
    learner.answer("p1", q1="no")
    assert "left to do" in learner.get("finished/").content.decode()
    assert "The film was not played to its end" in learner.get("finished/").content.decode()
    learner.post("p1", film="film-p1-2", scene="s0")
    finished = learner.get("finished/").content.decode()
    assert "You have finished this course" in finished
    assert "0 of 1 question was answered right" in finished


def test_the_players_own_words_are_marked_in_the_readers_language_and_those_of_the_course_in_its_own(signed_in):
    table = {"type": "table", "header": ["p1.a"], "rows": [["p1.b"]]}
    learner = Learner(signed_in, small.lesson("one", small.page("p1", small.film(small.question("q1")), table)))
    page = learner.client.get(learner.there + "p1", headers={"accept-language": "de"}).content.decode()
    film = re.search(r"<section[^>]*data-film[^>]*>\s*(<div[^>]*>)", page)
    assert 'aria-label="Film" lang="de" dir="ltr"' in film[0]
    assert film[1] == '<div lang="" dir="ltr">'  # this course names no language
    assert 'aria-label="Wie weit der Film gelaufen ist" lang="de" dir="ltr"' in page
    assert 'aria-label="Tabelle" lang="de" dir="ltr"><table lang="" dir="ltr">' in page


def test_what_comes_next_is_titled_in_its_own_language_and_direction(signed_in):
    learner = Learner(signed_in, small.lesson("one", small.page("p1")))
    small.teach(
        learner.company, small.lesson("two", small.page("p2")), title="\u0627\u0644\u0633\u0644\u0627\u0645\u0629"
    )
    learner.get("p1")
    finished = learner.get("finished/").content.decode()
    assert re.search(r"<bdi[^>]*>\u0627\u0644\u0633\u0644\u0627\u0645\u0629</bdi></a>", finished)


def test_a_lesson_that_was_shared_alone_has_its_own_pages(signed_in):
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    lessons = small.lesson("one", small.page("p1")), small.lesson("two", small.page("p2"))
    course = small.teach(company, *lessons, share=False)
    release_id = small.lesson_release_id(lessons[1])
    verbs.share_lesson(
        organization_id=company.organization_id,
        at=company.start,
        now=company.now,
        course_id=course.course_id,
        lesson_release_id=release_id,
        title="two",
    )
    small.take_in(company)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    there = f"/learn/lessons/{release_id}/"
    overview = client.get(there).content.decode()
    assert "two.title" in overview
    assert "one.title" not in overview
    assert client.get(f"{there}p1").status_code == 404
    assert client.get(f"/learn/courses/{course.course_id}/").status_code == 404
    assert "Page 1 of 1" in client.get(f"{there}p2").content.decode()
    assert "You have finished" in client.get(f"{there}finished/").content.decode()


def test_a_page_takes_as_many_statements_however_many_pages_the_course_has(signed_in, django_assert_max_num_queries):
    many = [small.page(f"p{number}", small.question(f"q{number}")) for number in range(60)]
    learner = Learner(signed_in, small.lesson("one", *many))
    learner.get("p0")
    for number in range(40):
        learner.answer(f"p{number}", **{f"q{number}": "no"})
    with django_assert_max_num_queries(18):
        learner.get("p41")
