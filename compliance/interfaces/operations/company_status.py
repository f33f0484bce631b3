"""The status of companies in operations. It is written column by column: each role may write its own columns only."""

import uuid
from datetime import datetime
from typing import Any, NamedTuple

from compliance.interfaces.operations.models import CompanyStanding
from compliance.tenancy import nodes
from compliance.tenancy.models import Organization


class LastVerification(NamedTuple):
    """When a company was last verified (created, if it never was), and whether the verification found no fault."""

    at: datetime
    well: bool


def update(organization_id: uuid.UUID, **values: Any) -> None:
    """Writes these columns of a company's row and no others, and creates the row if there is none."""
    row = CompanyStanding.objects.filter(organization_id=organization_id)
    if not row.update(**values):
        CompanyStanding.objects.get_or_create(organization_id=organization_id)
        row.update(**values)


def joined(alias: str) -> str:
    """SQL that joins the row of the company `alias`.organization_id as `s`; its columns are null if there is none."""
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
    """How many reminders of all companies were refused by the mail server or left unknown; one statement per node."""
    rows = nodes.fetch("SELECT reminders_unsettled(%(companies)s::uuid[])")
    return sum(number for (number,) in rows)
