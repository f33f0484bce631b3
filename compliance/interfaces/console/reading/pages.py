"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import Page
from compliance.interfaces.console.reading import views
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE
_RELEASE = "readings/<uuid:course_release_id>/"

PAGES: tuple[Page, ...] = (
    Page("readings", "readings/", views.courses, _SEE, _("Courses to read")),
    Page("reading", _RELEASE, views.course, _SEE, _("Course")),
    Page("reading-page", f"{_RELEASE}pages/<slug:page_id>", views.page, _SEE, _("Page of a course")),
    Page("reading-media", f"{_RELEASE}media/<slug:media_id>", views.media, _SEE, _("Media")),
    Page("reading-style", f"{_RELEASE}style/<slug:scope>.css", views.style, _SEE, _("Film style")),
)
