"""`createsuperuser`: Django's own, with a line in the access log for the account that it makes."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from compliance.interfaces.console import access_log


class Command(createsuperuser.Command):
    """Makes an account that manages the staff accounts; `invite_staff --superuser` does so without a typed password."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs Django's command; the account and its line are written together."""
        with transaction.atomic():
            last = User.objects.aggregate(last=Max("pk"))["last"] or 0
            super().handle(*arguments, **options)
            for user in User.objects.filter(pk__gt=last, is_superuser=True):
                access_log.append(
                    page="manage.py",
                    at=datetime.now(UTC),
                    status=200,
                    username="manage.py",
                    subject={"user": user.pk},
                    act="account made",
                )
