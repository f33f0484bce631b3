"""One-time invitations: without one nobody enrols the first second factor of an account.

A superuser hands it over, or staff of a company to an auditor whom the company lets in (`auditors.py`). Whoever holds
only the password of an account can therefore not enrol a device of their own.
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
    """An invitation that does not exist, was used, or has run out."""


def issue(*, user: User, by: str, at: datetime, lasts: timedelta = LASTS) -> str:
    """Makes the invitation of `user`, in place of an earlier one, and returns its code, which is kept nowhere."""
    code = secrets.token_urlsafe(24)
    Invitation.objects.update_or_create(
        user=user,
        defaults={"code_sha256": _digest(code), "made_at": at, "made_by": by[:150], "ends_at": at + lasts},
    )
    return code


def of(user: User) -> Invitation | None:
    """The invitation of `user` that waits, used up or not there: None."""
    return Invitation.objects.filter(user=user).first()


def withdraw(user: User) -> None:
    """Takes the invitation of `user` back, where one waits."""
    Invitation.objects.filter(user=user).delete()


def link(code: str) -> str:
    """The address to hand over."""
    return f"{settings.BASE_URL}{ADDRESS}{code}/"


def account_of(code: str, now: datetime) -> User:
    """The account that `code` invites. Raises InvitationError."""
    found = Invitation.objects.select_related("user").filter(code_sha256=_digest(code), ends_at__gt=now).first()
    if found is None or not found.user.is_active:
        raise InvitationError(
            gettext("This invitation is not one of ours, was used, or has run out. Ask for a new one.")
        )
    return found.user


def use_up(code: str, now: datetime) -> User:
    """Uses the invitation up and returns its account. Of two simultaneous uses one raises InvitationError."""
    with transaction.atomic():
        user = account_of(code, now)
        if not Invitation.objects.filter(user=user, code_sha256=_digest(code), ends_at__gt=now).delete()[0]:
            raise InvitationError(gettext("This invitation was used just now."))
    return user


def _digest(code: str) -> str:
    return hashlib.sha256(code.strip().encode()).hexdigest()
