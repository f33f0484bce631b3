"""The auditors to whom a company has given access, until when, and the acts on each."""

from django.http import HttpResponse

from compliance.interfaces.console.acting.auditors import EndAuditor
from compliance.interfaces.console.acting.registry import offered
from compliance.interfaces.console.sign_in import auditors as accounts
from compliance.interfaces.console.visit import Visit


def auditors(visit: Visit) -> HttpResponse:
    """The auditors who have read access to the company, those whose access lasts longest first."""
    found = accounts.auditors(visit.organization.organization_id)
    lines = [
        (
            each,
            visit.link(f"act-{EndAuditor.name}", {"auditor": each.user_id})
            if each.until and each.until > visit.now
            else "",
        )
        for each in found
    ]
    return visit.render("console/people/auditors.html", {"auditors": lines, "acts": offered(visit, "auditors")})
