"""Pages of stored rows: the companies, a company, a table, a row. They are read only and look like Django's admin.

They are entered like every page of the console, so access, the company's context and the access log are the same.
"""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from compliance.catalogue import REGISTERS
from compliance.facts.ledger.models import LedgerHead
from compliance.facts.policies.models import ReceiptChain
from compliance.history import queries
from compliance.history.models import HistoryHead, HistoryRecord, HistoryRow
from compliance.interfaces.console import keyset
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.see.queries import companies as company_queries
from compliance.interfaces.console.staff_admin import site
from compliance.interfaces.console.stored import chain
from compliance.interfaces.console.stored.tables import TABLES, brief, columns, moment, value
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.operations.models import CompanyStanding
from compliance.log.queries import newest_checkpoint


def companies(visit: Visit) -> HttpResponse:
    """The companies whose rows this person may see, by name."""
    found, last = company_queries.companies(visit.staff.organization_ids, "", keyset.after(visit.request, 2), visit.now)
    lines = [
        (
            reverse("console:stored", args=[each.organization_id]),
            [each.name, each.time_zone, each.head and each.head.capture_sequence,
             each.head and brief(moment(each.head.captured_at)), each.signed_capture],
        )
        for each in found
    ]  # fmt: skip
    headings = [
        gettext("Company"),
        gettext("Time zone"),
        gettext("Captures"),
        gettext("Last capture"),
        gettext("Signed up to capture"),
    ]
    values = {"headings": headings, "lines": lines, "following": keyset.following(visit.request, last)}
    return _drawn(visit, "list", values)


def company(visit: Visit) -> HttpResponse:
    """What is stored about the company itself, and the heads of its chains."""
    visit.crumb(gettext("Companies"), "stored-companies")
    organization_id = visit.organization.organization_id
    parts = {"Company": columns(visit.organization)}
    for title, model in (
        (gettext("Head of the history"), HistoryHead),
        (gettext("Head of the ledger"), LedgerHead),
        (gettext("End of the receipts"), ReceiptChain),
        (gettext("Verification"), CompanyStanding),
    ):
        row = model._default_manager.filter(organization_id=organization_id).first()
        parts[title] = columns(row) if row else []
    newest = newest_checkpoint()
    values = {
        "title": visit.organization.name,
        "parts": parts,
        "note": newest.note if newest else None,
        "overview": True,
    }
    return _drawn(visit, "row", values)


def rows(visit: Visit, table: str) -> HttpResponse:
    """A page of a table's rows, newest first, from the number in the address downwards."""
    of, organization_id = TABLES[table], visit.organization.organization_id
    _crumbs(visit)
    found, more = of.page(organization_id, _number(visit.request))
    _saw(visit, found)
    lines = [
        (_row_address(visit, table, getattr(row, of.key)), [brief(value(row, name)) for name in (of.key, *of.listed)])
        for row in found
    ]
    values = {"headings": of.headings(), "lines": lines, "numbered": True}
    return _drawn(visit, "list", values | {"following": f"from={more}" if more is not None else ""})


def row(visit: Visit, table: str, number: int) -> HttpResponse:
    """One row with all its columns, and what links it to others and seals it."""
    of, organization_id = TABLES[table], visit.organization.organization_id
    found = of.row(organization_id, number)
    if found is None:
        raise NothingThereError(
            gettext("%(title)s of this company hold no number %(number)s.") % {"title": of.title, "number": number}
        )
    _saw(visit, [found])
    _crumbs(visit)
    visit.crumb(of.title, f"stored-{table}")
    parts = {"Stored": columns(found, of.withheld)}
    if tied := chain.of(found, lambda name, at: _row_address(visit, name, at)):
        parts["Chain"] = tied
    return _drawn(visit, "row", {"title": f"{of.title}, {number}", "parts": parts})


def _crumbs(visit: Visit) -> None:
    visit.crumb(gettext("Companies"), "stored-companies")
    visit.crumb(visit.organization.name, "stored")


def _saw(visit: Visit, found: list[Any]) -> None:
    """Records in the access log whom these rows are about."""
    organization_id = visit.organization.organization_id
    record_numbers = [each.birth for each in found if isinstance(each, HistoryRow)]
    if record_numbers:
        records = HistoryRecord.objects.filter(
            organization_id=organization_id, register__in=REGISTERS, birth__in=record_numbers
        )
        visit.saw(records.values_list("learner_profile_id", flat=True))
    named = {held for each in found for held in vars(each).values() if isinstance(held, uuid.UUID)} - {organization_id}
    visit.saw(queries.learners_named(organization_id, named) if named else ())


def _number(request: HttpRequest) -> int | None:
    text = request.GET.get("from", "")
    return int(text) if text.isdecimal() and len(text) < 19 else None


def _row_address(visit: Visit, table: str, number: int) -> str:
    return visit.address(f"stored-{table}-row", number=number)


def _drawn(visit: Visit, template: str, values: dict[str, Any]) -> HttpResponse:
    """A page of the admin. The sidebar lists the tables of the company like the models of an app."""
    context = site.each_context(visit.request) | {"has_permission": True, "title": visit.page.title, "visit": visit}
    if visit.company is not None:
        tables = [
            {"name": table.title, "object_name": name, "admin_url": visit.address(f"stored-{name}")}
            for name, table in TABLES.items()
        ]
        of_company = {"name": visit.company.name, "app_label": "company", "app_url": visit.address("stored")}
        context["available_apps"] = [*context["available_apps"], of_company | {"models": tables}]
        context["tables"] = tables
    return HttpResponse(render_to_string(f"admin/stored/{template}.html", context | values, visit.request))
