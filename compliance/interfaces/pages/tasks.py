"""Notices to signers in the background."""

import uuid
from datetime import UTC, datetime

from celery import shared_task

from compliance.interfaces.pages import notices
from compliance.tenancy.models import Organization


@shared_task(name=notices.TASK, ignore_result=True)
def send_notices(organization_id: str = "") -> None:
    """Sends the notices of one company that are due, or of all."""
    chosen = (
        [uuid.UUID(organization_id)]
        if organization_id
        else list(Organization.objects.values_list("organization_id", flat=True))
    )
    for each in chosen:
        notices.send_due(each, datetime.now(UTC))
