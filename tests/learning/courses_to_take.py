"""Small courses with content for tests of taking them, and a person who takes one.

course = teach(company, lesson("one", page("p1"), page("p2", question("q1", attempts=2))))
way = begin(company, anna, course)
"""

import uuid
from datetime import UTC, datetime
from typing import Any

from compliance.contentfile.fingerprint import lesson_fingerprints
from compliance.history.actions import capture_all
from compliance.learning import courses, taking
from compliance.learning.queries import Way
from tests import verbs
from tests.companies import Company, Course, Person

RIGHT, WRONG = ["yes"], ["no"]


def question(name: str, *, attempts: int | None = None, kind: str = "single", **more: Any) -> dict[str, Any]:
    """A question whose right choice is `yes`; of kind multiple, `yes` and `also`."""
    choices = [("yes", True), ("no", False), *([("also", True)] if kind == "multiple" else [])]
    return {
        "type": "question",
        "id": name,
        "kind": kind,
        "prompt": f"{{page}}.{name}",
        "choices": [{"id": each, "text": f"{{page}}.{name}.{each}", "correct": right} for each, right in choices],
        **({"attempts": attempts} if attempts else {}),
        **more,
    }


def film(*questions: dict[str, Any]) -> dict[str, Any]:
    """A film that waits at each of the questions."""
    asked = [{key: value for key, value in each.items() if key != "type"} for each in questions]
    scenes = [
        {"id": f"s{number}", "kind": "question", "seconds": 5, "caption": f"{{page}}.c{number}", "question": each}
        for number, each in enumerate(asked)
    ]
    return {"type": "film", "scenes": [{"id": "s", "kind": "title", "seconds": 5, "caption": "{page}.c"}, *scenes]}


def page(name: str, *blocks: dict[str, Any], text: str = "text") -> dict[str, Any]:
    """A page with a text and these blocks."""
    made: dict[str, Any] = {
        "id": name,
        "title": f"{name}.title",
        "blocks": [{"type": "text", "text": f"{name}.{text}"}, *blocks],
    }
    return _placed(made, name)


def lesson(name: str, *pages: dict[str, Any], roles: list[str] | None = None) -> dict[str, Any]:
    """A lesson of these pages, for everyone unless roles are named."""
    return {"id": name, "title": f"{name}.title", "pages": list(pages)} | ({"requiredFor": roles} if roles else {})


def content(*lessons: dict[str, Any]) -> dict[str, Any]:
    """A content file."""
    return {"schema": "svc.content/2", "lessons": list(lessons)}


def teach(company: Company, *lessons: dict[str, Any], share: bool = True, **told: Any) -> Course:
    """A course with this content, shared with everyone, and captured."""
    when = {"organization_id": company.organization_id, "at": company.start, "now": company.now}
    certificate = told.pop("certificate", None)
    course_id = verbs.create_course(**when, title=told.pop("title", "Fire safety"), certificate=certificate)
    release_id = verbs.publish_release(
        **when, course_id=course_id, version=1, content=content(*lessons), **released(*lessons), **told
    )
    made = Course(course_id, release_id)
    if share:
        company.share(made)
    take_in(company)
    return made


def teach_again(company: Company, course: Course, version: int, *lessons: dict[str, Any], **told: Any) -> Course:
    """The next version of a course, published now."""
    made = company.publish(
        course, version, told.pop("at", datetime.now(UTC)), content=content(*lessons), **released(*lessons), **told
    )
    take_in(company)
    return made


def released(*lessons: dict[str, Any]) -> dict[str, Any]:
    """The fields of a publication about the lessons of its content."""
    return {
        "lessons": tuple(
            {
                "release_id": uuid.uuid5(uuid.NAMESPACE_URL, each.content_sha256),
                "title": each.lesson_id,
                "version": 1,
                "content_sha256": each.content_sha256,
            }
            for each in lesson_fingerprints(content(*lessons))
        )
    }


def lesson_release_id(one: dict[str, Any]) -> uuid.UUID:
    """The lesson release that `teach` makes of a lesson."""
    (found,) = lesson_fingerprints(content(one))
    return uuid.uuid5(uuid.NAMESPACE_URL, found.content_sha256)


def take_in(company: Company) -> None:
    """Captures what was recorded."""
    capture_all(company.organization_id, now=datetime.now(UTC))


def begin(company: Company, person: Person, course: Course, now: datetime | None = None) -> Way:
    """Opens the take of a course. Needs the company's context."""
    now = now or datetime.now(UTC)
    found = courses.assignment(company.organization_id, person.learner_profile_id, now, course_id=course.course_id)
    return taking.open_take(found, now)


def do_everything(way: Way, now: datetime, *, choices: list[str] | None = None) -> None:
    """Opens every page and answers every question, rightly unless `choices` are given."""
    for each in way.outline.lessons:
        for one in each.pages:
            taking.read_page(way, one.id, now)
            for shown in one.films:
                taking.see_film(way, shown.id, shown.last_scene, now)
            for asked in one.questions:
                taking.answer(way, asked.id, choices or sorted(asked.right), now)


def _placed(value: Any, name: str) -> Any:
    """Text identifiers begin with their page's, which a question does not know when it is made."""
    if isinstance(value, str):
        return value.replace("{page}", name)
    if isinstance(value, list):
        return [_placed(each, name) for each in value]
    if isinstance(value, dict):
        return {key: _placed(each, name) for key, each in value.items()}
    return value
