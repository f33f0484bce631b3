"""The pages of this part."""

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.reading import views
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE
_RELEASE = "readings/<uuid:course_release_id>/"

PAGES: tuple[Page, ...] = (
    Page("readings", "readings/", views.courses, _SEE, "Courses to read", section=Section.COURSE),
    Page("reading", _RELEASE, views.course, _SEE, "Course"),
    Page("reading-page", f"{_RELEASE}pages/<slug:page_id>", views.page, _SEE, "Page of a course"),
    Page("reading-media", f"{_RELEASE}media/<slug:media_id>", views.media, _SEE, "Media"),
    Page("reading-style", f"{_RELEASE}style/<slug:scope>.css", views.style, _SEE, "Film style"),
)
