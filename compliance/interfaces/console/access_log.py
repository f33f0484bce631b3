"""The append-only log of who saw and did what (issue 8, part 4)."""

import uuid
from datetime import datetime

from django.http import HttpRequest

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.sign_in.address import client_address
from compliance.interfaces.console.who_may import Staff


def record(
    request: HttpRequest,
    *,
    staff: Staff | None,
    username: str = "",
    page: str,
    at: datetime,
    status: int,
    organization_id: uuid.UUID | None = None,
    subject: str = "",
    act: str = "",
    reason: str = "",
) -> None:
    """Appends one line. `subject` names what was looked at by its identifiers, never by a name or an address."""
    AccessLog.objects.create(
        at=at,
        user_id=staff.user_id if staff else None,
        username=staff.username if staff else username[:150],
        groups=", ".join(staff.groups)[:100] if staff else "",
        address=client_address(request),
        method=request.method or "",
        page=page,
        subject=subject[:300],
        organization_id=organization_id,
        status=status,
        act=act,
        reason=reason[:500],
    )
