"""The pages of this room."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.understand import exporting, learners, views, work

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("dashboard", "dashboard/", views.dashboard, _SEE, gettext_lazy("Dashboard"), section=Section.REPORTS),
    ConsolePage(
        "work", "work-list/", work.work, _SEE, gettext_lazy("Work list"), section=Section.TODAY, methods=("GET", "POST")
    ),
    ConsolePage("matrix", "matrix/", views.matrix, _SEE, gettext_lazy("People and courses"), section=Section.REPORTS),
    ConsolePage("learning", "learning/", learners.courses, _SEE, gettext_lazy("Courses being taken")),
    ConsolePage(
        "learners", "learning/<uuid:course_id>/", learners.learners, _SEE, gettext_lazy("Learners of a course")
    ),
    ConsolePage(
        "export",
        "export/<slug:what>/<slug:written_as>/",
        exporting.export,
        Permission.EXPORT,
        gettext_lazy("Export"),
        recent=True,
        methods=("GET", "POST"),
    ),
)
