"""Media and styles: only of a course that the person takes, whole or in ranges, cached by the browser."""

import hashlib
import uuid

import pytest

from compliance.contentfile.package import check_package
from compliance.facts.courses.models import ReleaseMedia
from compliance.facts.courses.publishing import publish_package
from compliance.learning import courses
from compliance.learning.models import Take
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from development.demo.telling import PACKAGES
from tests.companies import Course, make_present_company, noon
from tests.learning import courses_to_take as small

pytestmark = pytest.mark.django_db
FILM = check_package(PACKAGES / "phishing")
SOUND = FILM.read_media("chime")


@pytest.fixture
def taken(signed_in):
    """A client, and the addresses of media and styles of the course that it takes."""
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    published = publish_package(
        organization_id=company.organization_id, package=FILM, at=company.start, now=company.now
    )
    company.share(Course(published.course_id, published.course_release_id))
    small.take_in(company)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    assert client.get(f"/learn/media/{published.course_release_id}/chime").status_code == 404  # not begun
    client.get(f"/learn/courses/{published.course_id}/one-click")
    return client, published.course_release_id


def test_a_file_is_given_whole_with_headers_that_let_a_browser_keep_it(taken):
    client, release = taken
    answer = client.get(f"/learn/media/{release}/chime")
    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, SOUND, "audio/wav")
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    assert answer["ETag"] == f'"{hashlib.sha256(SOUND).hexdigest()}"'
    assert "sandbox" in answer["Content-Security-Policy"]
    again = client.get(f"/learn/media/{release}/chime", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "wanted, start, stop",
    [("bytes=0-99", 0, 100), ("bytes=100-", 100, None), ("bytes=-50", -50, None), ("bytes=0-99999999", 0, None)],
)
def test_a_part_is_given_as_a_part(taken, wanted, start, stop):
    client, release = taken
    answer = client.get(f"/learn/media/{release}/chime", headers={"Range": wanted})
    part = SOUND[start:stop]
    assert (answer.status_code, answer.content) == (206, part)
    first = SOUND.index(part)
    assert answer["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(SOUND)}"


@pytest.mark.parametrize(
    "wanted, status", [("bytes=99999999-", 416), ("bytes=5-2", 416), ("bytes=-0", 416), ("bytes=-", 416),
                       ("pages=1-2", 200), ("bytes=0-1,3-4", 200), ("bytes=" + "9" * 400 + "-", 200)]
)  # fmt: skip
def test_a_part_that_is_not_there_is_refused_and_what_is_no_part_is_passed_over(taken, wanted, status):
    client, release = taken
    answer = client.get(f"/learn/media/{release}/chime", headers={"Range": wanted})
    assert answer.status_code == status
    assert (answer.get("Content-Range") == f"bytes */{len(SOUND)}") == (status == 416)


def test_a_part_of_another_file_is_not_joined_to_this_one(taken):
    client, release = taken
    headers = {"Range": "bytes=0-9", "If-Range": '"of another file"'}
    assert client.get(f"/learn/media/{release}/chime", headers=headers).status_code == 200


def test_the_style_of_a_film_reaches_nothing_but_that_film(taken):
    client, release = taken
    answer = client.get(f"/learn/style/{release}/film-one-click-3.css")
    assert answer["Content-Type"].startswith("text/css")
    rules = [line for line in answer.content.decode().splitlines() if "{" in line and not line.startswith("@")]
    assert all(".film-one-click-3" in line for line in rules if line.lstrip().startswith("."))
    assert answer["Cache-Control"].endswith("immutable")
    assert client.get(f"/learn/style/{release}/film-one-click-4.css").status_code == 404


def test_nobody_else_is_given_them(taken, signed_in, client):
    _, release = taken
    company = make_present_company("Other")
    ben = company.join("Ben", at=noon(20))
    other = signed_in(company.organization_id, ben.learner_profile_id)
    for path in (f"/learn/media/{release}/chime", f"/learn/style/{release}/film-one-click-3.css"):
        assert other.get(path).status_code == 404
        assert client.get(path).status_code == 303


def test_a_lesson_that_is_asked_for_no_more_does_not_close_the_course_that_is(signed_in):
    company = make_present_company()
    anna = company.join("Anna", at=noon(20))
    one = small.lesson("one", small.page("p1"), small.page("p2", small.film(small.question("q1"))))
    course = small.teach(company, one)
    client = signed_in(company.organization_id, anna.learner_profile_id)
    style = f"/learn/style/{course.course_release_id}/film-p2-2.css"
    client.get(f"/learn/courses/{course.course_id}/p1")
    with context.company(company.organization_id):  # the take is of a lesson that nobody shares any more
        Take.objects.filter(organization_id=company.organization_id).update(
            lesson_release_id=uuid.uuid4(), record_id=uuid.uuid4()
        )
    assert client.get(style).status_code == 404
    client.get(f"/learn/courses/{course.course_id}/p1")
    assert client.get(style).status_code == 200


def test_a_file_that_is_not_kept_is_named_in_its_place(taken):
    client, release = taken
    there = client.get("/learn/").content.decode().partition('href="/learn/courses/')[2].partition("/")[0]
    page = client.get(f"/learn/courses/{there}/reading-addresses").content.decode()
    assert f"/learn/media/{release}/sign-in" in page
    for organization_id in Organization.objects.values_list("organization_id", flat=True):
        with context.company(organization_id):
            ReleaseMedia.objects.filter(organization_id=organization_id).update(kept_file_id=None)
    courses.forget_contents()
    page = client.get(f"/learn/courses/{there}/reading-addresses").content.decode()
    assert f"/learn/media/{release}/sign-in" not in page
    assert "too large to be kept" in page
