"""Removes sessions, invitations, devices and counts of guesses that have ended."""

from datetime import datetime, timedelta

from django.conf import settings

from compliance.interfaces.console.sign_in import lock_out
from compliance.interfaces.console.sign_in.devices import KNOWN_FOR
from compliance.interfaces.console.sign_in.models import Device, Invitation, StaffSession


def tidy(now: datetime) -> None:
    """Removes all of it."""
    StaffSession.objects.filter(began_at__lte=now - timedelta(seconds=settings.CONSOLE_SESSION_SECONDS)).delete()
    StaffSession.objects.filter(seen_at__lte=now - timedelta(seconds=settings.CONSOLE_SESSION_IDLE_SECONDS)).delete()
    Invitation.objects.filter(ends_at__lte=now).delete()
    Device.objects.filter(seen_at__lte=now - KNOWN_FOR).delete()
    lock_out.forget_old(now)
