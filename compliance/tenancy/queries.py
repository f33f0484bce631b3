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
