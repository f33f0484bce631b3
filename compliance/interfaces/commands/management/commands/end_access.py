"""Ends the access that a restored backup grants again: `end_access [--organization ORG] [--dry-run] [--json]`.

That a key was revoked, a token rotated, a session ended or a link used is known to the database alone, so a backup from
before has all of them valid. Nothing outside of it says which, so all of them end, and are issued anew where needed.

Passwords, second factors and permissions of staff are those of the backup, too. They stay, since nobody could sign in
otherwise: the accounts that may sign in are listed, so that an operator compares them with those that should.
"""

import uuid
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from compliance.access.actions import RESTORED, revoke_keys
from compliance.access.sources import revoke_sources
from compliance.interfaces.commands.operator_command import OperatorCommand
from compliance.interfaces.console import access_log, permissions
from compliance.interfaces.console.sign_in import invitations
from compliance.interfaces.console.sign_in import sessions as staff_sessions
from compliance.interfaces.pages import links as signing_links
from compliance.learning import links as personal_links
from compliance.learning import sessions as learner_sessions
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from compliance.tenancy.queries import organization

REVIEW = "Staff accounts that may sign in, as the backup knows them. Close those that were closed since:"


class Command(OperatorCommand):
    """One transaction for each company, and one for the staff accounts; a second run ends what is left."""

    interrupted = "Interrupted. What was ended stays ended; run the command again for the rest."
    help = (
        "After a restore: revokes all keys and sources, ends all sessions, withdraws all personal links and invitations"
        " of staff, and lists the staff accounts that may sign in."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--organization",
            type=uuid.UUID,
            help="One company, without the staff; all companies and the staff without.",
        )
        parser.add_argument("--dry-run", action="store_true", help="Change nothing; only count.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *_: Any, **options: Any) -> None:
        now, dry_run, chosen = datetime.now(UTC), options["dry_run"], options["organization"]
        ended = Counter[str]()
        for company in [organization(chosen)] if chosen else Organization.objects.all():
            with context.company(company.organization_id), _kept(not dry_run):
                ended.update(_of_company(company.organization_id, now))
        accounts: list[dict[str, Any]] = []
        if chosen is None:
            with _kept(not dry_run):
                ended.update(_of_staff(now))
            accounts = _accounts(now)
        outcome = "would end" if dry_run else "ended"
        lines = [f"{count:>8,} {name.replace('_', ' ')} {outcome}" for name, count in ended.items()]
        if accounts:
            lines += [REVIEW, *map(_line, accounts)]
        self.show(dict(ended) | {"accounts": accounts}, "\n".join(lines), as_json=options["json"])


@contextmanager
def _kept(kept: bool) -> Iterator[None]:
    """A transaction, rolled back at its end unless `kept`."""
    with transaction.atomic():
        yield
        if not kept:
            transaction.set_rollback(True)


def _of_company(organization_id: uuid.UUID, now: datetime) -> dict[str, int]:
    ended = {
        "keys": revoke_keys(organization_id=organization_id, at=now, reason=RESTORED),
        "sources": revoke_sources(organization_id=organization_id, at=now, reason=RESTORED),
        "learner_sessions": learner_sessions.end_all(organization_id, now),
        "personal_links": personal_links.revoke_all(organization_id, now),
        "signing_links": signing_links.revoke_all(organization_id, now),
    }
    _log(ended, now, organization_id)
    return ended


def _of_staff(now: datetime) -> dict[str, int]:
    ended = {"staff_sessions": staff_sessions.end_all_accounts(), "staff_invitations": invitations.withdraw_all()}
    _log(ended, now, None)
    return ended


def _log(ended: dict[str, int], now: datetime, organization_id: uuid.UUID | None) -> None:
    if any(ended.values()):
        access_log.append(
            page="manage.py",
            at=now,
            status=200,
            username="manage.py",
            organization_id=organization_id,
            subject=ended,
            everybody=organization_id is not None,
            act="all access ended",
            reason=RESTORED,
        )


def _accounts(now: datetime) -> list[dict[str, Any]]:
    """The staff accounts that may sign in, with what they may do; `organization_ids` None means every company."""
    staff = [each.staff for each in permissions.accounts(now).values() if each.staff is not None]
    return [
        {
            "username": each.username,
            "groups": each.groups,
            "keeps_staff": each.keeps_staff,
            "organization_ids": None if each.organization_ids is None else sorted(each.organization_ids),
        }
        for each in sorted(staff, key=lambda each: each.username)
    ]


def _line(account: dict[str, Any]) -> str:
    keeps = ", keeps the staff accounts" if account["keeps_staff"] else ""
    of = account["organization_ids"]
    companies = "every company" if of is None else " ".join(map(str, of)) or "no company"
    return f"{account['username']}: {', '.join(account['groups'])}{keeps}; {companies}"
