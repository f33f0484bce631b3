"""The pages of this part."""

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.reading import views
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("readings", "readings/", views.courses, _SEE, "Courses to read", section=Section.UNDERSTAND),
    Page("reading", "readings/<uuid:course_release_id>/", views.course, _SEE, "Course"),
    Page("reading-media", "readings/<uuid:course_release_id>/media/<slug:media_id>", views.media, _SEE, "Media"),
    Page("reading-style", "readings/<uuid:course_release_id>/style/<slug:scope>.css", views.style, _SEE, "Film style"),
)
