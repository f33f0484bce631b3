"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import ConsolePage
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.reading import views

_SEE = Permission.SEE
_RELEASE = "readings/<uuid:course_release_id>/"

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("readings", "readings/", views.courses, _SEE, _("Courses to read")),
    ConsolePage("reading", _RELEASE, views.course, _SEE, _("Course")),
    ConsolePage("reading-page", f"{_RELEASE}pages/<slug:page_id>", views.page, _SEE, _("Page of a course")),
    ConsolePage("reading-media", f"{_RELEASE}media/<slug:media_id>", views.media, _SEE, _("Media")),
    ConsolePage("reading-style", f"{_RELEASE}style/<slug:scope>.css", views.style, _SEE, _("Film style")),
)
