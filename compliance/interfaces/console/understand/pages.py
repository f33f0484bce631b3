"""The pages of this part."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.understand import exporting, learners, views, work
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("dashboard", "dashboard/", views.dashboard, _SEE, gettext_lazy("Dashboard"), section=Section.REPORTS),
    Page(
        "work", "work-list/", work.work, _SEE, gettext_lazy("Work list"), section=Section.TODAY, methods=("GET", "POST")
    ),
    Page("matrix", "matrix/", views.matrix, _SEE, gettext_lazy("People and courses"), section=Section.REPORTS),
    Page("learning", "learning/", learners.courses, _SEE, gettext_lazy("Courses being taken")),
    Page("learners", "learning/<uuid:course_id>/", learners.learners, _SEE, gettext_lazy("Learners of a course")),
    Page(
        "export",
        "export/<slug:what>/<slug:written_as>/",
        exporting.export,
        Permission.EXPORT,
        gettext_lazy("Export"),
        recent=True,
        methods=("GET", "POST"),
    ),
)
