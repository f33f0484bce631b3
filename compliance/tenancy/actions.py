"""The writes of this room. Companies are created only here."""

import uuid
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import IntegrityError, transaction

from compliance.tenancy.errors import CompanyExistsError, UnknownTimeZoneError
from compliance.tenancy.models import Deployment, Organization


def create_organization(
    *,
    name: str,
    time_zone: str,
    history_complete_from: datetime,
    now: datetime,
    organization_id: uuid.UUID | None = None,
) -> Organization:
    """Creates the directory row of a new company; `history.actions` creates its history's head and first capture.

    Raises UnknownTimeZoneError, CompanyExistsError.
    """
    try:
        ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownTimeZoneError(
            f"{time_zone!r} is no IANA time zone. Write it like Europe/Paris or America/New_York."
        ) from error
    Deployment.objects.get_or_create(only=True)
    try:
        with transaction.atomic():
            return Organization.objects.create(
                organization_id=organization_id or uuid.uuid4(),
                name=name,
                time_zone=time_zone,
                history_complete_from=history_complete_from,
                created_at=now,
            )
    except IntegrityError as error:
        raise CompanyExistsError(f"An organization {organization_id} exists already.") from error
