"""The list of companies, and the status of one."""

from django.http import HttpResponse

from compliance.catalogue import REGISTERS
from compliance.interfaces.console import keyset
from compliance.interfaces.console.page import register_page
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.see.queries import companies as queries
from compliance.interfaces.console.visit import Visit


def companies(visit: Visit) -> HttpResponse:
    """The companies this person may see, by name, with the status of their history.

    Search words are posted, so that no address holds them; the link to the next page carries them sealed.
    """
    *after, wanted = keyset.after(visit.request, 3) or ("",)
    if visit.request.method == "POST":
        after, wanted = [], visit.request.POST.get("q", "").replace("\0", "").strip()[:200]
    found, last = queries.companies(visit.staff.organization_ids, wanted, tuple(after) or None, visit.now)
    following = keyset.following(visit.request, (*last, wanted) if last else None)
    return visit.render("console/see/companies.html", {"companies": found, "wanted": wanted, "following": following})


def history(visit: Visit) -> HttpResponse:
    """The status of one company, and how many records its registers hold."""
    organization = visit.organization
    health = queries.health(organization, visit.now)
    counts = queries.records_by_register(organization.organization_id, health.head.sequence)
    registers = [(each.title, register_page(each.name), counts.get(number, 0)) for number, each in REGISTERS.items()]
    values = {
        "health": health,
        "registers": registers,
        "may_verify": visit.staff.may(Permission.OPERATE),
    }
    return visit.render("console/see/history.html", values)
