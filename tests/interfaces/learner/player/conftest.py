"""A learner in a real browser, whose company shares a course with everybody."""

from datetime import UTC, datetime

import pytest

from compliance.contentfile.package import check_package
from compliance.facts.courses.publishing import publish_package
from compliance.learning import sessions
from compliance.tenancy import context
from tests.companies import Course, make_present_company, noon
from tests.learning import courses_to_take as small


class Viewer:
    """Somebody who takes a course. `complaints` collects errors of the page's scripts and content policy."""

    def __init__(self, served, browser, company, course):
        self.served, self.browser, self.company, self.course = served, browser, company, course
        self.anna = company.join("Anna", at=noon(20))
        small.take_in(company)
        with context.company(company.organization_id):
            self.token = sessions.begin(
                company.organization_id, self.anna.learner_profile_id, "Firefox on Android", datetime.now(UTC)
            )
        self.there = f"{served}/learn/courses/{course.course_id}/"
        self.complaints = []
        self.contexts = []

    def open(self, page="", *, width=390, clock=False, **window):
        """A window with the course, or one of its pages."""
        opened = self.browser.new_context(viewport={"width": width, "height": 900}, **window)
        opened.add_cookies([{"name": "learner", "value": self.token, "url": self.served}])
        self.contexts.append(opened)
        shown = opened.new_page()
        shown.set_default_timeout(30_000)
        if clock:
            shown.clock.install()
        shown.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        shown.on("pageerror", lambda error: self.complaints.append(str(error)))
        shown.goto(self.there + page)
        return shown


@pytest.fixture
def viewer(served, browser):
    """`viewer("phishing")` takes that package, `viewer(lesson, ...)` a course of these lessons."""
    made = []

    def make(*taught):
        company = make_present_company()
        if isinstance(taught[0], str):
            published = publish_package(
                organization_id=company.organization_id,
                package=check_package(taught[0]),
                at=company.start,
                now=company.now,
            )
            course = Course(published.course_id, published.course_release_id)
            company.share(course)
        else:
            course = small.teach(company, *taught)
        made.append(Viewer(served, browser, company, course))
        return made[-1]

    yield make
    for each in made:
        for opened in each.contexts:
            opened.close()
