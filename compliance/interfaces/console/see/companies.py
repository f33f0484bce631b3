"""The companies, and how each of them stands (issue 8, part 1)."""

from django.http import HttpResponse

from compliance.history.numbers import REGISTERS
from compliance.interfaces.console import keyset
from compliance.interfaces.console.see.queries import companies as queries
from compliance.interfaces.console.see.reading import READINGS
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.console.who_may import Permission


def companies(visit: Visit) -> HttpResponse:
    """The companies this person may see, by name, with where their history stands."""
    wanted = visit.request.GET.get("q", "").strip()[:200]
    found, last = queries.companies(visit.staff.organization_ids, wanted, keyset.after(visit.request, 2), visit.now)
    following = keyset.following(visit.request, last)
    return visit.render("console/see/companies.html", {"companies": found, "wanted": wanted, "following": following})


def overview(visit: Visit) -> HttpResponse:
    """One company's health, and how many records its registers hold."""
    visit.crumb("Companies", "companies")
    organization = visit.organization
    health = queries.health(organization, visit.now)
    counts = queries.records_by_register(organization.organization_id, health.sequence)
    titles = {reading.register: (reading.title, name) for name, reading in READINGS.items() if name != "period"}
    registers = [(*titles[name.value], counts.get(number, 0)) for number, name in REGISTERS.items()]
    values = {
        "title": organization.name,
        "health": health,
        "registers": registers,
        "may_verify": visit.staff.may(Permission.OPERATE),
    }
    return visit.render("console/see/overview.html", values)
