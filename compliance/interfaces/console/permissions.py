"""The permissions of the console: three groups, and what each of them may do.

The table is in code, not in the database, so that nobody can widen a group by a click and tests can go through it.
Superusers administer the staff accounts and may do everything.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.utils.translation import gettext

from compliance.interfaces.console.models import StaffAccess
from compliance.learning import words


class Permission(StrEnum):
    """What a page or an act requires."""

    SEE = "see"  # companies, registers, people, receipts, history
    EXPORT = "export"  # download data: tables and evidence packs
    SEE_LOG = "see the access log"  # who saw and did what
    SEE_STORED = "see rows as stored"  # captures, history rows, receipts, pending subjects: column by column
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
    AUDITOR: frozenset({Permission.SEE, Permission.EXPORT, Permission.SEE_LOG, Permission.SEE_STORED}),
}


@dataclass(frozen=True)
class Staff:
    """A member of staff at one moment. `organization_ids` None means every company."""

    user_id: int
    username: str
    groups: tuple[str, ...]
    permissions: frozenset[Permission]
    organization_ids: frozenset[uuid.UUID] | None

    def may(self, permission: Permission) -> bool:
        """Whether one of the groups grants it."""
        return permission in self.permissions

    def may_enter(self, organization_id: uuid.UUID) -> bool:
        """Whether this person may see the company."""
        return self.organization_ids is None or organization_id in self.organization_ids

    @property
    def sees_companies(self) -> bool:
        """Whether this person may see more than one company."""
        return self.organization_ids is None or len(self.organization_ids) > 1

    @property
    def keeps_staff(self) -> bool:
        """Whether this person administers the staff accounts."""
        return Permission.KEEP_STAFF in self.permissions

    @property
    def actor_id(self) -> uuid.UUID:
        """The identifier in facts of who acted: stable, and without information about the person."""
        return actor_id(self.user_id)


_ACTORS = uuid.UUID("0f6f1b1e-6a58-5a3c-9d70-0b7f3f0f9d11")


def actor_id(user_id: int) -> uuid.UUID:
    """The identifier of an account in facts, keys and sources."""
    return uuid.uuid5(_ACTORS, str(user_id))


def staff_of(user: AbstractBaseUser | AnonymousUser, now: datetime) -> Staff | None:
    """What `user` may do at `now`; None for somebody who is not, or no longer, a member of staff.

    An auditor whose access has no end, or has ended, gets None: time-limited access fails closed.
    """
    if not isinstance(user, User) or not user.is_active:
        return None
    access = StaffAccess.objects.filter(user_id=user.pk).first()
    return _may(user, user.groups.values_list("name", flat=True), access, now)


def _may(user: User, named: Iterable[str], access: StaffAccess | None, now: datetime) -> Staff | None:
    groups = tuple(sorted(name for name in named if name in GROUPS))
    if access is not None and access.valid_until is not None and access.valid_until <= now:
        return None
    if user.is_superuser:
        return Staff(user.pk, user.username, groups or ("Administrator",), frozenset(Permission), None)
    if AUDITOR in groups:
        # An auditor only audits: any other group grants nothing.
        groups = (AUDITOR,)
        if access is None or access.valid_until is None:
            return None
    if not groups:
        return None
    permissions = frozenset[Permission]().union(*(GROUPS[name] for name in groups))
    if access is None or access.every_company:
        return Staff(user.pk, user.username, groups, permissions, None)
    return Staff(user.pk, user.username, groups, permissions, frozenset(access.organization_ids))


class Account(NamedTuple):
    """The account of an `actor_id`: its name, and what it may do now; `staff` is None if its owner has left."""

    username: str
    staff: Staff | None


def accounts(now: datetime) -> dict[uuid.UUID, Account]:
    """Every account by its `actor_id`, in a constant number of statements."""
    found = {}
    for user in User.objects.select_related("staff_access").prefetch_related("groups"):
        named = [group.name for group in user.groups.all()]
        staff = _may(user, named, getattr(user, "staff_access", None), now) if user.is_active else None
        found[actor_id(user.pk)] = Account(user.get_username(), staff)
    return found


def reason_for_nobody(user: AbstractBaseUser | AnonymousUser, now: datetime) -> str:
    """Why `staff_of` returned None, in a sentence for the person who has just signed in."""
    if not isinstance(user, User) or not user.is_active:
        return gettext("It has been closed.")
    groups = set(user.groups.values_list("name", flat=True))
    access = StaffAccess.objects.filter(user_id=user.pk).first()
    if access is not None and access.valid_until is not None and access.valid_until <= now:
        return gettext("Its access ended on %(moment)s.") % {
            "moment": f"{words.day_and_time(access.valid_until, ZoneInfo('UTC'))} UTC"
        }
    if AUDITOR in groups:
        return gettext("It is an auditor's, and no day is set on which its access ends: an auditor's access needs one.")
    return gettext("It belongs to no group of the console.")
