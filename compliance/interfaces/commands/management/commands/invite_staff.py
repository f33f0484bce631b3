"""`invite_staff NAME`: makes a one-time invitation to a staff account, and the account if there is none."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_email
from django.db import transaction

from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console import access_log
from compliance.interfaces.console.permissions import GROUPS
from compliance.interfaces.console.sign_in import invitations, second_factor


class Command(OperatorCommand):
    """Invites a member of staff; this is how the first superuser is made."""

    help = (
        "Prints a one-time link with which the owner of the account chooses a password and adds their first second"
        " factor. Makes the account when there is none of that name: the first one with --superuser."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declares the options."""
        parser.add_argument("name", help="the name to sign in with")
        parser.add_argument("--superuser", action="store_true", help="a new account keeps the staff accounts")
        parser.add_argument("--email", default="", help="where letters about a new account go")
        parser.add_argument("--group", choices=sorted(GROUPS), help="the group of a new account")
        parser.add_argument(
            "--lost-device", action="store_true", help="removes the account's second factors, and ends its sessions"
        )
        parser.add_argument("--hours", type=int, default=72, help="how long the invitation lasts (72)")
        parser.add_argument("--json", action="store_true", help="as one JSON object")

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Runs the command."""
        now = datetime.now(UTC)
        if not 0 < options["hours"] <= 24 * 30:
            raise CommandError("An invitation lasts between 1 and 720 hours.")
        if options["email"]:
            try:
                validate_email(options["email"])
            except ValidationError as error:
                raise CommandError(f"{options['email']!r} is no e-mail address.") from error
        lasts = timedelta(hours=options["hours"])
        name = User.normalize_username(options["name"])  # as accounts have it, whatever the terminal composes
        with transaction.atomic():
            user = User.objects.filter(username=name).first()
            acts = ["invitation made"]
            if user is None:
                user = self._make(name, options)
                acts.insert(0, "account made")
            elif options["superuser"] or options["email"] or options["group"]:
                raise CommandError(f"There is an account {name} already. What it may is changed in the staff accounts.")
            if options["lost_device"]:
                second_factor.reset(user)
                acts.insert(0, "second factor reset")
            code = invitations.issue(user=user, by="manage.py", at=now, lasts=lasts)
            for act in acts:
                access_log.append(
                    page="manage.py", at=now, status=200, username="manage.py", subject={"user": user.pk}, act=act
                )
        found = {"link": invitations.link(code), "code": code, "ends_at": (now + lasts).isoformat()}
        text = f"{found['link']}\nIt works once, until {now + lasts:%d %B %Y, %H:%M} UTC."
        self.show(found, text, as_json=options["json"])

    def _make(self, name: str, options: dict[str, Any]) -> User:
        """A new account without a password: its owner chooses one."""
        user = User(username=name, email=options["email"], is_superuser=options["superuser"])
        user.set_unusable_password()
        try:
            user.full_clean()
        except ValidationError as error:
            raise CommandError(f"There can be no such account. {' '.join(error.messages)}") from error
        user.save()
        if options["group"]:
            user.groups.add(Group.objects.get(name=options["group"]))
        return user
