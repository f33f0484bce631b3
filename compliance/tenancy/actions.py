"""The writes of this room. Companies are created only here."""

import re
import uuid
from datetime import datetime
from importlib import resources

from django.db import IntegrityError, transaction

from compliance.tenancy.errors import BadCompanyNameError, CompanyExistsError, UnknownTimeZoneError
from compliance.tenancy.models import Deployment, Organization

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}")
# The names of the IANA. A machine's own folder of zones has more: `localtime`, which is another zone on each machine,
# and zones under `right/`, which count leap seconds.
_ZONES = frozenset(resources.files("tzdata").joinpath("zones").read_text().split())


def create_organization(
    *,
    name: str,
    time_zone: str,
    history_complete_from: datetime,
    now: datetime,
    organization_id: uuid.UUID | None = None,
) -> Organization:
    """Creates the directory row of a new company; `history.actions` creates its history's head and first capture.

    Raises BadCompanyNameError, UnknownTimeZoneError, CompanyExistsError.
    """
    if _NAME.fullmatch(name) is None or not name.strip():
        raise BadCompanyNameError("A company's name has 1 to 200 characters, in one line.")
    if time_zone not in _ZONES:
        raise UnknownTimeZoneError(
            f"{time_zone!r} is no IANA time zone. Write it like Europe/Paris or America/New_York."
        )
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
