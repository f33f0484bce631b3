"""Who may do what in the console (issue 8, part 4): three groups, and what each of them may.

The table stands in code, not in the database, so that nobody widens a group by a click and a test can walk it.
Superusers keep the staff accounts and may do everything.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from compliance.interfaces.console.models import StaffAccess


class Permission(StrEnum):
    """What a page or an act asks for."""

    SEE = "see"  # companies, registers, people, receipts, history
    EXPORT = "export"  # take data away: tables and evidence packs
    SEE_LOG = "see the access log"  # who saw and did what
    CHANGE_PEOPLE = "change people"  # invite, suspend, end, teams, shares, reminders
    CHANGE_RECORDS = "change records"  # waive, deadlines, publish, certificates, erase
    OPERATE = "operate"  # keys, imports, sweeps, verification
    KEEP_STAFF = "keep staff accounts"  # accounts and groups


OPERATOR = "Operator"
COMPLIANCE_MANAGER = "Compliance manager"
AUDITOR = "Auditor"

GROUPS: dict[str, frozenset[Permission]] = {
    OPERATOR: frozenset({Permission.SEE, Permission.CHANGE_PEOPLE, Permission.OPERATE}),
    COMPLIANCE_MANAGER: frozenset(
        {Permission.SEE, Permission.EXPORT, Permission.SEE_LOG, Permission.CHANGE_PEOPLE, Permission.CHANGE_RECORDS}
    ),
    AUDITOR: frozenset({Permission.SEE, Permission.EXPORT, Permission.SEE_LOG}),
}
READ_ONLY_GROUPS = frozenset({AUDITOR})


@dataclass(frozen=True)
class Staff:
    """A member of staff at one moment. `organization_ids` None: every company."""

    user_id: int
    username: str
    groups: tuple[str, ...]
    permissions: frozenset[Permission]
    organization_ids: frozenset[uuid.UUID] | None

    def may(self, permission: Permission) -> bool:
        """Whether one of the groups grants it."""
        return permission in self.permissions

    def may_enter(self, organization_id: uuid.UUID) -> bool:
        """Whether the company is among those that this person may see."""
        return self.organization_ids is None or organization_id in self.organization_ids

    @property
    def keeps_staff(self) -> bool:
        """Whether the staff accounts are this person's to keep."""
        return Permission.KEEP_STAFF in self.permissions

    @property
    def actor_id(self) -> uuid.UUID:
        """The identifier that facts name as who acted: stable, and telling nothing about the person."""
        return uuid.uuid5(_ACTORS, str(self.user_id))


_ACTORS = uuid.UUID("0f6f1b1e-6a58-5a3c-9d70-0b7f3f0f9d11")


def staff_of(user: AbstractBaseUser | AnonymousUser, now: datetime) -> Staff | None:
    """What `user` may at `now`; None for whoever is no member of staff, or not any more.

    An auditor without an end, or past it, is nobody: time-boxed access fails closed.
    """
    if not isinstance(user, User) or not user.is_active:
        return None
    groups = tuple(sorted(name for name in user.groups.values_list("name", flat=True) if name in GROUPS))
    access = StaffAccess.objects.filter(user_id=user.pk).first()
    if access is not None and access.valid_until is not None and access.valid_until <= now:
        return None
    if user.is_superuser:
        return Staff(user.pk, user.username, groups or ("Administrator",), frozenset(Permission), None)
    if AUDITOR in groups:
        # Who audits does nothing else: another group beside it grants nothing.
        groups = (AUDITOR,)
        if access is None or access.valid_until is None:
            return None
    if not groups:
        return None
    permissions = frozenset[Permission]().union(*(GROUPS[name] for name in groups))
    if access is None or access.every_company:
        return Staff(user.pk, user.username, groups, permissions, None)
    return Staff(user.pk, user.username, groups, permissions, frozenset(access.organization_ids))
