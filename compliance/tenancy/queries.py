"""Reads of this room: what every other room asks about a company."""

import uuid
from functools import lru_cache

from compliance.tenancy.errors import NoSuchCompanyError
from compliance.tenancy.models import Deployment, Organization


def organization(organization_id: uuid.UUID) -> Organization:
    """The company. Raises NoSuchCompanyError."""
    try:
        return Organization.objects.get(organization_id=organization_id)
    except Organization.DoesNotExist:
        raise NoSuchCompanyError(f"There is no organization {organization_id}.") from None


def only_company(allowed: frozenset[uuid.UUID] | None) -> uuid.UUID | None:
    """The company of somebody who may see exactly one company (`allowed` None: all companies), else None."""
    companies = Organization.objects.all()
    if allowed is not None:
        companies = companies.filter(organization_id__in=allowed)
    found = list(companies.values_list("organization_id", flat=True)[:2])
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1)
def deployment_id() -> uuid.UUID:
    """This deployment's id, which never changes once made."""
    return Deployment.objects.get_or_create(only=True)[0].deployment_id


EACH = "FROM tenancy_organization o"
"""SQL that reads the companies as `o`, for statements about many of them."""

CALLED = "o.organization_id, d.deployment_id, o.learning_space_id, o.time_zone, o.history_complete_from"
"""Columns of a company `o` and of the deployment `d` that every answer of `/v1` needs."""


def joined_company(alias: str) -> tuple[str, str]:
    """SQL that joins the company `o` of `alias`.organization_id, and SQL that joins the deployment `d`."""
    return (
        f"JOIN tenancy_organization o ON o.organization_id = {alias}.organization_id",
        "CROSS JOIN tenancy_deployment d",
    )


def known(organization_id: str) -> str:
    """SQL of the identifier, itself given as SQL, if it is a company's; of null if it is not."""
    return f"(SELECT organization_id FROM tenancy_organization WHERE organization_id = {organization_id}::uuid)"  # noqa: S608
