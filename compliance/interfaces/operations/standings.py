"""Where a company stands, kept column by column: each process's role may write its own columns alone."""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

from compliance.interfaces.operations.models import CompanyStanding
from compliance.tenancy import nodes
from compliance.tenancy.models import Organization


class LastVerification(NamedTuple):
    """When a company was last verified, or began where it never was, and whether everything held."""

    at: datetime
    well: bool


def keep(organization_id: uuid.UUID, **values: Any) -> None:
    """Writes these columns of a company's standing and no others, as `update_or_create` would of a moment's column."""
    standing = CompanyStanding.objects.filter(organization_id=organization_id)
    if not standing.update(**values):
        CompanyStanding.objects.get_or_create(organization_id=organization_id)
        standing.update(**values)


def joined(alias: str) -> str:
    """SQL that joins the standing of the company of `alias`.organization_id as `s`: all null where none is kept."""
    return f" LEFT JOIN operations_companystanding s ON s.organization_id = {alias}.organization_id"


def verified() -> dict[uuid.UUID, LastVerification]:
    """The last verification of every company, in two statements."""
    begun = Organization.objects.values_list("organization_id", "created_at")
    found = {organization_id: LastVerification(created_at, True) for organization_id, created_at in begun}
    kept = CompanyStanding.objects.values_list("organization_id", "verified_at", "verified_well")
    for organization_id, at, well in kept:
        if organization_id in found:
            found[organization_id] = LastVerification(at or found[organization_id].at, well)
    return found


def reminders_unsettled() -> int:
    """How many reminders of all companies were refused by the mail server or left unknown, in one statement a node."""
    rows = nodes.fetch("SELECT reminders_unsettled(%(companies)s::uuid[])")
    return sum(number for (number,) in rows)
