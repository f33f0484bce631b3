"""What a device loads to keep a course, and what it sends later: from our own pages, of its own person, once."""

import json
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from compliance.facts.training.models import Completion
from compliance.interfaces.learner.offline.entries import MOST_ENTRIES
from compliance.learning.models import Answer, LearnerSession, PageRead, Take
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, Course, Person, make_present_company
from tests.learning.courses_to_take import film, lesson, lesson_release_id, page, question, take_in, teach, teach_again

pytestmark = pytest.mark.django_db
ORIGIN = "http://testserver"
ONE = lesson("one", page("p1"), page("p2", question("q1", attempts=2)))
TWO = lesson("two", page("p3", film(question("q3"))))


@pytest.fixture
def company() -> Company:
    return make_present_company()


@pytest.fixture
def anna(company: Company) -> Person:
    return company.join()


@pytest.fixture
def course(company: Company, anna: Person) -> Course:
    return teach(company, ONE, TWO)


@pytest.fixture
def phone(company: Company, anna: Person, signed_in: Any) -> Client:
    client: Client = signed_in(company.organization_id, anna.learner_profile_id)
    client.handler.enforce_csrf_checks = True
    return client


def post(client: Client, address: str, content: Any, **headers: str | None) -> Any:
    told = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin"} | headers
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    sent = {name: value for name, value in told.items() if value is not None}
    return client.post(address, body, content_type="application/json", headers=sent)


def kept(client: Client, course: Course) -> dict[str, Any]:
    answer = post(client, f"/learn/offline/courses/{course.course_id}", {})
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def entry(kind: str, told: dict[str, Any], page_id: str, **more: Any) -> dict[str, Any]:
    (of,) = (each for each in told["pages"] if each["id"] == page_id)
    return {"id": str(uuid.uuid4()), "kind": kind, "lesson": of["lesson"], **more}


def everything(told: dict[str, Any]) -> list[dict[str, Any]]:
    pages = [entry("page", told, each["id"], page=each["id"]) for each in told["pages"]]
    return [
        *pages,
        entry("answer", told, "p2", question="q1", choices=["yes"], number=1),
        entry("answer", told, "p3", question="q3", choices=["no"], number=1),
        entry("answer", told, "p3", question="q3", choices=["yes"], number=2),
        entry("film", told, "p3", film="film-p3-2", scene="s0"),
    ]


def count(company: Company, table: Any) -> int:
    with context.company(company.organization_id):
        found: int = table.objects.filter(organization_id=company.organization_id).count()
        return found


# ---- keeping ----


def test_what_is_kept_is_all_that_the_pages_load_and_keeping_reads_none(
    phone: Client, company: Company, course: Course
) -> None:
    told = kept(phone, course)
    files = set(told["files"])
    for address in (told["overview"], *(each["address"] for each in told["pages"])):
        answer = phone.get(address, headers={"Learner-Keep": "1"})
        loaded = re.findall(
            r'(?:<link[^>]* href|<(?:script|img|audio|video)[^>]* src)="([^"]+)"', answer.content.decode()
        )
        assert loaded
        assert set(loaded) <= files
    for file in files:
        own = file.startswith("/static/")
        assert finders.find(file.removeprefix("/static/")) if own else phone.get(file).status_code == 200
    assert count(company, PageRead) == 0
    phone.get(told["pages"][0]["address"])
    assert count(company, PageRead) == 1
    assert told["bytes"] > 0
    assert "correct" not in json.dumps(told)


def test_a_lesson_that_was_shared_alone_is_kept_by_itself(company: Company, signed_in: Any) -> None:
    bert = company.join("Bert")
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
    client = signed_in(company.organization_id, bert.learner_profile_id)
    told = post(client, f"/learn/offline/lessons/{lesson_release_id(TWO)}", {}).json()
    assert [each["id"] for each in told["pages"]] == ["p3"]
    assert told["overview"] == f"/learn/lessons/{lesson_release_id(TWO)}/"


def test_nobody_keeps_what_is_not_asked_of_them(phone: Client, company: Company) -> None:
    other = teach(company, lesson("three", page("p9")), share=False)
    for address in (f"courses/{other.course_id}", f"courses/{uuid.uuid4()}", f"lessons/{uuid.uuid4()}"):
        assert post(phone, f"/learn/offline/{address}", {}).status_code == 404
    assert count(company, Take) == 0


def test_the_worker_serves_the_learners_pages_and_is_asked_for_anew(client: Client) -> None:
    answer = client.get("/learn/worker.js")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert answer["Cache-Control"] == "no-cache"
    assert answer.content == Path(str(finders.find("learner/worker.js"))).read_bytes()
    assert "connect-src 'self'" in answer["Content-Security-Policy"]


# ---- sending ----


def test_a_course_arrives_whole_and_again_with_one_completion(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    sent = {"entries": everything(told)}
    first = post(phone, f"/learn/offline/{told['take_id']}", sent).json()
    assert (first["state"], first["changed"]) == ("finished", False)
    assert [each["id"] for each in first["entries"]] == [each["id"] for each in sent["entries"]]
    assert {each["outcome"] for each in first["entries"]} == {"counted"}
    assert [each["right"] for each in first["entries"]] == [None, None, None, True, False, True, None]
    again = post(phone, f"/learn/offline/{told['take_id']}", sent).json()
    assert again["receipt_id"] == first["receipt_id"]
    assert {each["outcome"] for each in again["entries"]} == {"closed", "repeated"}
    assert [each["right"] for each in again["entries"]] == [each["right"] for each in first["entries"]]
    assert (count(company, Completion), count(company, Answer)) == (1, 3)
    assert first["address"] == told["overview"]


def test_what_is_done_in_two_sends_is_finished_by_the_second(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    sent = everything(told)
    first = post(phone, f"/learn/offline/{told['take_id']}", {"entries": sent[:4]}).json()
    assert (first["state"], first["receipt_id"]) == ("open", None)
    assert post(phone, f"/learn/offline/{told['take_id']}", {"entries": []}).json()["state"] == "open"
    assert post(phone, f"/learn/offline/{told['take_id']}", {"entries": sent}).json()["state"] == "finished"
    assert count(company, Completion) == 1


def test_a_new_version_is_told_and_what_is_the_same_counts(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    teach_again(company, course, 2, ONE, lesson("two", page("p3", film(question("q3")), text="new")))
    answer = post(phone, f"/learn/offline/{told['take_id']}", {"entries": everything(told)}).json()
    assert (answer["state"], answer["changed"]) == ("open", True)
    outcomes = [each["outcome"] for each in answer["entries"]]
    assert outcomes == ["counted", "counted", "changed", "counted", "changed", "changed", "changed"]
    assert kept(phone, course)["take_id"] != told["take_id"]


def test_what_is_not_asked_any_more_counts_nothing(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    with context.company(company.organization_id):
        Take.objects.filter(organization_id=company.organization_id).update(course_id=uuid.uuid4())
    answer = post(phone, f"/learn/offline/{told['take_id']}", {"entries": everything(told)}).json()
    assert (answer["state"], answer["entries"]) == ("not_assigned", [])
    assert count(company, PageRead) == 0


# ---- whose entries, and from which origin ----


def test_another_person_s_session_sends_nothing(
    phone: Client, company: Company, course: Course, signed_in: Any
) -> None:
    told = kept(phone, course)
    bert = company.join("Bert")
    elsewhere = make_present_company("Other")
    stranger = elsewhere.join()
    for who, of in ((bert, company), (stranger, elsewhere)):
        client = signed_in(of.organization_id, who.learner_profile_id)
        assert post(client, f"/learn/offline/{told['take_id']}", {"entries": everything(told)}).status_code == 404
    assert count(company, PageRead) == 0


def test_a_session_that_has_ended_says_so_and_counts_nothing(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    with context.company(company.organization_id):
        LearnerSession.objects.filter(organization_id=company.organization_id).delete()
    answer = post(phone, f"/learn/offline/{told['take_id']}", {"entries": everything(told)})
    assert answer.status_code == 401
    assert post(Client(), f"/learn/offline/{told['take_id']}", {"entries": []}).status_code == 401
    assert count(company, PageRead) == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://testserver.example"},
        {"Origin": "https://testserver"},
        {"Origin": "http://testserver:81"},
        {"Origin": "http://testserver/"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_another_origin_is_refused(
    headers: dict[str, str | None], phone: Client, company: Company, course: Course
) -> None:
    told = kept(phone, course)
    for address in (f"/learn/offline/{told['take_id']}", f"/learn/offline/courses/{course.course_id}"):
        assert post(phone, address, {"entries": everything(told)}, **headers).status_code == 403
    assert count(company, PageRead) == 0
    assert (
        post(phone, f"/learn/offline/{told['take_id']}", {"entries": []}, **{"Sec-Fetch-Site": None}).status_code == 200
    )


def test_what_a_form_could_send_is_refused(phone: Client, course: Course) -> None:
    told = kept(phone, course)
    address = f"/learn/offline/{told['take_id']}"
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = phone.post(address, b'{"entries": []}', content_type=kind, headers={"Origin": ORIGIN})
        assert answer.status_code == 415
    assert phone.get(address).status_code == 405
    assert phone.put(address).status_code == 405


def test_what_cannot_be_read_counts_nothing(phone: Client, company: Company, course: Course) -> None:
    told = kept(phone, course)
    whole = everything(told)
    for body in (b"{", {"entries": [*whole, {}]}, {"entries": whole * 20}, {"entries": whole, "now": 1}):
        answer = post(phone, f"/learn/offline/{told['take_id']}", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "unreadable")
    assert count(company, PageRead) == 0
    assert len(whole * 20) > MOST_ENTRIES


def test_asking_whose_session_it_is_takes_as_many_statements_as_it_has_none_to_count(
    phone: Client, company: Company, course: Course
) -> None:
    told = kept(phone, course)

    def statements(entries: list[dict[str, Any]]) -> int:
        with CaptureQueriesContext(connection) as found:
            assert post(phone, f"/learn/offline/{told['take_id']}", {"entries": entries}).status_code == 200
        return len(found)

    statements([])
    asking = statements([])
    pages = everything(told)[:3]
    assert statements(pages) - asking <= len(pages) + 1
    assert asking <= 25
