"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.courses import shares, views
from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("courses", "courses/", views.courses, _SEE, _("Courses"), section=Section.COURSE),
    ConsolePage("course", "courses/<uuid:course_id>/", views.course, _SEE, _("Course")),
    ConsolePage("shares", "shares/", shares.shares, _SEE, _("Shares"), section=Section.COURSE),
    ConsolePage("share", "shares/<uuid:share_id>/", shares.share, _SEE, _("Share")),
)
