"""The append-only log of who saw and did what. It is chained: each line holds the digest of the line before.

Each company has a chain, and one chain holds what belongs to no company (sign-ins, staff accounts, addresses of
companies that do not exist). A line is chained in the transaction that writes it, under a lock on the end of its chain,
so two lines never follow the same one. `proofs/access_log.py` defines how a line is digested.

The people a line is about are in a column of their own, as identifiers, so no long value can push them out.
"""

import secrets
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.http import HttpRequest

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import Staff, staff_of
from compliance.interfaces.console.sign_in.address import client_address
from compliance.proofs import access_log as proof
from compliance.proofs.instants import hashed_instant
from compliance.tenancy import queries, sql

DEPLOYMENT = uuid.UUID(int=0)
"""The chain of lines that belong to no company."""

LONGEST_VALUE = 80
MOST_VALUES = 12


def record(request: HttpRequest, *, staff: Staff | None, username: str = "", **line: Any) -> None:
    """Appends the line of a request by staff, or by somebody who claims to be `username`; `line` goes to `append`."""
    append(
        user_id=staff.user_id if staff else None,
        username=staff.username if staff else username,
        groups=", ".join(staff.groups) if staff else "",
        address=client_address(request),
        method=request.method or "",
        **line,
    )


def account(
    request: HttpRequest,
    *,
    by: AbstractBaseUser | AnonymousUser,
    user_id: int,
    act: str,
    at: datetime,
    reason: str = "",
) -> None:
    """Appends the line of what `by` did to an account: their own, or one that they administer."""
    record(
        request,
        staff=staff_of(by, at),
        username=by.get_username(),
        page="account",
        at=at,
        status=200,
        subject={"user": user_id},
        act=act,
        reason=reason,
    )


def append(
    *,
    page: str,
    at: datetime,
    status: int,
    user_id: int | None = None,
    username: str = "",
    groups: str = "",
    address: str = "",
    method: str = "",
    organization_id: uuid.UUID | None = None,
    subject: Mapping[str, Any] | None = None,
    learner_profile_ids: Iterable[uuid.UUID] = (),
    everybody: bool = False,
    act: str = "",
    reason: str = "",
) -> None:
    """Appends one line to the chain of its company, or to the deployment's.

    `subject` holds identifiers of what was looked at, never names or addresses; `learner_profile_ids` holds whose
    records were seen or acted on; `everybody` means that it may have been everybody in the company.
    """
    values = list((subject or {}).items())[:MOST_VALUES]
    with transaction.atomic():
        ((chain, number, previous),) = sql.fetch(_LOCK_END, {"company": organization_id, "none": DEPLOYMENT})
        line = AccessLog(
            chain=chain,
            number=number + 1,
            at=at,
            user_id=user_id,
            username=_text(username, 150),
            groups=_text(groups, 100),
            address=address,
            method=_text(method, 8),
            page=page,
            subject=" ".join(f"{_text(name, 40)}={_text(value, LONGEST_VALUE)}" for name, value in values),
            learner_profile_ids=sorted(set(learner_profile_ids)),
            everybody=everybody,
            organization_id=organization_id,
            status=status,
            act=_text(act, 60),
            reason=_text(reason, 500),
            salt=secrets.token_hex(16),
            previous_sha256=previous,
        )
        line.digest = proof.digest(exported(line))
        line.save(force_insert=True)
        sql.execute(
            "UPDATE console_accesschain SET number = %s, digest = %s WHERE chain = %s",
            [line.number, line.digest, chain],
        )


_EXPORTED = (
    "chain", "number", "at", "user_id", "username", "groups", "address", "method", "page", "subject",
    "organization_id", "status", "act", "reason", "everybody", "learner_profile_ids", "salt", "previous_sha256",
    "digest",
)  # fmt: skip


def exported(line: AccessLog) -> dict[str, Any]:
    """A line as it is exported and digested: identifiers and moments as text."""
    return {name: _as_text(getattr(line, name)) for name in _EXPORTED}


def _as_text(value: Any) -> Any:
    if isinstance(value, list):
        return [str(each) for each in value]
    if isinstance(value, datetime):
        return hashed_instant(value)
    return str(value) if isinstance(value, uuid.UUID) else value


def _text(value: Any, most: int) -> str:
    """A value as the log stores it: PostgreSQL accepts no NUL, and UTF-8 no lone surrogate."""
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode()[:most]


# Creates the chain with its first line. A company that does not exist gets none, so invented ones fill no table.
_LOCK_END = f"""
INSERT INTO console_accesschain AS c (chain, number, digest, fault)
SELECT coalesce({queries.known("%(company)s")}, %(none)s::uuid), 0, '{proof.ZERO_DIGEST}', ''
ON CONFLICT (chain) DO UPDATE SET number = c.number
RETURNING c.chain, c.number, c.digest
"""
