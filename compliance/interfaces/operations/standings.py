"""Where a company stands, kept column by column: each process's role may write its own columns alone."""

import uuid
from typing import Any

from compliance.interfaces.operations.models import CompanyStanding


def keep(organization_id: uuid.UUID, **values: Any) -> None:
    """Writes these columns of a company's standing and no others, as `update_or_create` would of a moment's column."""
    standing = CompanyStanding.objects.filter(organization_id=organization_id)
    if not standing.update(**values):
        CompanyStanding.objects.get_or_create(organization_id=organization_id)
        standing.update(**values)


def joined(alias: str) -> str:
    """SQL that joins the standing of the company of `alias`.organization_id as `s`: all null where none is kept."""
    return f" LEFT JOIN operations_companystanding s ON s.organization_id = {alias}.organization_id"
