"""One-time invitations, which are needed to enrol the first second factor of an account.

A superuser hands one over, or staff of a company to an auditor whom the company invites (`auditors.py`). So somebody
who has only the password of an account cannot enrol a device of their own.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from compliance.interfaces.console.errors import ConsoleError
from compliance.interfaces.console.sign_in.models import Invitation

LASTS = timedelta(hours=72)
ADDRESS = "/console/sign-in/invitation/"


class InvitationError(ConsoleError):
    """An invitation that does not exist, was used, or has expired."""


def issue(*, user: User, by: str, at: datetime, lasts: timedelta = LASTS) -> str:
    """Makes the invitation of `user`, replacing an earlier one. Returns its code, which is stored nowhere."""
    code = secrets.token_urlsafe(24)
    Invitation.objects.update_or_create(
        user=user,
        defaults={"code_sha256": _digest(code), "made_at": at, "made_by": by[:150], "ends_at": at + lasts},
    )
    return code


def of(user: User) -> Invitation | None:
    """The open invitation of `user`; None if it was used or does not exist."""
    return Invitation.objects.filter(user=user).first()


def withdraw(user: User) -> None:
    """Withdraws the open invitation of `user`, if there is one."""
    Invitation.objects.filter(user=user).delete()


def withdraw_all() -> int:
    """Withdraws every open invitation. Returns how many there were."""
    return Invitation.objects.all().delete()[0]


def link(code: str) -> str:
    """The link to hand over."""
    return f"{settings.BASE_URL}{ADDRESS}{code}/"


def account_of(code: str, now: datetime) -> User:
    """The account to which `code` invites. Raises InvitationError."""
    found = Invitation.objects.select_related("user").filter(code_sha256=_digest(code), ends_at__gt=now).first()
    if found is None or not found.user.is_active:
        raise InvitationError(
            gettext("This invitation is not one of ours, was used, or has run out. Ask for a new one.")
        )
    return found.user


def is_open(code: str, now: datetime) -> bool:
    """Whether `code` still opens an account."""
    try:
        account_of(code, now)
    except InvitationError:
        return False
    return True


def use_up(code: str, now: datetime) -> User:
    """Uses the invitation up and returns its account. One of two simultaneous uses raises InvitationError."""
    with transaction.atomic():
        user = account_of(code, now)
        if not Invitation.objects.filter(user=user, code_sha256=_digest(code), ends_at__gt=now).delete()[0]:
            raise InvitationError(gettext("This invitation was used just now."))
    return user


def _digest(code: str) -> str:
    return hashlib.sha256(code.strip().encode()).hexdigest()
