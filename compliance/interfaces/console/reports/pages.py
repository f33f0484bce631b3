"""The pages of this room."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.reports import paper, views

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("reports", "reports/", views.reports, _SEE, _("Reports"), section=Section.REPORTS),
    ConsolePage("reports-make", "reports/make/", views.make, _SEE, _("Make a report"), methods=("POST",)),
    ConsolePage("report", "reports/<uuid:report_id>/", views.report, _SEE, _("Completion")),
    ConsolePage("report-changes", "reports/<uuid:report_id>/changes/", views.changes, _SEE, _("What changed")),
    ConsolePage("report-pdf", "reports/<uuid:report_id>/pdf/", paper.pdf, Permission.EXPORT, _("Report as PDF")),
)
