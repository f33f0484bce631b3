"""Every kind of package is taken to its end over HTTP, with what its pages offer, and `/v1` lists the completion."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from uuid import UUID

import pytest
from django.test import Client

from compliance.contentfile.package import CheckedPackage, check_package
from compliance.facts.courses.publishing import publish_package
from compliance.facts.lines.kinds import Certificate
from compliance.rules.vocabulary import CertificateKind
from tests.companies import Company, Course, Person, make_present_company, noon
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.learning.courses_to_take import take_in
from tests.packages import DEMO, film_course, long_course, written

pytestmark = pytest.mark.django_db
SignedIn = Callable[[UUID, UUID], Client]
PACKAGES = ["anti-bribery", "fire-safety", "phishing", "personal-data", "200 pages", "8 films"]


@dataclass
class Form:
    """A form as a page draws it: its address, its fields, and the choices of each."""

    reports: bool = False
    fields: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    choices: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Drawn(HTMLParser):
    """What a page offers: its forms, the scenes of its films in order, and the address of its last button."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.language = self.direction = self.onward = ""
        self.forms: dict[str, Form] = defaultdict(Form)
        self._inside = ""
        self._scene = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attributes}
        if tag == "div" and told.get("class") == "player":
            self.language, self.direction = told["lang"], told["dir"]
        elif tag == "a" and "button" in told.get("class", "").split():
            self.onward = told["href"]
        elif "data-scene" in told:
            self._scene = told["data-scene"]
        elif tag == "form":
            self._inside = told.get("id") or f"form {len(self.forms)}"
            self.forms[self._inside].reports = "data-report" in told
        elif tag == "input" and "disabled" not in told:
            form = self.forms[told.get("form", self._inside)]
            if told.get("type") in ("radio", "checkbox"):
                form.choices[told["name"]].append(told["value"])
            else:  # a film's script sends the scene that was shown last
                form.fields[told["name"]].append(self._scene if told["name"] == "scene" else told["value"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = ""


class Learner:
    """A learner who knows the correct answers and uses only what the pages offer."""

    def __init__(self, client: Client, package: CheckedPackage, language: str = "en") -> None:
        self.client, self.language = client, language
        self.right = dict(_right_answers(package.content))
        self.pages: list[Drawn] = []

    def look(self, address: str) -> Drawn:
        answer = self.client.get(address, headers={"Accept-Language": self.language})
        assert answer.status_code == 200, (address, answer.status_code)
        return Drawn(answer.content.decode())

    def take(self, overview: str) -> str:
        """From the overview to the result; returns the address of that page."""
        address = urljoin(overview, self.look(overview).onward)
        while not address.endswith("/finished/"):
            drawn = self.look(address)
            self.pages.append(drawn)
            for form in sorted(drawn.forms.values(), key=lambda form: form.reports):  # a film ends after its questions
                self.send(address, form)
            address = urlsplit(urljoin(address, drawn.onward)).path
        return address

    def send(self, address: str, form: Form) -> None:
        """Sends the correct answers, or that a film was played to its end; other forms of the page stay as they are."""
        if not form.choices and not form.reports:
            return
        chosen = {name: list(self.right[name.removeprefix("answer-")]) for name in form.choices}
        assert all(set(chosen[name]) <= set(offered) for name, offered in form.choices.items())
        answer = self.client.post(address, {**form.fields, **chosen})
        assert answer.status_code in (204, 303), (address, answer.status_code)


def _right_answers(part: Any) -> Iterator[tuple[str, frozenset[str]]]:
    if isinstance(part, dict):
        if "choices" in part:
            yield part["id"], frozenset(each["id"] for each in part["choices"] if each["correct"])
        for value in part.values():
            yield from _right_answers(value)
    elif isinstance(part, list):
        for value in part:
            yield from _right_answers(value)


def _package(name: str, folder: Path) -> CheckedPackage:
    made = {"200 pages": lambda: long_course(200), "8 films": lambda: film_course(8)}
    return check_package(written(made[name](), folder) if name in made else DEMO / name)


def _shared(package: CheckedPackage, **told: Any) -> tuple[Company, Person, Course]:
    company = make_present_company()
    anna = company.join("Anna", at=noon(20), **told)
    certificate = Certificate(title="Done", kind=CertificateKind.ASSESSED, valid_months=12, renew_days_before=30)
    published = publish_package(
        organization_id=company.organization_id, package=package, at=company.start, now=company.now,
        certificate=certificate,
    )  # fmt: skip
    course = Course(published.course_id, published.course_release_id)
    company.share(course, days=60)
    take_in(company)
    return company, anna, course


def _records(company: Company) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    take_in(company)
    call = Caller(issue_everything(company.organization_id, datetime.now(UTC)))
    (record,) = call.pull("/v1/training-records")
    return record, call.pull("/v1/certificates")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_taken_to_its_end_and_the_api_shows_it(name: str, signed_in: SignedIn, tmp_path: Path) -> None:
    package = _package(name, tmp_path)
    roles = tuple(role["id"] for role in (package.manifest or {})["roles"])  # so that every lesson is required
    company, anna, course = _shared(package, role_ids=roles)
    learner = Learner(signed_in(company.organization_id, anna.learner_profile_id), package)
    finished = learner.take(f"/learn/courses/{course.course_id}/")
    assert len(learner.pages) == sum(len(lesson["pages"]) for lesson in (package.content or {})["lessons"])
    assert "You have finished this course" in learner.client.get(finished).content.decode()
    record, (certificate,) = _records(company)
    assert record["outcome"] == "completed_on_time"
    assert record["completion_receipt_id"] is not None
    assert record["course_release_id"] == str(course.course_release_id)
    assert record["certificate_id"] == certificate["certificate_id"]


def test_the_course_in_arabic_is_taken_from_right_to_left(signed_in: SignedIn, tmp_path: Path) -> None:
    package = _package("personal-data", tmp_path)
    company, anna, course = _shared(package)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    learner = Learner(client, package, "ar-EG,ar;q=0.9,en;q=0.1")
    learner.take(f"/learn/courses/{course.course_id}/")
    assert {(page.language, page.direction) for page in learner.pages} == {("ar", "rtl")}
    assert _records(company)[0]["outcome"] == "completed_on_time"


@pytest.mark.parametrize(("role_ids", "finished"), [(None, True), (("people-manager",), False)])
def test_a_lesson_for_a_role_is_required_of_who_has_it(
    role_ids: tuple[str, ...] | None, finished: bool, signed_in: SignedIn, tmp_path: Path
) -> None:
    package = _package("personal-data", tmp_path)
    company, anna, course = _shared(package, role_ids=role_ids)
    learner = Learner(signed_in(company.organization_id, anna.learner_profile_id), package)
    overview = f"/learn/courses/{course.course_id}/"
    for lesson in (package.content or {})["lessons"][:2]:
        for page in lesson["pages"]:
            drawn = learner.look(f"{overview}{page['id']}")
            for form in sorted(drawn.forms.values(), key=lambda form: form.reports):
                learner.send(f"{overview}{page['id']}", form)
    learner.look(f"{overview}finished/")
    assert (_records(company)[0]["outcome"] == "completed_on_time") is finished
    learner.take(overview)
    assert _records(company)[0]["outcome"] == "completed_on_time"


def test_a_page_of_a_long_course_takes_no_more_statements_than_one_of_a_short_course(
    signed_in: SignedIn, tmp_path: Path, django_assert_max_num_queries: Any
) -> None:
    taken = []
    for pages in (20, 200):
        package = check_package(written(long_course(pages, identity=f"long-{pages}"), tmp_path))
        company, anna, course = _shared(package)
        client = signed_in(company.organization_id, anna.learner_profile_id)
        overview = f"/learn/courses/{course.course_id}/"
        for page in ("page-1", "page-2"):  # the first keeps the course's content
            client.get(f"{overview}{page}")
        with django_assert_max_num_queries(40) as queries:
            assert client.get(f"{overview}page-3").status_code == 200
        taken.append(len(queries))
    assert taken[0] == taken[1]
