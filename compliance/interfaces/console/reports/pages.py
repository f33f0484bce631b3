"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import Page, Section
from compliance.interfaces.console.reports import paper, views
from compliance.interfaces.console.who_may import Permission

_SEE = Permission.SEE

PAGES: tuple[Page, ...] = (
    Page("reports", "reports/", views.reports, _SEE, _("Reports"), section=Section.REPORTS),
    Page("reports-make", "reports/make/", views.make, _SEE, _("Make a report"), methods=("POST",)),
    Page("report", "reports/<uuid:report_id>/", views.report, _SEE, _("Completion")),
    Page("report-changes", "reports/<uuid:report_id>/changes/", views.changes, _SEE, _("What changed")),
    Page("report-pdf", "reports/<uuid:report_id>/pdf/", paper.pdf, Permission.EXPORT, _("Report as PDF")),
)
