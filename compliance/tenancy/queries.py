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


@lru_cache(maxsize=1)
def deployment_id() -> uuid.UUID:
    """This deployment's id, which never changes once made."""
    return Deployment.objects.get_or_create(only=True)[0].deployment_id


EACH = "FROM tenancy_organization o"
"""SQL that reads the companies, as `o`: how a statement about many of them begins."""


def known(organization_id: str) -> str:
    """SQL of the identifier, given as SQL, where it is a company's; of null where it is not."""
    return f"(SELECT organization_id FROM tenancy_organization WHERE organization_id = {organization_id}::uuid)"  # noqa: S608
