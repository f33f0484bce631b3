"""Auditors whom a company invites itself: accounts that can read the records of this one company until a moment.

Staff of the company create them without an administrator of the staff accounts. Each company has accounts of its own,
so no company learns for which others an auditor works, and none can change what another has granted.
"""

import re
import secrets
import uuid
from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from compliance.interfaces.console import access_log
from compliance.interfaces.console.errors import ConsoleError
from compliance.interfaces.console.models import StaffAccess
from compliance.interfaces.console.permissions import AUDITOR, Staff
from compliance.interfaces.console.sign_in import invitations, letters, sessions
from compliance.interfaces.console.sign_in.second_factor import is_enrolled
from compliance.tenancy.turns import wait_for_turn

LONGEST = timedelta(days=366)
_NAME_AT_MOST = 40


class AuditorError(ConsoleError):
    """An auditor who cannot be invited like this, or whom this company has not invited."""


class Auditor(NamedTuple):
    """An auditor of the company. `invited_until`: their link is valid until then and was not used yet."""

    user_id: int
    name: str
    email: str
    username: str
    until: datetime | None
    last_seen: datetime | None
    invited_until: datetime | None


class Invited(NamedTuple):
    """The account, and the `code` of its invitation, empty if it already has a password and a second factor."""

    user_id: int
    username: str
    code: str


def auditors(organization_id: uuid.UUID) -> list[Auditor]:
    """The auditors of the company, those whose access lasts longest first. Two statements."""
    found = _of(organization_id).select_related("staff_access", "invitation").order_by("-staff_access__valid_until")
    return [
        Auditor(
            user.pk,
            user.first_name,
            user.email,
            user.get_username(),
            user.staff_access.valid_until,
            user.last_login,
            user.invitation.ends_at if hasattr(user, "invitation") else None,
        )
        for user in found[:500]
    ]


def known(organization_id: uuid.UUID, email: str) -> User | None:
    """The account that the company made for this address before; case is ignored."""
    return _of(organization_id).filter(email__iexact=email, is_active=True).order_by("pk").first()


def invite(*, organization_id: uuid.UUID, name: str, email: str, until: datetime, by: Staff, at: datetime) -> Invited:
    """Gives somebody read access until then, and queues a letter with the link. Raises AuditorError."""
    if not at < until <= at + LONGEST:
        raise AuditorError("An auditor's access ends on a day to come, within one year.")
    # Simultaneous invitations of one address take turns, because ending one of two accounts would leave the other.
    wait_for_turn(organization_id, "invited auditor")
    user = known(organization_id, email)
    acts = []
    if user is None:
        user = User.objects.create_user(_username(email), email=email, password=None, first_name=name[:150])
        user.groups.add(Group.objects.get(name=AUDITOR))
        acts.append("account made")
    StaffAccess.objects.update_or_create(
        user=user, defaults={"valid_until": until, "every_company": False, "organization_ids": [organization_id]}
    )
    acts.append("access granted")
    code = ""
    if is_enrolled(user):
        letters.write(user, "access granted", at)
    else:
        code = invitations.issue(user=user, by=by.username, at=at, lasts=min(invitations.LASTS, until - at))
        letters.write(user, letters.AUDITOR_INVITED, at, code=code)
        acts.append("invitation made")
    _note(organization_id, user, acts, by, at)
    return Invited(user.pk, user.get_username(), code)


def link(code: str) -> str:
    """The link to the account, to be handed over."""
    return invitations.link(code)


def end(*, organization_id: uuid.UUID, user_id: int, by: Staff, at: datetime) -> str:
    """Ends the access of an auditor of this company at once, with every session. Returns their username."""
    user = _of(organization_id).filter(pk=user_id, staff_access__valid_until__gt=at).first()
    if user is None:
        raise AuditorError("This company has let in no such auditor, or their access has ended already.")
    StaffAccess.objects.filter(user=user).update(valid_until=at)
    invitations.withdraw(user)
    sessions.end_all(user)
    letters.write(user, "access ended", at)
    _note(organization_id, user, ["access ended"], by, at)
    return user.get_username()


def _of(organization_id: uuid.UUID) -> QuerySet[User]:
    """The accounts that may see only this company, and only read."""
    return User.objects.filter(
        groups__name=AUDITOR,
        is_superuser=False,
        staff_access__every_company=False,
        staff_access__organization_ids=[organization_id],
    )


def _username(email: str) -> str:
    """An unused username that does not reveal whether the address is in use already."""
    start = re.sub(r"[^a-z0-9.]+", "", email.partition("@")[0].lower())[:_NAME_AT_MOST].strip(".") or "auditor"
    while True:
        found = f"{start}-{secrets.token_hex(3)}"
        if not User.objects.filter(username=found).exists():
            return found


def _note(organization_id: uuid.UUID, user: User, acts: list[str], by: Staff, at: datetime) -> None:
    """Adds lines about the account to the company's access log, besides that of the act with its reason."""
    for act in acts:
        access_log.append(
            page="account",
            at=at,
            status=200,
            user_id=by.user_id,
            username=by.username,
            groups=", ".join(by.groups),
            organization_id=organization_id,
            subject={"user": user.pk},
            act=act,
        )
