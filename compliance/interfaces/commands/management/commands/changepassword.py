"""`changepassword`: Django's own, with a line in the access log, a letter to the owner, and the end of all sessions."""

from datetime import UTC, datetime
from getpass import getuser
from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.contrib.auth.models import User
from django.db import transaction

from compliance.interfaces.console import access_log
from compliance.interfaces.console.sign_in import letters, sessions


class Command(changepassword.Command):
    """Sets the password of an account, as the staff accounts do: its owner is notified."""

    def handle(self, *arguments: Any, **options: Any) -> str | None:
        """Runs Django's command, which raises CommandError where nothing was changed."""
        now = datetime.now(UTC)
        with transaction.atomic():
            answer: str | None = super().handle(*arguments, **options)
            user = User.objects.get(username=options["username"] or getuser())
            sessions.end_all(user)
            letters.write(user, "password set", now)
            access_log.append(
                page="manage.py",
                at=now,
                status=200,
                username="manage.py",
                subject={"user": user.pk},
                act="password set",
            )
        return answer
